// Refuses calls of two threads at once, and calls of a forked child.
#ifndef PLC_LIB_RUNTIME_EXECUTE_MODULEUSE_H
#define PLC_LIB_RUNTIME_EXECUTE_MODULEUSE_H

#include "plc/Runtime/Base/Engine.h"

#include <atomic>
#include <unistd.h>

namespace plc::runtime {

/// Guards a module that one thread at a time may use. It stores process ids, not flags: a child that is forked during a
/// call inherits the memory, and must not take that call for one of its own.
class ModuleUse {
public:
  /// The scope of one call. Any thread may make the next one. Acquire and release order the memory of two calls by
  /// different threads.
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

  /// To be called when the module starts threads. A forked child does not have them.
  void startThreads() { threadsOf.store(::getpid(), std::memory_order_relaxed); }
  /// Whether a process from which this one was forked runs the module or has its threads.
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
