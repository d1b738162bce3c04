// A number of things in words.
#ifndef PLC_SUPPORT_COUNTED_H
#define PLC_SUPPORT_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace plc {

/// "1 task", "3 tasks", "3 micro-batches".
inline std::string counted(int64_t number, std::string_view noun) {
  std::string text = std::to_string(number) + " " + std::string(noun);
  if (number != 1)
    text += noun.ends_with("ch") || noun.ends_with("sh") || noun.ends_with("s") || noun.ends_with("x") ? "es" : "s";
  return text;
}

} // namespace plc

#endif
