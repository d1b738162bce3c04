#include "MpiWorld.h"

#include "Backoff.h"
#include "plc/Runtime/Error.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <sched.h>
#include <string_view>
#include <unistd.h>

namespace plc::runtime {

namespace {

std::unique_ptr<MpiWorld> theWorld;

/// The library whose job this process is in; else the first that has a plug-in.
MpiLibrary chooseLibrary() {
  if (std::optional<MpiJob> job = findMpiJob())
    return job->library;
  for (size_t i = 0; i < Choice<MpiLibrary>::rows().size(); ++i)
    if (std::filesystem::exists(pluginOf(MpiLibrary(i))))
      return MpiLibrary(i);
  return MpiLibrary(0);
}

/// In which all processes leave a collective call.
constexpr auto leaving = std::chrono::milliseconds(300);
constexpr size_t largestCall = size_t(1) << 30; // bytes: counts are ints
constexpr size_t textBytes = 256;

/// A number that is the same where the CPUs are that this process may run on.
int64_t maskOfCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof(set), &set);
  std::string_view bytes(reinterpret_cast<const char *>(&set), sizeof(set));
  return static_cast<int64_t>(std::hash<std::string_view>()(bytes));
}

} // namespace

MpiWorld &MpiWorld::join() {
  if (!theWorld)
    theWorld.reset(new MpiWorld());
  return *theWorld;
}

MpiWorld *MpiWorld::joined() { return theWorld.get(); }

MpiWorld::MpiWorld() {
  load(chooseLibrary());
  int process = 0, count = 1, tag = 0;
  call("MPI_Init_thread", table->initialize, &process, &count, &world);
  number = process;
  processes = count;
  call("MPI_Comm_get_attr", table->largestTag, &tag);
  tagLimit = tag;
  char host[textBytes] = {};
  ::gethostname(host, sizeof(host) - 1);
  hosts = gather(std::string(host));
  // Launchers bind processes to cores of their own, or let all of them run on all: masks are the same, or have nothing in common.
  std::vector<int64_t> masks = gather(maskOfCpus());
  sharers = 0;
  for (size_t i = 0; i < masks.size(); ++i)
    sharers += hosts[i] == host && masks[i] == masks[static_cast<size_t>(number)];
}

void MpiWorld::load(MpiLibrary library) {
  const MpiLibraryRow &row = rowOf(library);
  std::string file = pluginOf(library);
  if (!std::filesystem::exists(file))
    throw usageError(std::string("no plug-in for ") + row.title + ", found none at '" + file +
                     "': install Debian's package " + row.package + " and build again");
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw fileError(file, std::string("cannot be loaded: ") + ::dlerror());
  table = static_cast<const plc_mpi_plugin_table *>(::dlsym(handle, "plc_mpi_plugin"));
  if (!table || table->version != PLC_MPI_VERSION)
    throw fileError(file, "is no plug-in of version " + std::to_string(PLC_MPI_VERSION));
}

void MpiWorld::check(const char *name, int code) const {
  if (code)
    throw Error(PeerLost, "", std::string(name) + " failed: " + table->error(code));
}

bool MpiWorld::test(plc_mpi_handle &request) {
  int over = 0;
  call("MPI_Test", table->test, &request, &over);
  return over;
}

void MpiWorld::wait(plc_mpi_handle &request) {
  for (Backoff backoff; !test(request);)
    backoff.sleep();
}

void MpiWorld::broadcast(int64_t root, void *data, size_t bytes) {
  if (processes == 1)
    return;
  auto *next = static_cast<std::byte *>(data);
  for (size_t left = bytes; left > 0;) {
    size_t some = std::min(left, largestCall);
    plc_mpi_handle request{};
    call("MPI_Ibcast", table->broadcast, world, next, static_cast<int>(some), static_cast<int>(root), &request);
    wait(request);
    next += some;
    left -= some;
  }
}

void MpiWorld::gather(const void *data, void *all, int bytes) {
  plc_mpi_handle request{};
  call("MPI_Iallgather", table->gather, world, data, all, bytes, &request);
  wait(request);
}

std::vector<int64_t> MpiWorld::gather(int64_t value) {
  std::vector<int64_t> values(static_cast<size_t>(processes));
  gather(&value, values.data(), sizeof(value));
  return values;
}

std::vector<std::string> MpiWorld::gather(const std::string &text) {
  char own[textBytes] = {};
  std::strncpy(own, text.c_str(), textBytes - 1);
  std::string all(textBytes * static_cast<size_t>(processes), '\0');
  gather(own, all.data(), static_cast<int>(textBytes));
  std::vector<std::string> texts;
  for (size_t i = 0; i < static_cast<size_t>(processes); ++i)
    texts.emplace_back(all.c_str() + i * textBytes);
  return texts;
}

std::vector<std::string> MpiWorld::collect(const std::string &text) {
  std::vector<int64_t> sizes = gather(static_cast<int64_t>(text.size()));
  std::vector<std::string> texts;
  for (int64_t i = 0; i < processes; ++i) {
    std::string &each = texts.emplace_back(i == number ? text : "");
    each.resize(static_cast<size_t>(sizes[static_cast<size_t>(i)]));
    broadcast(i, each.data(), each.size());
  }
  return texts;
}

int64_t MpiWorld::clockAhead() {
  constexpr int turns = 16;
  int64_t least = INT64_MIN, most = INT64_MAX, before = 0;
  for (int turn = 0; turn < turns; ++turn) {
    // The first one has looked at its clock after it had heard of our last turn, and before we hear of it.
    int64_t heardOf = before;
    before = Trace::now();
    int64_t first = gather(before)[0], after = Trace::now();
    if (turn > 0) {
      least = std::max(least, heardOf - first);
      most = std::min(most, after - first);
    }
  }
  return least <= 0 && most >= 0 ? 0 : least + (most - least) / 2;
}

void MpiWorld::compare(const std::string &file, const std::string &what, const std::string &value) {
  std::vector<std::string> values = gather(value);
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] != values[0])
      throw fileError(file,
                      what + " is '" + values[i] + "' in " + nameOf(i) + ", but '" + values[0] + "' in " + nameOf(0));
}

std::string MpiWorld::nameOf(size_t process) const {
  return "process " + std::to_string(process) + " on '" + hosts[process] + "'";
}

void MpiWorld::finish() {
  // MPICH before 4.2 never ends a connection whose other end it has seen closed, and this other process waits for it
  // (https://github.com/pmodels/mpich/pull/6596): nobody closes before the others have seen the last message and look no more.
  if (std::any_of(hosts.begin(), hosts.end(), [&](const std::string &host) { return host != hosts[0]; })) {
    gather(int64_t(0));
    std::this_thread::sleep_for(leaving);
  }
  call("MPI_Finalize", table->finalize);
}

void MpiWorld::abort(int exitCode) noexcept {
  std::this_thread::sleep_for(mpiPassing);
  table->abort(exitCode);
}

} // namespace plc::runtime
