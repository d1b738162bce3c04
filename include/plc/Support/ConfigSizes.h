// Sizes of a model from the `config.json` of a checkpoint.
#ifndef PLC_SUPPORT_CONFIGSIZES_H
#define PLC_SUPPORT_CONFIGSIZES_H

#include <stdexcept>
#include <string>
#include <vector>

namespace plc {

/// A file, by its name for messages.
struct NamedText {
  std::string file, text;
};

/// An error in one of the files, and the location in the map that explains it.
struct ConfigError : std::runtime_error {
  ConfigError(std::string location, const std::string &text, std::string note = "")
      : std::runtime_error(text), location(std::move(location)), note(std::move(note)) {}
  std::string location, note; // FILE or FILE:LINE:COLUMN; may be empty
};

/// The sizes that a `config.json` sets by the tables `[sizes]` and `[constants]` of a map, which docs/running.md
/// describes. Each is as `-D` takes it: `NAME=SIZE`. Throws ConfigError if a table is malformed, or if the file lacks a
/// key, has a value that is no size, or has another constant than the map.
std::vector<std::string> readConfigSizes(const NamedText &config, const NamedText &map);

} // namespace plc

#endif
