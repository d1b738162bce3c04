// Cuts a text that comes in pieces before one of some strings.
#ifndef PLC_LIB_COMMANDS_STOPTEXT_H
#define PLC_LIB_COMMANDS_STOPTEXT_H

#include <string>
#include <vector>

namespace plc::runtime {

/// Shows a growing text up to the first stop string. Bytes that may begin a stop string are held back until more come.
class StopText {
public:
  explicit StopText(std::vector<std::string> stops) : stops(std::move(stops)) {}

  /// Adds a piece, and returns the bytes that may be shown now.
  std::string add(const std::string &piece);
  /// Whether a stop string has come: nothing more is shown.
  bool stopped() const { return isStopped; }
  /// The bytes held back, at the end of a text without a stop string.
  std::string rest();

private:
  std::vector<std::string> stops;
  std::string kept;
  bool isStopped = false;
};

} // namespace plc::runtime

#endif
