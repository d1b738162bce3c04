#include "StepExchange.h"

namespace plc::runtime {

void StepExchange::reset() {
  arrived = 0;
  gradient = GradientNorm();
}

bool StepExchange::combine(const std::map<std::string, double> &sumsOfSquares, double &norm) {
  std::unique_lock lock(mutex);
  for (auto &[path, sum] : sumsOfSquares)
    gradient.add(path, sum);
  if (++arrived == numRanks)
    changed.notify_all();
  changed.wait(lock, [&] { return arrived == numRanks || stop.load(); });
  norm = gradient.norm();
  return arrived == numRanks;
}

void StepExchange::wakeAll() {
  std::lock_guard lock(mutex);
  changed.notify_all();
}

} // namespace plc::runtime
