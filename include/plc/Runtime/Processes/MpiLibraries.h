// The MPI libraries that there may be a plug-in for (lib/Mpi), and how a process is found to belong to a job of one.
#ifndef PLC_RUNTIME_PROCESSES_MPILIBRARIES_H
#define PLC_RUNTIME_PROCESSES_MPILIBRARIES_H

#include "plc/Support/Choice.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace plc::runtime {

enum class MpiLibrary : uint8_t { OpenMpi, Mpich };

struct MpiLibraryRow {
  const char *name;       // of its plug-in, libplc-NAME.so
  const char *title;      // for people
  const char *package;    // of Debian
  const char *launcher;   // its mpirun, where another library has one too
  const char *identifies; // what `mpirun --version` says
  const char *hostfile;   // its mpirun's option for a file of hosts
};

/// A process among those that somebody's mpirun or srun has started.
struct MpiJob {
  MpiLibrary library;
  std::optional<int64_t> process, count; // if it is told before MPI is initialised
};

/// Nothing if nobody started this process as a part of a job of several.
std::optional<MpiJob> findMpiJob();

/// Asks MPICH's mpirun, if it has started this process, to end all: it lets them wait for one that fails before it has joined them. Open
/// MPI's ends them anyway.
void endMpiJob(int exitCode);

/// MPICH's mpirun forgets what it has not passed on when all are ended.
constexpr auto mpiPassing = std::chrono::milliseconds(200);

/// The file of the plug-in, which may be missing.
std::string pluginOf(MpiLibrary library);
/// The path of its mpirun, or nothing.
std::optional<std::string> launcherOf(MpiLibrary library);

} // namespace plc::runtime

template <>
struct plc::Choice<plc::runtime::MpiLibrary> {
  static constexpr const char *noun = "MPI library";
  static constexpr runtime::MpiLibraryRow table[] = {
      {"openmpi", "Open MPI", "libopenmpi-dev", "mpirun.openmpi", "Open MPI", "--hostfile"},
      {"mpich", "MPICH", "libmpich-dev", "mpirun.mpich", "HYDRA", "-f"}};
  static std::span<const runtime::MpiLibraryRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif
