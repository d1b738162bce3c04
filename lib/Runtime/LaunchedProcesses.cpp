#include "LaunchedProcesses.h"

#include "MpiTransport.h"
#include "Trace.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace plc::runtime {

namespace {

constexpr int64_t graceNs = 3'000'000'000; // for the others to end, after the first
constexpr double mostPatience = 3;         // s, with one that is stopped while the launcher is not
constexpr int64_t gapNs = 1'000'000'000;   // between two looks: the launcher itself was stopped

/// In memory where that can be: a file for each process, written in each of its actions.
std::string makeFolder() {
  std::error_code ignored;
  for (const fs::path &parent : {fs::path("/dev/shm"), fs::temp_directory_path(ignored)}) {
    std::string name = parent / "plc-flight-XXXXXX";
    if (::mkdtemp(name.data()))
      return name;
  }
  return "";
}

/// As /proc tells it: R, S, D, T, Z, ..; nothing if there is no such process.
std::optional<char> stateOf(int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  size_t name = text.rfind(") ");
  return name == std::string::npos || name + 2 >= text.size() ? std::nullopt : std::optional(text[name + 2]);
}

bool isThere(int64_t pid) {
  std::optional<char> state = stateOf(pid);
  return state && *state != 'Z' && *state != 'X';
}

/// The number behind a word, if the word is there.
std::optional<int64_t> numberBehind(const std::string &text, std::string_view word) {
  size_t begin = text.find(word);
  if (begin == std::string::npos)
    return std::nullopt;
  int64_t number = 0;
  const char *first = text.data() + begin + word.size(), *end = text.data() + text.size();
  return std::from_chars(first, end, number).ec == std::errc() ? std::optional(number) : std::nullopt;
}

} // namespace

LaunchedProcesses::LaunchedProcesses(const Manifest &manifest, int64_t count, double patience)
    : manifest(manifest), patienceNs(static_cast<int64_t>(std::min(patience, mostPatience) * 1e9)), place(makeFolder()),
      processes(static_cast<size_t>(count)) {}

LaunchedProcesses::~LaunchedProcesses() {
  std::error_code ignored;
  if (!place.empty())
    fs::remove_all(place, ignored);
}

void LaunchedProcesses::look() {
  int64_t now = Trace::now();
  if (now - looked > gapNs)
    for (Process &process : processes)
      process.runsSince = now;
  looked = now;
  for (size_t number = 0; number < processes.size(); ++number)
    lookAt(number, now);
}

void LaunchedProcesses::lookAt(size_t number, int64_t now) {
  Process &process = processes[number];
  if (!process.flight && !place.empty())
    process.flight = FlightRecorder::take(place, static_cast<int64_t>(number));
  if (!process.flight || process.gone)
    return;
  if (!process.failed && process.flight->exitCode()) {
    process.failed = true;
    firstFailed = firstFailed.value_or(number);
    note(now);
  }
  std::optional<char> state = stateOf(process.flight->pid());
  process.gone = !state || *state == 'Z' || *state == 'X';
  // It may have failed since.
  if (process.gone && !process.flight->ended() && !process.flight->exitCode()) {
    firstGone = firstGone.value_or(number);
    note(now);
  }
  if (state != 'T') // one that a debugger holds is in another state
    process.runsSince = now;
  if (patienceNs && now - process.runsSince > patienceNs) {
    firstStopped = firstStopped.value_or(number);
    trouble = trouble ? trouble : now - graceNs;
  }
}

bool LaunchedProcesses::mustEnd() const { return trouble && looked - trouble >= graceNs; }

void LaunchedProcesses::signal(int number) const {
  for (const Process &process : processes)
    if (process.flight && !process.gone && isThere(process.flight->pid()))
      ::kill(static_cast<pid_t>(process.flight->pid()), number);
}

void LaunchedProcesses::end() {
  auto anyIsThere = [&] {
    look();
    return std::any_of(processes.begin(), processes.end(),
                       [](const Process &process) { return process.flight && !process.gone; });
  };
  for (int64_t begin = Trace::now(); anyIsThere() && Trace::now() - begin < gapNs;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  signal(SIGKILL);
}

const FlightRecorder *LaunchedProcesses::failed() const {
  return firstFailed ? processes[*firstFailed].flight.get() : nullptr;
}

std::optional<Error> LaunchedProcesses::stopped() const {
  if (!firstStopped)
    return std::nullopt;
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g s", static_cast<double>(patienceNs) / 1e9);
  return errorAt(Hang, *firstStopped, "process " + std::to_string(*firstStopped) + " hangs: stopped for " + seconds);
}

std::optional<Error> LaunchedProcesses::lost(const std::string &account) const {
  if (!firstGone)
    return std::nullopt;
  size_t number = *firstGone;
  // Who was killed for the first one's sake may be seen before it.
  if (auto told = numberBehind(account, "process rank "); told && *told >= 0 && *told < int64_t(processes.size()))
    number = static_cast<size_t>(*told);
  for (size_t i = 0; i < processes.size(); ++i)
    if (auto pid = numberBehind(account, "PID "); pid && processes[i].flight && processes[i].flight->pid() == *pid)
      number = i;
  auto signal = numberBehind(account, "signal ");
  return errorAt(PeerLost, number,
                 "process " + std::to_string(number) + " was lost" +
                     (signal ? ", by signal " + std::to_string(*signal) : ""));
}

/// At the first rule that a rank of the process was computing.
Error LaunchedProcesses::errorAt(int exitCode, size_t number, const std::string &text) const {
  std::vector<std::string> places, notes;
  const FlightRecorder *flight = processes[number].flight.get();
  size_t most = 0;
  for (const EntryPlan &entry : manifest.entries)
    most = std::max(most, entry.ranks.size());
  for (size_t rank = 0; flight && rank < std::min(most, FlightRecorder::mostRanks); ++rank) {
    RankFlight::Place at = processes[number].flight->rank(rank).place();
    if (at.entry >= manifest.entries.size() || rank >= manifest.entries[at.entry].ranks.size() ||
        MpiTransport::processOf(rank, manifest.entries[at.entry].ranks.size(), int64_t(processes.size())) !=
            int64_t(number))
      continue;
    auto [where, told] = tellPlace(manifest, rank, at);
    if (places.empty())
      places = where;
    notes.push_back(told);
  }
  Error error(exitCode, places, text);
  for (const std::string &note : notes)
    error.note(note);
  if (processes[0].flight && !processes[0].flight->checkpoint().empty())
    error.note("the last checkpoint is '" + processes[0].flight->checkpoint() + "'");
  return error;
}

} // namespace plc::runtime
