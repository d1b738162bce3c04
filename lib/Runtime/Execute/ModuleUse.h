// Whether a thread may use a module now: calls of two threads at once, and of a forked child, are refused.
#ifndef PLC_LIB_RUNTIME_EXECUTE_MODULEUSE_H
#define PLC_LIB_RUNTIME_EXECUTE_MODULEUSE_H

#include "plc/Runtime/Base/Engine.h"

#include <atomic>
#include <unistd.h>

namespace plc::runtime {

/// The process that uses a module now, and the one that has its threads. Process ids, so that a child that is forked during a call
/// does not take the call for one of its own.
class ModuleUse {
public:
  /// One call, of one thread. Any thread may make the next one.
  class Call {
  public:
    /// Throws usageError if another call goes on, or if the module's threads are those of a parent process.
    Call(ModuleUse &use, const Engine &engine) : use(use) {
      pid_t caller = 0;
      if (use.isOfParent())
        throw usageError("module '" + engine.modelName() +
                         "' was opened before fork(), and its threads are the parent's: open the module in the child");
      if (!use.caller.compare_exchange_strong(caller, ::getpid(), std::memory_order_acquire))
        throw usageError("module '" + engine.modelName() +
                         "' is in use by another thread: wait until its call returns, or open the module once for each "
                         "thread");
    }
    ~Call() { use.caller.store(0, std::memory_order_release); }
    Call(const Call &) = delete;

  private:
    ModuleUse &use;
  };

  /// From now on the module has threads, which a forked child lacks.
  void startThreads() { threadsOf.store(::getpid(), std::memory_order_relaxed); }
  /// Another process, from which this one was forked, runs the module or has its threads.
  bool isOfParent() const { return isOther(threadsOf) || isOther(caller); }

private:
  static bool isOther(const std::atomic<pid_t> &process) {
    pid_t found = process.load(std::memory_order_relaxed);
    return found && found != ::getpid();
  }
  std::atomic<pid_t> caller{0}, threadsOf{0}; // 0: none
};

} // namespace plc::runtime

#endif
