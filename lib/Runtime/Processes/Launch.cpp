// `plc-run --ranks N`: starts mpirun, and makes one account of all processes.
#include "plc/Runtime/Processes/Launch.h"

#include "LaunchedProcesses.h"
#include "Supervisor.h"
#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/FlightRecorder.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Base/Trace.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace plc::runtime {

namespace {

// A launched process begins each line of its stderr with a mark, its number and what kind of line it is:
//   <mark>0 TEXT     text for the user
//   <mark>0!CODE     its exit code
//   <mark>0+         it has started
// Lines without a mark are mpirun's. The mark is ASCII's record separator, which no message has.
constexpr char mark = '\x1e';
enum LineKind : char { Text = ' ', Code = '!', Started = '+' };
constexpr const char *folderVariable = "PLC_FLIGHT", *linkVariable = "PLC_LINK", *launchedVariable = "PLC_LAUNCHED",
                     *modelVariable = "PLC_LAUNCHED_MODEL", *moduleVariable = "PLC_LAUNCHED_MODULE",
                     *toTerminal = "terminal", *toFile = "file";

/// Time for mpirun to clean up after processes that were killed. With graceNs (LaunchedProcesses.cpp) below five
/// seconds.
constexpr int64_t cleaningNs = 1'000'000'000;
/// At least so long is given to the start, however short the timeout for ranks is: it takes seconds on a busy machine
/// or by ssh.
constexpr int64_t startingNs = 10'000'000'000;

/// Whether a launcher of this kind started this process.
bool isLaunched() { return std::getenv(launchedVariable) != nullptr; }

/// Its number: from MPI, or, before that is initialised, from the environment.
int64_t ownNumber() {
  if (const ProcessGroup *world = ProcessGroup::joined())
    return world->process();
  std::optional<MpiJob> job = findMpiJob();
  return job ? job->process.value_or(0) : 0;
}

void writeStderr(const std::string &text) { writeAll(2, text); }

std::string markedLine(LineKind kind, std::string_view text) {
  return mark + std::to_string(ownNumber()) + static_cast<char>(kind) + std::string(text) + "\n";
}

// The launcher. Only these variables are written by signal handlers.

volatile std::sig_atomic_t signalsSeen = 0, lastSignal = 0, suspended = 0;

void keepSignal(int signal) {
  if (signal == SIGTSTP) {
    suspended = 1;
    return;
  }
  lastSignal = signal;
  signalsSeen = signalsSeen + 1;
}

/// While it lives, signals that stop or suspend a run are recorded, and interrupt poll(). A signal that was ignored
/// (nohup) stays ignored.
class SignalWatch {
public:
  SignalWatch() {
    struct sigaction action = {};
    action.sa_handler = keepSignal;
    for (size_t i = 0; i < numSignals; ++i) {
      ::sigaction(signals[i], nullptr, &before[i]);
      if (before[i].sa_handler != SIG_IGN)
        ::sigaction(signals[i], &action, nullptr);
    }
    ::signal(SIGPIPE, SIG_IGN); // mpirun may end while a signal is written to its pipe
  }
  ~SignalWatch() {
    for (size_t i = 0; i < numSignals; ++i)
      ::sigaction(signals[i], &before[i], nullptr);
    ::signal(SIGPIPE, SIG_DFL);
  }

private:
  static constexpr size_t numSignals = 4;
  static constexpr int signals[numSignals] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
  struct sigaction before[numSignals];
};

/// Splits MPICH's account of a failed process off from stdout: its mpirun writes it there, behind the output of the
/// processes.
class Banner {
public:
  // Returns the bytes of stdout that are the processes' own; told() collects the rest. The start of the banner may be
  // split over several reads, so bytes that match it are held back.
  std::string take(std::string_view part) {
    std::string own;
    for (char byte : part) {
      if (matched == start.size()) {
        rest += byte;
        continue;
      }
      if (byte != start[matched] && matched > 0) {
        own += start.substr(0, matched);
        matched = 0;
      }
      if (byte == start[matched])
        ++matched;
      else
        own += byte;
    }
    return own;
  }
  // At the end of the stream: bytes that were held back, but are no banner.
  std::string held() const { return std::string(matched < start.size() ? start.substr(0, matched) : ""); }
  const std::string &told() const { return rest; }

private:
  static constexpr std::string_view start =
      "===================================================================================\n=   BAD TERMINATION";
  size_t matched = 0;
  std::string rest; // behind the start of the banner
};

/// One run of mpirun: starts it, passes on output and signals, ends it after a failure, and finds the one error to
/// report.
class Launcher {
public:
  Launcher(const Launch &launch, const Manifest &manifest)
      : launch(launch), row(rowOf(launch.library)), processes(manifest, launch.processes, launch.patience) {}

