//===- SignOfLife.cpp - progress lines of long compilations ---------------===//
#include "SignOfLife.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using plc::driver::SignOfLife;

namespace {

// The name of the pass at work, a literal; null between passes. The printing thread reads it without a lock.
std::atomic<const char *> passAtWork = nullptr;

class Watch : public PassInstrumentation {
  void runBeforePass(Pass *pass, Operation *) override { passAtWork = pass->getArgument().data(); }
  void runAfterPass(Pass *, Operation *) override { passAtWork = nullptr; }
  void runAfterPassFailed(Pass *, Operation *) override { passAtWork = nullptr; }
};

double firstAfter() {
  // Most compilations end sooner, and a user waits about so long without a sign. Not tuned.
  double seconds = 10;
  if (const char *given = std::getenv("PLC_PROGRESS"))
    if (double read = 0; llvm::to_float(given, read) && read > 0)
      seconds = read;
  return seconds;
}

} // namespace

SignOfLife::SignOfLife() : thread([this] { run(firstAfter()); }) {}

SignOfLife::~SignOfLife() {
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ends.notify_all();
  thread.join();
}

void SignOfLife::watch(PassManager &pipeline) { pipeline.addInstrumentation(std::make_unique<Watch>()); }

void SignOfLife::run(double seconds) {
  // Seconds. Above `never`, more than a day, the clock's own count could overflow.
  constexpr double longest = 60, never = 1e5;
  double passed = 0;
  std::unique_lock lock(mutex);
  for (double pause = seconds;; pause = std::min(passed, std::max(longest, seconds))) {
    if (ends.wait_for(lock, std::chrono::duration<double>(std::min(pause, never)), [&] { return hasEnded; }))
      return;
    passed += pause;
    const char *pass = passAtWork;
    std::string line = llvm::formatv("plc-compile: still compiling after {0:F0} s", passed);
    line += pass && *pass ? std::string(": pass '") + pass + "'\n" : "\n";
    // One write, past the stream that another thread uses. An error is ignored: a closed stderr has no reader.
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }
}
