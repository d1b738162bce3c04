// The processes that run a module together, by MPI.
#ifndef PLC_RUNTIME_MPIWORLD_H
#define PLC_RUNTIME_MPIWORLD_H

#include "MpiLibraries.h"
#include "plc/Runtime/MpiPlugin.h"

#include <mutex>
#include <string>
#include <vector>

namespace plc::runtime {

/// One for each program, which all of its modules and sessions share. Every process calls the collective members alike, from the
/// thread that runs sessions, between runs.
class MpiWorld {
public:
  /// Loads the plug-in of the library whose job this process is in, or else the first that there is, and initialises
  /// MPI, when it is first called. Throws usageError if there is none.
  static MpiWorld &join();
  /// The world, if this process has joined it.
  static MpiWorld *joined();

  int64_t process() const { return number; }
  int64_t count() const { return processes; }
  /// The first one tells and writes what all of them compute.
  bool leads() const { return number == 0; }
  int64_t largestTag() const { return tagLimit; }
  /// Processes on this machine that may run on the same CPUs as this one, which is one of them.
  int64_t onTheseCpus() const { return sharers; }
  plc_mpi_handle communicator() const { return world; }

  /// Collective: the bytes of process `root` are everybody's afterwards.
  void broadcast(int64_t root, void *data, size_t bytes);
  /// Collective: what each process gives, in their order.
  std::vector<int64_t> gather(int64_t value);
  /// Collective: at most 255 bytes of each.
  std::vector<std::string> gather(const std::string &text);
  /// Collective: the text of each, of any length.
  std::vector<std::string> collect(const std::string &text);
  /// Collective: how many nanoseconds this process's Trace::now() is ahead of the first one's. 0 if they may be one clock.
  int64_t clockAhead();
  /// Collective. Throws Error (exit code 1, at `file`) if a process has another value than the first: both are told.
  void compare(const std::string &file, const std::string &what, const std::string &value);

  /// For people: `process 1 on 'host'`.
  std::string nameOf(size_t process) const;

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

  /// Whether MPI is in use until `finish`: then it is the plug-in that has initialised it.
  bool finishes() const { return table->finalizes(); }
  /// Collective, and the last call: a process that ends without it has failed.
  void finish();
  /// Ends all processes; does not return if MPI can.
  void abort(int exitCode) noexcept;

private:
  MpiWorld();
  void load(MpiLibrary library);
  void check(const char *name, int code) const;
  void gather(const void *data, void *all, int bytes);

  const plc_mpi_plugin_table *table = nullptr;
  std::mutex calls;
  plc_mpi_handle world{};
  int64_t number = 0, processes = 1, tagLimit = 0, sharers = 1;
  std::vector<std::string> hosts; // by process
};

} // namespace plc::runtime

#endif
