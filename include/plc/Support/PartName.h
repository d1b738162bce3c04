//===- PartName.h - names of shards of parameters ---------------*- C++ -*-===//
#ifndef PLC_SUPPORT_PARTNAME_H
#define PLC_SUPPORT_PARTNAME_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plc {

/// A shard: one of equal slices of a parameter along one axis, which a program has instead of the whole
/// (`parallelism.shard`). Users see only the whole parameter: its path, shape and initial values.
struct PartName {
  std::string_view path; ///< of the whole; points into the parsed text
  int64_t axis = 0, part = 0, parts = 1;
};

/// "part(ffn.0.w1, axis 1, 0 of 2)", which `parsePartName` reads.
inline std::string partName(const PartName &name) {
  return "part(" + std::string(name.path) + ", axis " + std::to_string(name.axis) + ", " + std::to_string(name.part) +
         " of " + std::to_string(name.parts) + ")";
}

/// Nullopt for the name of a whole parameter.
inline std::optional<PartName> parsePartName(std::string_view text) {
  if (!text.starts_with("part(") || !text.ends_with(")"))
    return std::nullopt;
  // Numbers from the end, because a path may contain the separators too.
  text = text.substr(0, text.size() - 1);
  auto take = [&](std::string_view before) -> int64_t {
    size_t at = text.rfind(before);
    if (at == std::string_view::npos)
      return -1;
    int64_t number = 0;
    std::string_view digits = text.substr(at + before.size());
    if (digits.empty() || digits.size() > 9)
      return -1;
    for (char digit : digits) {
      if (digit < '0' || digit > '9')
        return -1;
      number = number * 10 + (digit - '0');
    }
    text = text.substr(0, at);
    return number;
  };
  PartName name;
  name.parts = take(" of ");
  name.part = take(", ");
  name.axis = take(", axis ");
  name.path = text.substr(std::string_view("part(").size());
  return name.axis < 0 || name.part < 0 || name.part >= name.parts ? std::nullopt : std::optional(name);
}

/// The path of the whole parameter, given its name or a shard's.
inline std::string_view wholeOf(std::string_view name) {
  std::optional<PartName> part = parsePartName(name);
  return part ? part->path : name;
}

} // namespace plc

#endif
