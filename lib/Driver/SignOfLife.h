//===- SignOfLife.h - a long compilation tells that it goes on --*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_SIGNOFLIFE_H
#define PLC_LIB_DRIVER_SIGNOFLIFE_H

#include "mlir/Pass/PassManager.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace plc::driver {

/// While it lives, tells on stderr which pass is at work: after ten seconds, or as many as PLC_PROGRESS in the environment
/// says, then after twice as many, and so on, yet every minute. A short compilation tells nothing.
class SignOfLife {
public:
  SignOfLife();
  ~SignOfLife();
  SignOfLife(const SignOfLife &) = delete;
  SignOfLife &operator=(const SignOfLife &) = delete;

  /// Has a pipeline say which of its passes is at work.
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
