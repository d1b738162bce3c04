// How far a run is: one rewritten line on a terminal, else a plain line every few seconds.
#ifndef PLC_LIB_COMMANDS_PROGRESS_H
#define PLC_LIB_COMMANDS_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace plc::runtime {

class Progress {
public:
  /// Steps first+1 .. last are to come, each of `items` samples.
  Progress(int64_t first, int64_t last, int64_t items);
  ~Progress() { clear(); }

  void step(int64_t step, const std::string &loss);
  /// Ends the rewritten line, before anything else is printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  int64_t first, last, items;
  bool terminal;
  size_t shown = 0; // characters of the rewritten line
  Clock::time_point start, printed;
};

} // namespace plc::runtime

#endif
