// Shows how far a run is.
#ifndef PLC_LIB_COMMANDS_PROGRESS_H
#define PLC_LIB_COMMANDS_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace plc::runtime {

/// One line that is rewritten on a terminal, else a line every few seconds.
class Progress {
public:
  /// For steps first+1 .. last, each of `items` samples.
  Progress(int64_t first, int64_t last, int64_t items);
  ~Progress() { clear(); }

  void step(int64_t step, const std::string &loss);
  /// Ends the rewritten line, before anything else is printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  int64_t first, last, items;
  bool terminal;
  size_t shown = 0; // characters of the line on the terminal
  Clock::time_point start, printed;
};

} // namespace plc::runtime

#endif
