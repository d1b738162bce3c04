#include "Trace.h"

#include "plc/Runtime/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
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

constexpr const char *kindNames[] = {"task", "kernel", "send", "wait", "step"};

json eventOf(const Trace::Event &event, const TraceTrack &track, int64_t start) {
  json arguments{{"micro_batch", event.microBatch}, {"entry", track.entry}};
  if (event.bytes)
    arguments["bytes"] = event.bytes;
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
  std::FILE *out = std::fopen(file.c_str(), "w");
  if (!out)
    throw fileError(file, std::string("cannot be written: ") + std::strerror(errno));
  bool good = std::fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", out) >= 0;
  const char *separator = "\n";
  auto write = [&](const json &event) {
    good &= std::fprintf(out, "%s%s", separator, event.dump().c_str()) >= 0;
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
  good &= std::fputs("\n]}\n", out) >= 0;
  good &= std::fclose(out) == 0;
  if (!good) {
    std::string reason = std::strerror(errno);
    std::remove(file.c_str());
    throw fileError(file, "cannot be written: " + reason);
  }
}

} // namespace plc::runtime
