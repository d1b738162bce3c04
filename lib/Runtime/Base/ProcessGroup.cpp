// Collective calls that every group has, by broadcast and gather alone.
#include "plc/Runtime/Base/ProcessGroup.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Trace.h"

#include <algorithm>
#include <cstring>
#include <sched.h>
#include <string_view>
#include <unistd.h>

namespace plc::runtime {

namespace {

std::unique_ptr<ProcessGroup> theGroup;

constexpr size_t textBytes = 256; // of a gathered text, with its final zero

/// A hash of the CPUs that this process may run on.
int64_t maskOfCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof(set), &set);
  std::string_view bytes(reinterpret_cast<const char *>(&set), sizeof(set));
  return static_cast<int64_t>(std::hash<std::string_view>()(bytes));
}

} // namespace

ProcessGroup *ProcessGroup::joined() { return theGroup.get(); }

void ProcessGroup::enter(std::unique_ptr<ProcessGroup> group) { theGroup = std::move(group); }

int64_t ProcessGroup::processOf(size_t rank, size_t ranks, int64_t processes) {
  auto count = static_cast<int64_t>(ranks), used = std::min(processes, count);
  // The last p with p R / P <= rank.
  return (used * (static_cast<int64_t>(rank) + 1) - 1) / count;
}

void ProcessGroup::findNeighbours() {
  char host[textBytes] = {};
  ::gethostname(host, sizeof(host) - 1);
  hosts = gather(std::string(host));
  // Launchers bind processes to cores of their own, or let all of them run on all: masks are equal or disjoint.
  std::vector<int64_t> masks = gather(maskOfCpus());
  sharers = 0;
  for (size_t i = 0; i < masks.size(); ++i)
    sharers += hosts[i] == host && masks[i] == masks[static_cast<size_t>(number)];
}

std::vector<int64_t> ProcessGroup::gather(int64_t value) {
  std::vector<int64_t> values(static_cast<size_t>(processes));
  gather(&value, values.data(), sizeof(value));
  return values;
}

std::vector<std::string> ProcessGroup::gather(const std::string &text) {
  char own[textBytes] = {};
  std::strncpy(own, text.c_str(), textBytes - 1);
  std::string all(textBytes * static_cast<size_t>(processes), '\0');
  gather(own, all.data(), static_cast<int>(textBytes));
  std::vector<std::string> texts;
  for (size_t i = 0; i < static_cast<size_t>(processes); ++i)
    texts.emplace_back(all.c_str() + i * textBytes);
  return texts;
}

std::vector<std::string> ProcessGroup::collect(const std::string &text) {
  std::vector<int64_t> sizes = gather(static_cast<int64_t>(text.size()));
  std::vector<std::string> texts;
  for (int64_t i = 0; i < processes; ++i) {
    std::string &each = texts.emplace_back(i == number ? text : "");
    each.resize(static_cast<size_t>(sizes[static_cast<size_t>(i)]));
    broadcast(i, each.data(), each.size());
  }
  return texts;
}

int64_t ProcessGroup::clockAhead() {
  // Not tuned: each exchange narrows the bounds; more of them cost only microseconds each.
  constexpr int rounds = 16;
  int64_t least = INT64_MIN, most = INT64_MAX, before = 0;
  for (int round = 0; round < rounds; ++round) {
    // The first process read its clock after it had our last message, and before we have its own. Both bound the
    // difference (as Cristian's algorithm does); the tightest bounds of all exchanges remain.
    int64_t heardOf = before;
    before = Trace::now();
    int64_t first = gather(before)[0], after = Trace::now();
    if (round > 0) {
      least = std::max(least, heardOf - first);
      most = std::min(most, after - first);
    }
  }
  return least <= 0 && most >= 0 ? 0 : least + (most - least) / 2;
}

void ProcessGroup::compare(const std::string &file, const std::string &what, const std::string &value) {
  std::vector<std::string> values = gather(value);
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] != values[0])
      throw fileError(file,
                      what + " is '" + values[i] + "' in " + nameOf(i) + ", but '" + values[0] + "' in " + nameOf(0));
}

std::string ProcessGroup::nameOf(size_t process) const {
  return "process " + std::to_string(process) + " on '" + hosts[process] + "'";
}

} // namespace plc::runtime
