//===- Format.cpp - numbers as people read them ---------------------------===//
#include "plc/Planner/Base/Format.h"

#include "plc/Planner/Base/Status.h"
#include "plc/Support/ExitCodes.h"

#include <cstdio>

static std::string format(const char *form, double value) {
  char text[32];
  std::snprintf(text, sizeof(text), form, value);
  return text;
}

std::string plc::planner::formatNs(int64_t ns) {
  // A unit changes at ten thousand of it, so that at least two digits before the point remain.
  if (ns < 10'000)
    return std::to_string(ns) + " ns";
  return ns < 10'000'000 ? format("%.1f us", double(ns) / 1e3) : format("%.1f ms", double(ns) / 1e6);
}

std::string plc::planner::formatBytes(int64_t bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = double(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return format(unit ? "%.1f " : "%.0f ", value) + units[unit];
}

std::string plc::planner::formatPart(int64_t part, int64_t whole) {
  return format("%.1f %%", whole ? 100 * double(part) / double(whole) : 0);
}

// Exact, because the rounded numbers before it may look equal.
std::string plc::planner::formatShortfall(int64_t needed, int64_t limit) {
  return ": " + std::to_string(needed - limit) + " bytes are missing";
}

plc::planner::Reason plc::planner::noPlanFits(const std::string &why) {
  return Reason(plc::noPlanPrefix + why, /*isNoPlan=*/true);
}
