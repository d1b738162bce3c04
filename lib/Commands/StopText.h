// Text that comes in pieces and ends before one of some strings.
#ifndef PLC_LIB_COMMANDS_STOPTEXT_H
#define PLC_LIB_COMMANDS_STOPTEXT_H

#include <string>
#include <vector>

namespace plc::runtime {

class StopText {
public:
  explicit StopText(std::vector<std::string> stops) : stops(std::move(stops)) {}

  /// Adds a piece and returns what may be shown now: nothing that could still be the beginning of a stop string.
  std::string add(const std::string &piece);
  /// A stop string has come: nothing more is shown.
  bool stopped() const { return isStopped; }
  /// What was kept back, at the end of a text that no stop string has ended.
  std::string rest();

private:
  std::vector<std::string> stops;
  std::string kept;
  bool isStopped = false;
};

} // namespace plc::runtime

#endif
