// Watches over launched processes, and says which was lost first.
#include "LaunchedProcesses.h"

#include "Base/ProcessState.h"
#include "MpiTransport.h"
#include "plc/Runtime/Base/Trace.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace plc::runtime {

namespace {

/// Time for the others to end after the first. With the launcher's cleaningNs it stays below the five seconds that
/// docs/machines.md promises.
constexpr int64_t graceNs = 3'000'000'000;
/// The same after a loss on another machine: mpirun has no more to report, so waiting is of no use. Not tuned.
constexpr int64_t remoteGraceNs = 500'000'000;
/// Seconds. A process does not stop by itself while its launcher runs, so no longer timeout is needed.
constexpr double mostPatience = 3;
/// The launcher looks every 20 ms. A longer time between two looks means that it was stopped itself.
constexpr int64_t gapNs = 1'000'000'000;

/// A folder for flight recorders, in memory where possible, because each process writes its file in each of its
/// actions. Empty if there can be none.
std::string makeFolder() {
  std::error_code ignored;
  for (const fs::path &parent : {fs::path("/dev/shm"), fs::temp_directory_path(ignored)}) {
    std::string name = parent / "plc-flight-XXXXXX";
    if (::mkdtemp(name.data()))
      return name;
  }
  return "";
}

/// The number behind a word of a text; nullopt if the word is not there.
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
    : manifest(manifest), patienceNs(static_cast<int64_t>(std::min(patience, mostPatience) * 1e9)),
      scratch(makeFolder()), processes(static_cast<size_t>(count)), links(static_cast<double>(patienceNs) / 1e9),
      endings(::epoll_create1(EPOLL_CLOEXEC)) {
  for (size_t number = 0; number < processes.size(); ++number)
    openPipe(number);
}

void LaunchedProcesses::openPipe(size_t number) {
  std::string pipe = FlightRecorder::pipeOf(scratch, static_cast<int64_t>(number));
  if (scratch.empty() || ::mkfifo(pipe.c_str(), S_IRUSR | S_IWUSR) != 0)
    return;
  int &end = processes[number].end = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  epoll_event event{EPOLLONESHOT, {.u64 = number}}; // EPOLLHUP is always reported: the last writer has closed
  if (end >= 0 && ::epoll_ctl(endings, EPOLL_CTL_ADD, end, &event) != 0) {
    ::close(end);
    end = -1;
  }
}

void LaunchedProcesses::removeFolder() {
  std::error_code ignored;
  if (!scratch.empty())
    fs::remove_all(scratch, ignored);
  scratch.clear();
}

LaunchedProcesses::~LaunchedProcesses() {
  removeFolder();
  for (const Process &process : processes)
    if (process.end >= 0)
      ::close(process.end);
  if (endings >= 0)
    ::close(endings);
}

void LaunchedProcesses::look() {
  int64_t now = Trace::now();
  if (now - looked > gapNs)
    // Nothing is known of that time, so no process counts as stopped in it.
    for (Process &process : processes)
      process.runsSince = now;
  looked = now;
  for (FlightLinks::News &news : links.look())
    hear(news, now);
  for (size_t number = 0; number < processes.size(); ++number) {
    if (!processes[number].hasCome() && !scratch.empty())
      take(number, now);
    if (processes[number].flight && !processes[number].gone)
      lookAt(number, now);
  }
  takeEnds(now);
  if (!std::all_of(processes.begin(), processes.end(), [](const Process &process) { return process.hasCome(); }))
    return;
  links.stopListening();
  // All have come, and their files are mapped and unlinked. So nothing is left behind if this launcher is killed.
  if (!scratch.empty() && ::rmdir(scratch.c_str()) == 0)
    scratch.clear();
}

void LaunchedProcesses::hear(FlightLinks::News &news, int64_t now) {
  auto number = static_cast<size_t>(news.process);
  if (number >= processes.size())
    return;
  Process &process = processes[number];
  switch (news.what) {
  case FlightLinks::News::Came:
    process.host = news.host;
    process.runsSince = now;
    // It writes no file here, so nothing will open this pipe.
    ::unlink(FlightRecorder::pipeOf(scratch, news.process).c_str());
    break;
  case FlightLinks::News::RunDescription:
    process.report = news.report;
    // /proc's letter for a process that is stopped by a signal.
    if (news.report.state != 'T')
      process.runsSince = now;
    if (!news.recorder)
      break;
    process.flight = std::move(news.recorder);
    takeFailure(number, now);
    if (process.report.state == FlightReport::gone)
      ends(number, now);
    break;
  case FlightLinks::News::Unreachable: isOutOfReach(number, now); break;
  case FlightLinks::News::Closed:
    if (!process.gone)
      ends(number, now);
  }
}

void LaunchedProcesses::isOutOfReach(size_t number, int64_t now) {
  processes[number].unreachable = true;
  ends(number, now);
}

void LaunchedProcesses::take(size_t number, int64_t now) {
  Process &process = processes[number];
  process.flight = FlightRecorder::take(scratch, static_cast<int64_t>(number));
  if (!process.flight)
    return;
  process.runsSince = now;
  ::unlink(FlightRecorder::pipeOf(scratch, static_cast<int64_t>(number)).c_str());
}

void LaunchedProcesses::lookAt(size_t number, int64_t now) {
  Process &process = processes[number];
  takeFailure(number, now);
  bool isHere = process.host.empty();
  // Without a pipe only its process id shows that it lives.
  if (isHere && process.end < 0 && !isAlive(process.flight->pid()))
    return ends(number, now);
  // A process that a debugger holds has another state ('t'), so it may take any time.
  if (isHere && stateOfProcess(process.flight->pid()) != 'T')
    process.runsSince = now;
  if (patienceNs && now - process.runsSince > patienceNs) {
    // No report either because the process is stopped, or because its machine is out of reach.
    std::optional<bool> reached = isHere ? true : links.reaches(static_cast<int64_t>(number));
    if (!reached)
      return;
    if (!*reached)
      return isOutOfReach(number, now);
    firstStopped = firstStopped.value_or(number);
    // A stopped process stops the others too: no time of grace.
    trouble = trouble ? trouble : now - graceNs;
  }
}

void LaunchedProcesses::takeFailure(size_t number, int64_t now) {
  if (processes[number].failed || !processes[number].flight->exitCode())
    return;
  processes[number].failed = true;
  firstFailed = firstFailed.value_or(number);
  note(now);
}

bool LaunchedProcesses::mustEnd() const { return trouble && looked - trouble >= graceNs; }

void LaunchedProcesses::takeEnds(int64_t now) {
  epoll_event event;
  while (endings >= 0 && ::epoll_wait(endings, &event, 1, 0) == 1)
    ends(event.data.u64, now);
}

void LaunchedProcesses::ends(size_t number, int64_t now) {
  Process &process = processes[number];
  process.gone = true;
  if (process.flight && (process.flight->ended() || process.flight->exitCode()))
    return;
  firstGone = firstGone.value_or(number);
  // On this machine mpirun ends the others, and needs the whole time of grace for it.
  note(process.host.empty() ? now : now - graceNs + (process.unreachable ? 0 : remoteGraceNs));
}

void LaunchedProcesses::signal(int number) const {
  for (const Process &process : processes)
    if (process.flight && process.host.empty() && !process.gone && isAlive(process.flight->pid()))
      ::kill(static_cast<pid_t>(process.flight->pid()), number);
}

void LaunchedProcesses::kill() {
  signal(SIGKILL);
  links.close();
  for (Process &process : processes)
    process.gone |= !process.host.empty();
}

void LaunchedProcesses::end() {
  // Processes may still be ending after mpirun: let them, for a second.
  auto anyIsThere = [&] {
    look();
    return std::any_of(processes.begin(), processes.end(),
                       [](const Process &process) { return process.flight && !process.gone; });
  };
  for (int64_t begin = Trace::now(); anyIsThere() && Trace::now() - begin < gapNs;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill();
}

const FlightRecorder *LaunchedProcesses::failed() const {
  return firstFailed ? processes[*firstFailed].flight.get() : nullptr;
}

std::string LaunchedProcesses::nameOf(size_t number) const {
  const std::string &host = processes[number].host;
  return "process " + std::to_string(number) + (host.empty() ? "" : " on '" + host + "'");
}

std::string LaunchedProcesses::patienceText() const {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g s", static_cast<double>(patienceNs) / 1e9);
  return seconds;
}

std::optional<Error> LaunchedProcesses::stopped() const {
  if (!firstStopped)
    return std::nullopt;
  return errorAt(Hang, *firstStopped, nameOf(*firstStopped) + " hangs: stopped for " + patienceText());
}

std::optional<Error> LaunchedProcesses::lost(const std::string &account) const {
  if (!firstGone)
    return std::nullopt;
  const Process &process = processes[*firstGone];
  if (process.unreachable)
    return errorAt(PeerLost, *firstGone, nameOf(*firstGone) + " cannot be reached any more");
  std::string text = nameOf(*firstGone) + " was lost";
  // mpirun's account may be of another process, which it ended itself.
  bool speaksOfIt = numberBehind(account, "process rank ") == int64_t(*firstGone) ||
                    (process.flight && numberBehind(account, "PID ") == process.flight->pid());
  int64_t signal = process.report.signal;
  if (!signal && speaksOfIt)
    signal = numberBehind(account, "signal ").value_or(0);
  // SIGPIPE: the reader of its output has gone. A program without mpirun ends without a message then, too.
  if (signal == SIGPIPE && process.host.empty())
    return Error(codeOfSignal(SIGPIPE), "", "");
  if (signal)
    text += ", by signal " + std::to_string(signal);
  else if (!speaksOfIt &&
           std::any_of(processes.begin(), processes.end(), [](const Process &each) { return !each.hasCome(); }))
    return std::nullopt; // perhaps mpirun ended it because of a process that never came
  return errorAt(PeerLost, *firstGone, text);
}

/// An error with the positions of the process's ranks as notes, at the first rule that one of them was computing.
Error LaunchedProcesses::errorAt(int exitCode, size_t number, const std::string &text) const {
  std::vector<std::string> locations, notes;
  FlightRecorder *flight = processes[number].flight.get();
  size_t most = 0;
  for (const EntryPlan &entry : manifest.entries)
    most = std::max(most, entry.ranks.size());
  // The last report of a process out of reach is old, and would mislead.
  for (size_t rank = 0; flight && !processes[number].unreachable && rank < std::min(most, FlightRecorder::mostRanks);
       ++rank) {
    RankFlight::Position at = flight->rank(rank).position();
    // The recorder is another process's memory: check each number, and skip ranks of other processes.
    if (at.entry >= manifest.entries.size() || rank >= manifest.entries[at.entry].ranks.size() ||
        ProcessGroup::processOf(rank, manifest.entries[at.entry].ranks.size(), int64_t(processes.size())) !=
            int64_t(number))
      continue;
    auto [where, told] = describePosition(manifest, rank, at);
    if (locations.empty())
      locations = where;
    notes.push_back(told);
  }
  Error error(exitCode, locations, text);
  for (const std::string &note : notes)
    error.note(note);
  if (processes[0].flight && !processes[0].flight->checkpoint().empty())
    error.note("the last checkpoint is '" + processes[0].flight->checkpoint() + "'");
  return error;
}

} // namespace plc::runtime
