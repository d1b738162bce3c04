// The processes that a launcher has started, as it sees them by their flight recorders: on this machine by files, on others by
// supervisors.
#ifndef PLC_LIB_RUNTIME_PROCESSES_LAUNCHEDPROCESSES_H
#define PLC_LIB_RUNTIME_PROCESSES_LAUNCHEDPROCESSES_H

#include "FlightLink.h"
#include "plc/Runtime/Base/FlightRecorder.h"

namespace plc::runtime {

class LaunchedProcesses {
public:
  /// Makes a folder for flight recorders. Processes that are stopped for `patience` seconds hang, or for three if that is less; 0:
  /// none does.
  LaunchedProcesses(const Manifest &manifest, int64_t count, double patience);
  /// Removes it.
  ~LaunchedProcesses();
  /// Also before a signal ends this program.
  void removeFolder();
  LaunchedProcesses(const LaunchedProcesses &) = delete;

  const std::string &folder() const { return place; }
  /// For those on other machines.
  const std::string &address() const { return links.address(); }

  /// Now and then: sees who has come, failed, gone, or been stopped.
  void look();
  /// One has failed, gone or been stopped, and the others have had their time to end.
  bool mustEnd() const;
  /// Sends a signal to all on this machine.
  void signal(int number) const;
  /// Kills all.
  void kill();
  /// Of mpirun's end: ends those that do not end by themselves.
  void end();

  /// The first that was seen to fail, or nullptr.
  const FlightRecorder *failed() const;
  /// An error (exit code 5) if one was stopped for too long.
  std::optional<Error> stopped() const;
  /// An error (exit code 4) if one has gone without a word, before others were ended for its sake: where its ranks were.
  /// `account` is what mpirun says, which may know by what signal. One that was ended since nobody reads what it writes has an error of
  /// no text, with that signal's exit code.
  std::optional<Error> lost(const std::string &account) const;

private:
  struct Process {
    std::unique_ptr<FlightRecorder> flight; // nullptr: it has not come
    int end = -1;                           // of the pipe that ends with it
    std::string host;                       // another machine, or empty
    FlightReport report;                    // the last from there
    bool failed = false, gone = false, unreachable = false;
    bool hasCome() const { return flight || !host.empty(); }
    int64_t runsSince = 0; // when it was last seen not to be stopped
  };
  void openPipe(size_t number);
  void take(size_t number, int64_t now);
  void hear(FlightLinks::News &news, int64_t now);
  void lookAt(size_t number, int64_t now);
  void isOutOfReach(size_t number, int64_t now);
  void takeFailure(size_t number, int64_t now);
  void takeEnds(int64_t now);
  void ends(size_t number, int64_t now);
  void note(int64_t now) { trouble = trouble ? trouble : now; }
  std::string nameOf(size_t number) const;
  std::string patienceText() const;
  Error errorAt(int exitCode, size_t number, const std::string &text) const;

  const Manifest &manifest;
  const int64_t patienceNs; // with one that is stopped; 0: any
  std::string place;
  std::vector<Process> processes;
  FlightLinks links;
  int endings;                     // an epoll of all `end`: tells which ended first, however late it is asked
  int64_t looked = 0, trouble = 0; // when last; when the first has failed, gone or been stopped
  std::optional<size_t> firstFailed, firstGone, firstStopped;
};

} // namespace plc::runtime

#endif
