// What a process does just now, in a small file that survives it, for the launcher of several processes to read.
#ifndef PLC_RUNTIME_BASE_FLIGHTRECORDER_H
#define PLC_RUNTIME_BASE_FLIGHTRECORDER_H

#include "plc/Runtime/Base/ManifestChecks.h"

#include <atomic>
#include <memory>

namespace plc::runtime {

/// Of one rank: the action of the entry's table that it executes, and of a task's action the call. One number, so that
/// none is read together with another's half.
class alignas(64) RankFlight { // a cache line: ranks of a process write at the same time
public:
  void startEntry(size_t entry) { state.store(uint64_t(entry) << entryShift, std::memory_order_relaxed); }
  void startAction(size_t action) {
    uint64_t entry = state.load(std::memory_order_relaxed) >> entryShift;
    state.store(entry << entryShift | uint64_t(action + 1) << actionShift, std::memory_order_relaxed);
  }
  void startCall(size_t call) {
    uint64_t before = state.load(std::memory_order_relaxed) >> actionShift << actionShift;
    state.store(before | uint64_t(call + 1), std::memory_order_relaxed);
  }

  struct Place {
    size_t entry;
    std::optional<size_t> action, call;
  };
  Place place() const;

private:
  static constexpr int actionShift = 20, entryShift = 52; // bits of the call, and of both
  std::atomic<uint64_t> state{0};
};

/// The file of one process.
class FlightRecorder {
public:
  static constexpr size_t mostRanks = 1024;

  static const size_t numBytes;

  /// Makes the file of this process in the folder. From then on it writes to the folder's pipe `pipeOf`, as long as it lives. Returns
  /// false if it cannot, as on another machine than the launcher's.
  static bool open(const std::string &folder, int64_t process);
  static std::string pipeOf(const std::string &folder, int64_t process);
  /// One without a file, which this process and those that it makes share; nullptr if there is no memory.
  static std::unique_ptr<FlightRecorder> share();
  void setPid(int64_t pid);
  /// It is this process's from then on.
  static void keep(std::unique_ptr<FlightRecorder> shared);
  /// This process's, or nullptr.
  static FlightRecorder *here();
  /// One that is no process's, of what another's bytes() were; nullptr if they are none.
  static std::unique_ptr<FlightRecorder> copy(const std::byte *bytes);
  const std::byte *bytes() const;
  /// Takes over that of another process, whose file nobody needs any more; nullptr if there is none.
  static std::unique_ptr<FlightRecorder> take(const std::string &folder, int64_t process);
  ~FlightRecorder();

  void saveError(int exitCode, const std::string &text);
  void saveCheckpoint(const std::string &folder);
  /// The process ends as it should.
  void saveEnd();

  int64_t pid() const;
  /// Its exit code once it has failed, and what it told then.
  std::optional<int> exitCode() const;
  std::string error() const;
  bool ended() const;
  std::string checkpoint() const; // the last that it saved, or empty
  RankFlight &rank(size_t rank);

private:
  struct Contents;
  explicit FlightRecorder(Contents *contents) : contents(contents) {}
  static Contents *map(const std::string &folder, int64_t process, bool make);

  Contents *contents;
};

/// Where a rank is, for people: the places of a kernel's rule, or none, and a text: "rank 1, stage 's1', .."
std::pair<std::vector<std::string>, std::string> tellPlace(const Manifest &manifest, size_t rank,
                                                           const RankFlight::Place &place);

/// "rank 0, stage 's0', micro-batch 1, kernel 'k' of 'layer'"
std::string tellCall(const RankInfo &plan, size_t rank, const CallInfo &call, int64_t microBatch,
                     const KernelInfo &kernel);

} // namespace plc::runtime

#endif
