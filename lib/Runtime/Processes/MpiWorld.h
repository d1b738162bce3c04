// The process group of MPI.
#ifndef PLC_LIB_RUNTIME_PROCESSES_MPIWORLD_H
#define PLC_LIB_RUNTIME_PROCESSES_MPIWORLD_H

#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Processes/MpiLibraries.h"
#include "plc/Runtime/Processes/MpiPlugin.h"

#include <mutex>
#include <string>

namespace plc::runtime {

/// MPI is joined once for each program, by a plug-in of the library.
class MpiWorld final : public ProcessGroup {
public:
  /// Loads the plug-in of the library whose job this process is in, or else the first that there is, and initialises
  /// MPI, when it is first called. Throws usageError if there is none.
  static MpiWorld &join();

  int64_t largestTag() const { return tagLimit; }
  plc_mpi_handle communicator() const { return world; }

  void broadcast(int64_t root, void *data, size_t bytes) override;

  /// Calls a function of the plug-in, one thread at a time. Throws Error (exit code 4) if it fails: a peer is lost.
  template <class Function, class... Arguments>
  void call(const char *name, Function function, Arguments... arguments) {
    std::lock_guard lock(calls);
    check(name, function(arguments...));
  }
  /// Whether what the request stands for is over.
  bool test(plc_mpi_handle &request);
  /// Returns when it is.
  void wait(plc_mpi_handle &request);
  const plc_mpi_plugin_table &plugin() const { return *table; }

  /// MPI is in use until `finish` where the plug-in has initialised it.
  bool finishes() const override { return table->finalizes(); }
  void finish() override;
  void abort(int exitCode) noexcept override;

private:
  MpiWorld();
  void load(MpiLibrary library);
  void check(const char *name, int code) const;
  using ProcessGroup::gather;
  void gather(const void *data, void *all, int bytes) override;

  const plc_mpi_plugin_table *table = nullptr;
  std::mutex calls;
  plc_mpi_handle world{};
  int64_t tagLimit = 0;
};

} // namespace plc::runtime

#endif