  int run() {
    SignalWatch watch;
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // orphans of a killed mpirun become children of this process
    const std::set<pid_t> before = children();
    start();
    follow();
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
      continue;
    processes.end();
    if (endedSince)
      endOrphans(before);
    // By threads this program would have ended by SIGPIPE itself.
    return isUnread() ? int(codeOfSignal(SIGPIPE)) : tell(status);
  }

private:
  // mpirun with this program and its arguments. Variables go by `env`, because each MPI passes on variables in another
  // way.
  std::vector<std::string> command() const {
    std::vector<std::string> words{*launcherOf(launch.library), "-n", std::to_string(launch.processes)};
    if (launch.library == MpiLibrary::OpenMpi) {
      // There may be more ranks than cores, and a rank has several threads: mpirun must neither refuse nor bind.
      words.insert(words.end(), {"--oversubscribe", "--bind-to", "none"});
      if (::geteuid() == 0)
        words.push_back("--allow-run-as-root");
    }
    if (!launch.hostfile.empty())
      words.insert(words.end(), {row.hostfile, launch.hostfile});
    words.insert(words.end(),
                 {"env", std::string(folderVariable) + "=" + processes.folder(),
                  std::string(linkVariable) + "=" + processes.address(),
                  std::string(launchedVariable) + "=" + (::isatty(1) ? toTerminal : toFile),
                  std::string(modelVariable) + "=" + launch.model, std::string(moduleVariable) + "=" + launch.module,
                  std::filesystem::read_symlink("/proc/self/exe").string()});
    words.insert(words.end(), launch.arguments.begin(), launch.arguments.end());
    return words;
  }

