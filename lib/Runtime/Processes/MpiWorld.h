// The process group of MPI.
#ifndef PLC_LIB_RUNTIME_PROCESSES_MPIWORLD_H
#define PLC_LIB_RUNTIME_PROCESSES_MPIWORLD_H

#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Processes/MpiLibraries.h"
#include "plc/Runtime/Processes/MpiPlugin.h"

#include <mutex>
#include <string>

namespace plc::runtime {

/// All processes of an MPI job. MPI is joined once per program, through a plug-in, so that neither plc-run nor libplcrt
/// is linked to MPI. All calls are serialized by one lock, so MPI_THREAD_SERIALIZED is enough.
class MpiWorld final : public ProcessGroup {
public:
  /// On the first call: loads the plug-in of the library whose job this process is in, else the first that exists, and
  /// initialises MPI. Throws usageError if there is none.
  static MpiWorld &join();

  /// The largest tag that this MPI allows.
  int64_t largestTag() const { return tagLimit; }
  plc_mpi_handle communicator() const { return world; }

  /// In pieces of 1 GiB, as MPI counts in int.
  void broadcast(int64_t root, void *data, size_t bytes) override;

  /// Calls a function of the plug-in, one thread at a time. Throws Error (exit code 4) if it fails, because a peer is
  /// lost then.
  template <class Function, class... Arguments>
  void call(const char *name, Function function, Arguments... arguments) {
    std::lock_guard lock(calls);
    check(name, function(arguments...));
  }
  /// Whether a request is over.
  bool test(plc_mpi_handle &request);
  /// Returns when it is; sleeps in between (Backoff.h).
  void wait(plc_mpi_handle &request);
  const plc_mpi_plugin_table &plugin() const { return *table; }

  /// Whether finish() must be called: the plug-in has initialised MPI, not the program.
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
