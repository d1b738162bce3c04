// What a rank did when, for `--trace`: a ring of events in memory.
#ifndef PLC_RUNTIME_BASE_TRACE_H
#define PLC_RUNTIME_BASE_TRACE_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace plc::runtime {

/// The newest events of one rank. Written by the rank's worker alone, and read after the run, so it needs no lock.
class Trace {
public:
  enum class Kind : uint8_t { Task, Kernel, Send, Wait, Step, Help }; // Help: chunks of another rank's kernel
  struct Event {
    Kind kind;
    int64_t microBatch;      // -1: once per step
    const std::string *name; // in the manifest
    int64_t begin, end;      // ns of the steady clock
    int64_t bytes = 0;       // read and written by a kernel; 0: not profiled
    int64_t iterations = 0;  // iterations of a loop
  };

  /// Allocates the ring at once; the newest `capacity` events are kept.
  explicit Trace(size_t capacity) : ring(capacity) {}

  /// Nanoseconds of the steady clock.
  static int64_t now() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }
  void add(const Event &event) { ring[count++ % ring.size()] = event; }

  /// The kept events, oldest first.
  std::vector<Event> events() const;
  /// The number of events that were overwritten.
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

/// When the first event of all tracks begins; nullopt if there is none.
std::optional<int64_t> firstEvent(const std::vector<TraceTrack> &tracks);
/// The events in JSON (Chrome's trace event format): a track for each rank, times in microseconds from `start`.
std::string traceEvents(const std::vector<TraceTrack> &tracks, int64_t start);

/// Writes {"traceEvents": [..]} of the texts of all processes. Throws fileError.
void writeTraceFile(const std::string &file, const std::vector<std::string> &events);
/// The same of one process, from its first event on.
void writeTraceFile(const std::string &file, const std::vector<TraceTrack> &tracks);

} // namespace plc::runtime

#endif
