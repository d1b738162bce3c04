// The processes that a launcher started, as their flight recorders show them.
#ifndef PLC_LIB_RUNTIME_PROCESSES_LAUNCHEDPROCESSES_H
#define PLC_LIB_RUNTIME_PROCESSES_LAUNCHEDPROCESSES_H

#include "FlightLink.h"
#include "plc/Runtime/Base/FlightRecorder.h"

namespace plc::runtime {

/// The state of each process that a launcher started: not come, running, stopped, failed or gone. Processes on this
/// machine are read from their flight recorders in files, those on others through supervisors (FlightLinks). Keeps the
/// first process that failed, that went without a report, and that was stopped, because later ones only follow from it.
class LaunchedProcesses {
public:
  /// Makes a folder for flight recorders. A process hangs if it is stopped for `patience` seconds, or for three if that
  /// is less; 0: never.
  LaunchedProcesses(const Manifest &manifest, int64_t count, double patience);
  /// Removes the folder.
  ~LaunchedProcesses();
  /// Removes the folder; also called before a signal ends this program.
  void removeFolder();
  LaunchedProcesses(const LaunchedProcesses &) = delete;

  const std::string &folder() const { return scratch; }
  /// For supervisors on other machines (FlightLinks::address).
  const std::string &address() const { return links.address(); }

  /// Updates the state of all processes; never blocks. To be called often.
  void look();
  /// Whether one has failed, gone or been stopped, and the others have had time to end by themselves.
  bool mustEnd() const;
  /// Sends a signal to all processes on this machine.
  void signal(int number) const;
  /// Kills all: by signal here, by closing connections elsewhere.
  void kill();
  /// After mpirun has ended: kills the processes that do not end by themselves within a second.
  void end();

  /// The first process that reported an error; nullptr if there is none.
  const FlightRecorder *failed() const;
  /// An error (exit code 5) if a process was stopped for too long.
  std::optional<Error> stopped() const;
  /// An error (exit code 4) if a process went without a report, before others were ended because of it. It names where
  /// its ranks were. `account` is mpirun's output, which may have the signal. For a process that SIGPIPE ended, because
  /// the reader of its output had gone, the error has no text and that signal's exit code.
  std::optional<Error> lost(const std::string &account) const;

private:
  struct Process {
    std::unique_ptr<FlightRecorder> flight; // nullptr: it has not come
    int end = -1;                           // a pipe whose other end closes with the process
    std::string host;                       // of another machine; empty: this one
    FlightReport report;                    // the last one from another machine
    bool failed = false, gone = false, unreachable = false;
    bool hasCome() const { return flight || !host.empty(); }
    int64_t runsSince = 0; // when it was last seen running, not stopped
  };
  void openPipe(size_t number);
  /// Opens the recorder of a process that has come.
  void take(size_t number, int64_t now);
  void hear(FlightLinks::News &news, int64_t now);
  void lookAt(size_t number, int64_t now);
  void isOutOfReach(size_t number, int64_t now);
  void takeFailure(size_t number, int64_t now);
  void takeEnds(int64_t now);
  /// A process has gone; unless it reported its end or an error, that is a loss.
  void ends(size_t number, int64_t now);
  /// The time of grace begins with the first trouble.
  void note(int64_t now) { trouble = trouble ? trouble : now; }
  std::string nameOf(size_t number) const;
  std::string patienceText() const;
  Error errorAt(int exitCode, size_t number, const std::string &text) const;

  const Manifest &manifest;
  const int64_t patienceNs; // with a stopped process; 0: unlimited
  std::string scratch;
  std::vector<Process> processes;
  FlightLinks links;
  int endings;                     // an epoll of all `end`: reports the ends in their order, however late it is asked
  int64_t looked = 0, trouble = 0; // times of the last look and of the first failure, loss or stop
  std::optional<size_t> firstFailed, firstGone, firstStopped;
};

} // namespace plc::runtime

#endif
