// What a rank did when, for `--trace`: a ring of events in memory, written as Chrome trace events after the run.
#ifndef PLC_RUNTIME_BASE_TRACE_H
#define PLC_RUNTIME_BASE_TRACE_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

class Trace {
public:
  enum class Kind : uint8_t { Task, Kernel, Send, Wait, Step, Help }; // Help: chunks of another rank's kernel
  struct Event {
    Kind kind;
    int64_t microBatch;      // -1: once per step
    const std::string *name; // of the manifest
    int64_t begin, end;      // ns of the steady clock
    int64_t bytes = 0;       // that a kernel reads and writes; 0: not profiled
    int64_t turns = 0;       // of a loop's kernel
  };

  /// Allocates the ring at once; the newest `capacity` events are kept.
  explicit Trace(size_t capacity) : ring(capacity) {}

  static int64_t now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }
  void add(const Event &event) { ring[count++ % ring.size()] = event; }

  /// The kept events, oldest first.
  std::vector<Event> events() const;
  /// How many were overwritten.
  size_t lost() const { return count > ring.size() ? count - ring.size() : 0; }

private:
  std::vector<Event> ring;
  size_t count = 0;
};

/// One rank of one entry, as a trace file shows it.
struct TraceTrack {
  std::string entry, stage;
  int64_t rank;
  const Trace *trace;
};

/// When the first event begins.
std::optional<int64_t> firstEvent(const std::vector<TraceTrack> &tracks);
/// The events in JSON: a track per rank, times in microseconds from `start`.
std::string traceEvents(const std::vector<TraceTrack> &tracks, int64_t start);

/// Writes {"traceEvents": [..]}, from such texts of each process. Throws fileError.
void writeTraceFile(const std::string &file, const std::vector<std::string> &events);
/// Of one process, from the first event on.
void writeTraceFile(const std::string &file, const std::vector<TraceTrack> &tracks);

} // namespace plc::runtime

#endif