  // Forks mpirun with pipes at its stdin, stdout and stderr.
  void start() {
    std::vector<std::string> words = command();
    std::vector<char *> argv;
    for (std::string &word : words)
      argv.push_back(word.data());
    argv.push_back(nullptr);
    int in[2], out[2], err[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
      throw Error(Internal, "", std::string("no pipe: ") + std::strerror(errno));
    child = ::fork();
    if (child == 0) {
      ::setpgid(0, 0); // a terminal's Ctrl-C is for this program alone
      // No mpirun outlives a launcher that is killed.
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::signal(SIGPIPE, SIG_DFL);
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      ::dup2(err[1], 2);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    toFirst = in[1];
    fromFirst = out[0];
    fromAll = err[0];
    if (child < 0)
      throw Error(Internal, "", "'" + words[0] + "' cannot be started: " + std::strerror(errno));
  }

  // Passes on both streams until they end, and looks at processes and signals every 20 ms.
  void follow() {
    pollfd streams[2] = {{fromFirst, POLLIN, 0}, {fromAll, POLLIN, 0}};
    const int64_t begin = Trace::now();
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
      passSignals();
      suspendAll();
      processes.look();
      // MPICH's mpirun waits without limit for a machine that it cannot reach.
      bool late = !started && launch.patience > 0 &&
                  Trace::now() - begin > std::max(startingNs, static_cast<int64_t>(launch.patience * 1e9));
      tookTooLong |= late;
      if (late || isUnread() || processes.mustEnd())
        endAll();
      if (::poll(streams, 2, 20) <= 0) {
        if (mpirunKilled) // Its children, such as ssh, may keep the streams open.
          break;
        continue;
      }
      for (pollfd &stream : streams) {
        char text[4096];
        ssize_t size = stream.revents ? ::read(stream.fd, text, sizeof(text)) : -1;
        if (size == 0)
          stream.fd = -1;
        else if (size > 0 && stream.fd == fromAll)
          take({text, static_cast<size_t>(size)});
        else if (size > 0)
          pass(banner.take({text, static_cast<size_t>(size)}));
      }
    }
    pass(banner.held());
    if (!rest.empty())
      takeLine(rest);
  }

  // Writes to stdout. An error is kept and reported at the end, as in a run by threads, which goes on too.
  void pass(const std::string &text) {
    if (!writeAll(1, text) && !lostOutput)
      lostOutput = errno;
  }
  // Whether the reader of stdout has gone.
  bool isUnread() const { return lostOutput == EPIPE; }

  // The first signal goes to the first process, which saves and ends in order. A second one ends all.
  void passSignals() {
    if (signalsSeen > 0 && signalsPassed == 0) {
      char number = static_cast<char>(lastSignal);
      [[maybe_unused]] ssize_t ignored = ::write(toFirst, &number, 1);
      signalsPassed = 1;
    }
    if (signalsSeen > 1 && signalsPassed == 1) {
      ::kill(child, SIGTERM);
      signalsPassed = 2;
    }
  }

  // Kills the processes. mpirun cleans up after them, so it is killed only if it then does not end in time.
  void endAll() {
    processes.kill();
    endedSince = endedSince ? endedSince : Trace::now();
    if (!started || Trace::now() - endedSince > cleaningNs)
      mpirunKilled = ::kill(-child, SIGKILL) == 0;
  }

  static std::set<pid_t> children() {
    std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
    return {std::istream_iterator<pid_t>(file), {}};
  }

  // Kills what a killed mpirun has left. A shell may have given this program children of its own, `before`.
  static void endOrphans(const std::set<pid_t> &before) {
    for (pid_t orphan : children())
      if (!before.contains(orphan))
        ::kill(orphan, SIGKILL);
  }

  // Ctrl-Z: mpirun and the processes are in groups of their own, which the shell does not suspend.
  void suspendAll() {
    if (!suspended)
      return;
    suspended = 0;
    ::kill(-child, SIGSTOP);
    processes.signal(SIGSTOP);
    ::raise(SIGSTOP); // returns when this program is continued
    processes.signal(SIGCONT);
    ::kill(-child, SIGCONT);
  }

  // Splits stderr into lines.
  void take(std::string_view text) {
    rest += text;
    for (size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
      takeLine(rest.substr(0, end));
  }

  // Takes a line of stderr: mpirun's own, or of one process.
  void takeLine(const std::string &line) {
    int64_t number = 0;
    size_t begin = line.find(mark);
    if (begin == std::string::npos) {
      others.push_back(line);
      return;
    }
    const char *end = line.data() + line.size();
    auto [after, error] = std::from_chars(line.data() + begin + 1, end, number);
    if (error != std::errc() || after == end)
      return;
    std::string_view text(after + 1, static_cast<size_t>(end - after - 1));
    switch (*after) {
    case Started: started = true; break;
    case Code:
      // The first process that fails is the one whose error the user sees: others only follow.
      if (!speaker)
        speaker = number;
      if (!exitCode) {
        exitCode = 0;
        std::from_chars(text.data(), text.data() + text.size(), *exitCode);
      }
      break;
    default:
      // Only the first process warns. A text of any other one is an error.
      if (number != 0 && !speaker)
        speaker = number;
      if (number == speaker.value_or(number) && !exitCode)
        writeStderr(std::string(text) + "\n");
    }
  }

  // The exit code of the run, or its error. The order of cases is from the best evidence to the weakest: reported,
  // failed without its message getting through, stopped, ended well, ended by the user, lost.
  int tell(int status) {
    if (exitCode)
      return *exitCode;
    if (const FlightRecorder *failed = processes.failed()) { // mpirun has not passed on its message
      writeStderr(failed->error());
      return *failed->exitCode();
    }
    if (std::optional<Error> error = processes.stopped())
      throw *error;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && signalsPassed < 2) {
      for (const std::string &line : others)
        writeStderr(line + "\n");
      if (lostOutput)
        throw unwrittenStdout(lostOutput);
      return Done;
    }
    if (signalsSeen > 0) { // nothing to save: end by the signal, as a run by threads does
      processes.removeFolder();
      ::signal(static_cast<int>(lastSignal), SIG_DFL);
      ::raise(static_cast<int>(lastSignal));
    }
    const std::string program = std::filesystem::path(*launcherOf(launch.library)).filename();
    std::string account = banner.told();
    for (const std::string &line : others)
      account += line + "\n";
    if (WIFSIGNALED(status) && !endedSince)
      throw Error(PeerLost, "", "'" + program + "' was ended by signal " + std::to_string(WTERMSIG(status)));
    if (std::optional<Error> error = processes.lost(account))
      throw *error;
    Error error = started ? Error(PeerLost, "", "a process was lost: '" + program + "' tells what it knows")
                          : Error(BadInput, "",
                                  "'" + program + "' could not start " + std::to_string(launch.processes) +
                                      " processes" + (tookTooLong ? " in time" : ""));
    addNotes(error, account);
    throw error;
  }

  // Adds each line of mpirun's account as a note, without its frame.
  static void addNotes(Error &error, const std::string &account) {
    constexpr const char *frame = "-= \r";
    for (size_t begin = 0; begin < account.size();) {
      size_t end = std::min(account.find('\n', begin), account.size());
      std::string line = account.substr(begin, end - begin);
      begin = end + 1;
      if (size_t first = line.find_first_not_of(frame); first != std::string::npos)
        error.note(line.substr(first, line.find_last_not_of(frame) + 1 - first));
    }
  }

  const Launch &launch;
  const MpiLibraryRow &row;
  pid_t child = -1;
  int toFirst = -1, fromFirst = -1, fromAll = -1, signalsPassed = 0;
  int64_t endedSince = 0; // when this program began to end all; 0: it has not
  bool mpirunKilled = false, tookTooLong = false;
  int lostOutput = 0; // errno of a failed write to stdout, for example because its reader has gone; 0: none
  LaunchedProcesses processes;
  Banner banner;
  std::string rest;                // an unfinished line of stderr
  std::vector<std::string> others; // mpirun's lines
  bool started = false;            // a process has started
  std::optional<int64_t> speaker;  // the process whose error is printed
  std::optional<int> exitCode;
};

/// Raises in this process the signals that the launcher writes to its stdin, one byte each.
void raiseWhatComes() {
  for (char number = 0;;) {
    ssize_t size = ::read(0, &number, 1);
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      return;
    ::kill(::getpid(), number);
  }
}

} // namespace

int launch(const Launch &request, const Manifest &manifest) { return Launcher(request, manifest).run(); }

void writeForLauncher(const std::string &text) {
  if (!isLaunched())
    return writeStderr(text);
  std::string marked;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    marked += markedLine(Text, std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  writeStderr(marked);
}

void greetLauncher() {
  if (!isLaunched())
    return;
  // From now on errors of any library go through the launcher.
  setErrorSink(writeForLauncher);
  const char *folder = std::getenv(folderVariable), *link = std::getenv(linkVariable);
  if (folder && !FlightRecorder::open(folder, ownNumber()) && link)
    supervise(link, ownNumber());
  writeStderr(markedLine(Started, ""));
}

void failLauncher(const std::string &text, int exitCode) {
  if (FlightRecorder *flight = FlightRecorder::here())
    flight->saveError(exitCode, text);
  writeForLauncher(text);
  if (isLaunched())
    writeStderr(markedLine(Code, std::to_string(exitCode)));
}

void leaveLauncher() {
  if (FlightRecorder *flight = FlightRecorder::here())
    flight->saveEnd();
}

std::string moduleOfLauncher(const std::string &model) {
  const char *from = std::getenv(modelVariable), *module = std::getenv(moduleVariable);
  return isLaunched() && from && from == model && module && ::access(module, R_OK) == 0 ? module : "";
}

bool writesToTerminal() {
  // A launched process cannot see it: Open MPI gives it a terminal in any case, and MPICH a pipe.
  if (const char *launched = std::getenv(launchedVariable))
    return std::string_view(launched) == toTerminal;
  return !findMpiJob() && ::isatty(1);
}

void followLauncher() {
  const ProcessGroup *world = ProcessGroup::joined();
  if (!world->leads()) {
    // All processes compute the same results, and only one prints them.
    if (int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
      ::dup2(nowhere, 1);
  } else if (isLaunched()) {
    std::thread(raiseWhatComes).detach();
  }
}

} // namespace plc::runtime
