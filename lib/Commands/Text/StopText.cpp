// Finds stop strings across pieces.
#include "StopText.h"

#include <algorithm>

namespace plc::runtime {

std::string StopText::add(const std::string &piece) {
  if (isStopped)
    return "";
  kept += piece;
  // The first complete stop string, and the longest suffix that may become one.
  size_t end = std::string::npos, open = 0;
  for (const std::string &stop : stops) {
    end = std::min(end, kept.find(stop));
    for (size_t length = std::min(stop.size() - 1, kept.size()); length > open; --length)
      if (kept.ends_with(std::string_view(stop).substr(0, length)))
        open = length;
  }
  isStopped = end != std::string::npos;
  std::string shown = kept.substr(0, isStopped ? end : kept.size() - open);
  kept = isStopped ? "" : kept.substr(shown.size());
  return shown;
}

std::string StopText::rest() { return std::move(kept); }

} // namespace plc::runtime
