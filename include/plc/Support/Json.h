// Reads JSON that comes from outside, with the place of each error.
#ifndef PLC_SUPPORT_JSON_H
#define PLC_SUPPORT_JSON_H

#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace plc {

/// An error in a JSON text: "is not JSON", "has the number 1e999, which no type holds", or "nests values in more than
/// 256 levels".
struct JsonError : std::runtime_error {
  JsonError(const std::string &text, size_t offset) : std::runtime_error(text), offset(offset) {}
  size_t offset; ///< in bytes
};

/// Parses JSON. Throws JsonError; also passes on what `seen` throws, which the library calls for each value.
nlohmann::json parseJson(std::string_view text, const nlohmann::json::parser_callback_t &seen = nullptr);

} // namespace plc

#endif
