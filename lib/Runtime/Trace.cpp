#include "Trace.h"

#include "Files.h"

#include <algorithm>
#include <limits>
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
  if (event.turns)
    arguments["turns"] = event.turns;
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

void writeTraceFile(const std::string &file, const std::vector<TraceTrack> &tracks) {
  int64_t start = std::numeric_limits<int64_t>::max();
  for (const TraceTrack &track : tracks)
    for (const Trace::Event &event : track.trace->events())
      start = std::min(start, event.begin);
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  const char *separator = "\n";
  auto write = [&](const json &event) {
    text += separator + event.dump();
    separator = ",\n";
  };
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
  writeFile(file, text + "\n]}\n");
}

} // namespace plc::runtime
