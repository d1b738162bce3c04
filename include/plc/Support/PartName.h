//===- PartName.h - parameters of which each rank has a part ----*- C++ -*-===//
#ifndef PLC_SUPPORT_PARTNAME_H
#define PLC_SUPPORT_PARTNAME_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plc {

/// One of equal parts of a parameter along one axis, which a program has in place of the whole (`parallelism.shard`). To
/// who reads and writes parameters there is the whole alone: its path, its shape, its initial values.
struct PartName {
  std::string_view path; ///< of the whole; points into the parsed text
  int64_t axis = 0, part = 0, parts = 1;
};

/// "part(ffn.0.w1, axis 1, 0 of 2)", which `parsePartName` reads.
inline std::string partName(const PartName &name) {
  return "part(" + std::string(name.path) + ", axis " + std::to_string(name.axis) + ", " + std::to_string(name.part) +
         " of " + std::to_string(name.parts) + ")";
}

/// None of a name that is a whole parameter's.
inline std::optional<PartName> parsePartName(std::string_view text) {
  if (!text.starts_with("part(") || !text.ends_with(")"))
    return std::nullopt;
  // Numbers from the end, because only a path may hold what separates them.
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

/// The path of a parameter, be the name its own or that of a part of it.
inline std::string_view wholeOf(std::string_view name) {
  std::optional<PartName> part = parsePartName(name);
  return part ? part->path : name;
}

} // namespace plc

#endif
