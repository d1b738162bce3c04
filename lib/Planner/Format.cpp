//===- Format.cpp - figures for people --------------------------------------===//
#include "plc/Planner/Format.h"

#include <charconv>
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

static constexpr std::string_view beforeMissing = ": ", behindMissing = " bytes are missing";

std::string plc::planner::formatMissing(int64_t needed, int64_t limit) {
  return std::string(beforeMissing) + std::to_string(needed - limit) + std::string(behindMissing);
}

std::optional<int64_t> plc::planner::readMissing(std::string_view text) {
  size_t end = text.find(behindMissing), begin = text.rfind(beforeMissing, end);
  int64_t bytes = 0;
  if (end == std::string_view::npos || begin == std::string_view::npos)
    return std::nullopt;
  auto [at, error] = std::from_chars(text.data() + begin + beforeMissing.size(), text.data() + end, bytes);
  return error == std::errc() && at == text.data() + end ? std::optional(bytes) : std::nullopt;
}
