//===- Format.cpp - figures for people --------------------------------------===//
#include "plc/Planner/Format.h"

#include <cstdio>

static std::string format(const char *form, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), form, value);
  return text;
}

std::string plc::planner::formatNs(int64_t ns) {
  if (ns < 10'000)
    return std::to_string(ns) + " ns";
  return ns < 10'000'000 ? format("%.1f us", double(ns) / 1e3) : format("%.1f ms", double(ns) / 1e6);
}

std::string plc::planner::formatPart(int64_t part, int64_t whole) {
  return format("%.1f %%", whole ? 100 * double(part) / double(whole) : 0);
}

std::string plc::planner::formatMissing(int64_t needed, int64_t limit) {
  return ": " + std::to_string(needed - limit) + " bytes are missing";
}
