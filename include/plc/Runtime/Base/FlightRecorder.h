// The position of a process in its plan, in memory that survives it.
#ifndef PLC_RUNTIME_BASE_FLIGHTRECORDER_H
#define PLC_RUNTIME_BASE_FLIGHTRECORDER_H

#include "plc/Runtime/Base/ManifestChecks.h"

#include <atomic>
#include <memory>

namespace plc::runtime {

/// The position of one rank: the action of the entry's table that it executes and, within a task, the call. One number,
/// so that a reader never sees halves of two positions.
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

  struct Position {
    size_t entry;
    std::optional<size_t> action, call;
  };
  Position position() const;

private:
  static constexpr int actionShift = 20, entryShift = 52; // bits below: of the call; of call and action
  std::atomic<uint64_t> state{0};
};

/// The positions of a process's ranks, its error and its last checkpoint, in a small shared mapping. A launcher reads
/// it when the process has been killed. Every process that a launcher starts has one; a lone process has none.
class FlightRecorder {
public:
  /// Ranks beyond this share the last slot.
  static constexpr size_t mostRanks = 1024;

  static const size_t numBytes;

  /// Makes the file of this process in the folder. While the process lives it holds the folder's pipe `pipeOf` open for
  /// writing, so the launcher sees its end. Returns false if there is no such folder, as on another machine.
  static bool open(const std::string &folder, int64_t process);
  static std::string pipeOf(const std::string &folder, int64_t process);
  /// A recorder without a file, which this process shares with its children; nullptr if there is no memory.
  static std::unique_ptr<FlightRecorder> share();
  void setPid(int64_t pid);
  /// Makes it this process's recorder.
  static void keep(std::unique_ptr<FlightRecorder> shared);
  /// This process's recorder, or nullptr.
  static FlightRecorder *here();
  /// A recorder with the bytes() of another one; nullptr if they are not valid.
  static std::unique_ptr<FlightRecorder> copy(const std::byte *bytes);
  const std::byte *bytes() const;
  /// Takes over the recorder of another process, and removes its file; nullptr if there is none yet.
  static std::unique_ptr<FlightRecorder> take(const std::string &folder, int64_t process);
  ~FlightRecorder();

  /// For the launcher: the process fails with this exit code and text.
  void saveError(int exitCode, const std::string &text);
  void saveCheckpoint(const std::string &folder);
  /// The process ends in order.
  void saveEnd();

  int64_t pid() const;
  /// The exit code of saveError; nullopt if it was not called.
  std::optional<int> exitCode() const;
  std::string error() const;
  bool ended() const;
  std::string checkpoint() const; // the last one saved, or empty
  RankFlight &rank(size_t rank);

private:
  struct Contents;
  explicit FlightRecorder(Contents *contents) : contents(contents) {}
  static Contents *map(const std::string &folder, int64_t process, bool make);

  Contents *contents;
};

/// A position as text: the source lines of the kernel's rule, or none, and "rank 1, stage 's1', ..".
std::pair<std::vector<std::string>, std::string> describePosition(const Manifest &manifest, size_t rank,
                                                                  const RankFlight::Position &position);

/// "rank 0, stage 's0', micro-batch 1, kernel 'k' of 'layer'"
std::string describeCall(const RankInfo &plan, size_t rank, const CallInfo &call, int64_t microBatch,
                         const KernelInfo &kernel);

} // namespace plc::runtime

#endif
