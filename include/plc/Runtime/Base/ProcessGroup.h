// The processes that run a module together, whatever carries their messages.
#ifndef PLC_RUNTIME_BASE_PROCESSGROUP_H
#define PLC_RUNTIME_BASE_PROCESSGROUP_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plc::runtime {

/// All processes of a run. There is one group per program, which all modules and sessions share. A transport between
/// processes brings one (a row of plc/Support/Transports.def). All processes call the collective members alike, from
/// the thread that runs sessions, between runs. These throw Error (exit code 4) if a peer is lost.
class ProcessGroup {
public:
  virtual ~ProcessGroup() = default;
  ProcessGroup(const ProcessGroup &) = delete;

  /// The group that this process has joined, or nullptr.
  static ProcessGroup *joined();
  /// The process that executes a rank. Of P processes the p-th has ranks p R / P to below (p + 1) R / P. With fewer
  /// ranks than processes, the first ones have one each.
  static int64_t processOf(size_t rank, size_t ranks, int64_t processes);

  int64_t process() const { return number; }
  int64_t count() const { return processes; }
  /// The first process alone prints and writes what all of them compute.
  bool leads() const { return number == 0; }
  /// Processes that may run on the same CPUs of this machine, this one included.
  int64_t onTheseCpus() const { return sharers; }

  /// Collective: afterwards all processes have the bytes of process `root`.
  virtual void broadcast(int64_t root, void *data, size_t bytes) = 0;
  /// Collective: the value of each process, in their order.
  std::vector<int64_t> gather(int64_t value);
  /// Collective: the text of each, cut to 255 bytes.
  std::vector<std::string> gather(const std::string &text);
  /// Collective: the text of each, of any length.
  std::vector<std::string> collect(const std::string &text);
  /// Collective: nanoseconds that this process's Trace::now() is ahead of the first one's; 0 if they may be one clock.
  int64_t clockAhead();
  /// Collective. Throws Error (exit code 1, at `file`, with both values) if a process has another value than the first.
  void compare(const std::string &file, const std::string &what, const std::string &value);

  /// For people: `process 1 on 'host'`.
  std::string nameOf(size_t process) const;

  /// Whether this program must call finish(), and no other library of the process does.
  virtual bool finishes() const = 0;
  /// Collective, and the last call: a process that ends without it has failed.
  virtual void finish() = 0;
  /// Ends all processes. Does not return if the group can end this one.
  virtual void abort(int exitCode) noexcept = 0;

protected:
  ProcessGroup() = default;
  static void enter(std::unique_ptr<ProcessGroup> group);
  /// Finds which processes share this machine and its CPUs. Collective; called by the constructor of a group.
  void findNeighbours();
  /// Collective: `bytes` of each process, in their order.
  virtual void gather(const void *data, void *all, int bytes) = 0;

  int64_t number = 0, processes = 1, sharers = 1;
  std::vector<std::string> hosts; // by process
};

} // namespace plc::runtime

#endif
