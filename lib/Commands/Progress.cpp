// Prints step, loss, rate and remaining time.
#include "Progress.h"

#include "plc/Runtime/Processes/Launch.h"

#include <cstdio>

namespace plc::runtime {

Progress::Progress(int64_t first, int64_t last, int64_t items)
    : first(first), last(last), items(items), terminal(writesToTerminal()), start(Clock::now()), printed(start) {}

void Progress::step(int64_t step, const std::string &loss) {
  Clock::time_point now = Clock::now();
  double sinceLine = std::chrono::duration<double>(now - printed).count();
  // The first and last step always; between them ten times a second on a terminal, else every three seconds.
  bool edge = step == first + 1 || step == last;
  if (!edge && sinceLine < (terminal ? 0.1 : 3))
    return;
  printed = now;
  double seconds = std::chrono::duration<double>(now - start).count();
  double perSecond = static_cast<double>(step - first) / (seconds > 0 ? seconds : 1e-9);
  auto left = static_cast<long long>(static_cast<double>(last - step) / perSecond);
  char line[160];
  int length = std::snprintf(line, sizeof(line), "step %lld/%lld  loss %s  %.1f items/s  %lld:%02lld left",
                             static_cast<long long>(step), static_cast<long long>(last), loss.c_str(),
                             perSecond * static_cast<double>(items), left / 60, left % 60);
  if (!terminal) {
    std::printf("%s\n", line);
  } else {
    std::printf("\r%s%*s", line, static_cast<int>(shown) > length ? static_cast<int>(shown) - length : 0, "");
    shown = static_cast<size_t>(length);
  }
  std::fflush(stdout);
}

void Progress::clear() {
  if (terminal && shown) {
    std::printf("\n");
    std::fflush(stdout);
  }
  shown = 0;
}

} // namespace plc::runtime
