// Writes traces as JSON for chrome://tracing and Perfetto.
#include "plc/Runtime/Base/Trace.h"

#include "plc/Runtime/Base/Files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace plc::runtime {

std::vector<Trace::Event> Trace::events() const {
  std::vector<Event> kept;
  for (size_t i = lost(); i < count; ++i)
    kept.push_back(ring[i % ring.size()]);
  return kept;
}

namespace {

using nlohmann::json;

constexpr const char *kindNames[] = {"task", "kernel", "send", "wait", "step", "help"};

json eventOf(const Trace::Event &event, const TraceTrack &track, int64_t start) {
  json arguments{{"micro_batch", event.microBatch}, {"entry", track.entry}};
  if (event.bytes)
    arguments["bytes"] = event.bytes;
  if (event.iterations)
    arguments["iterations"] = event.iterations;
  return {{"name", *event.name},
          {"cat", kindNames[static_cast<size_t>(event.kind)]},
          {"ph", "X"},
          {"ts", static_cast<double>(event.begin - start) / 1e3},
          {"dur", static_cast<double>(event.end - event.begin) / 1e3},
          {"pid", 0},
          {"tid", track.rank},
          {"args", std::move(arguments)}};
}

} // namespace

std::optional<int64_t> firstEvent(const std::vector<TraceTrack> &tracks) {
  std::optional<int64_t> first;
  for (const TraceTrack &track : tracks)
    for (const Trace::Event &event : track.trace->events())
      first = std::min(first.value_or(event.begin), event.begin);
  return first;
}

std::string traceEvents(const std::vector<TraceTrack> &tracks, int64_t start) {
  std::string text;
  auto write = [&](const json &event) { text += (text.empty() ? "" : ",\n") + event.dump(); };
  std::set<int64_t> named;
  for (const TraceTrack &track : tracks) {
    if (named.insert(track.rank).second)
      write({{"name", "thread_name"},
             {"ph", "M"},
             {"pid", 0},
             {"tid", track.rank},
             {"args", {{"name", "rank " + std::to_string(track.rank) + ", " + track.stage}}}});
    for (const Trace::Event &event : track.trace->events())
      write(eventOf(event, track, start));
  }
  return text;
}

void writeTraceFile(const std::string &file, const std::vector<std::string> &events) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char *separator = "\n";
  for (const std::string &part : events)
    if (!part.empty()) {
      text += separator + part;
      separator = ",\n";
    }
  writeFile(file, text + "\n]}\n");
}

void writeTraceFile(const std::string &file, const std::vector<TraceTrack> &tracks) {
  writeTraceFile(file, std::vector{traceEvents(tracks, firstEvent(tracks).value_or(0))});
}

} // namespace plc::runtime
