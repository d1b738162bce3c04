//===- SignOfLife.h - progress lines of long compilations -------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_SIGNOFLIFE_H
#define PLC_LIB_DRIVER_SIGNOFLIFE_H

#include "mlir/Pass/PassManager.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace plc::driver {

/// While it lives, prints to stderr which pass is at work: after ten seconds, or as many as PLC_PROGRESS in the
/// environment says, and then whenever the time has doubled, but at least every minute. A short compilation prints
/// nothing.
class SignOfLife {
public:
  SignOfLife();
  ~SignOfLife();
  SignOfLife(const SignOfLife &) = delete;
  SignOfLife &operator=(const SignOfLife &) = delete;

  /// Makes a pipeline record which of its passes is at work.
  static void watch(mlir::PassManager &pipeline);

private:
  void run(double seconds);

  std::mutex mutex;
  std::condition_variable ends;
  bool hasEnded = false;
  std::thread thread;
};

} // namespace plc::driver

#endif
