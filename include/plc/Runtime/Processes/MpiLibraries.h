// The MPI libraries with plug-ins (lib/Mpi), and jobs started by them.
#ifndef PLC_RUNTIME_PROCESSES_MPILIBRARIES_H
#define PLC_RUNTIME_PROCESSES_MPILIBRARIES_H

#include "plc/Support/Choice.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace plc::runtime {

enum class MpiLibrary : uint8_t { OpenMpi, Mpich };

/// A row of the table at the end of this file.
struct MpiLibraryRow {
  const char *name;       // of its plug-in, libplc-NAME.so
  const char *title;      // for people
  const char *package;    // Debian's, to build the plug-in
  const char *programs;   // Debian's, with the library and its mpirun
  const char *launcher;   // its mpirun, if several libraries are installed
  const char *identifies; // a word in the output of `mpirun --version`
  const char *hostfile;   // its mpirun's option for a file of hosts
};

/// A process of a job that mpirun or srun has started.
struct MpiJob {
  MpiLibrary library;
  std::optional<int64_t> process, count; // where the starter gives them before MPI is initialised
};

/// Nullopt if this process is in no such job.
std::optional<MpiJob> findMpiJob();

/// Asks MPICH's mpirun, if it started this process, to end all. Without this the others would wait for a process that
/// fails before it joins. Open MPI's mpirun ends them by itself.
void endMpiJob(int exitCode);

/// MPICH's mpirun drops output that it has not passed on when all are ended. Not tuned: long beside one message.
constexpr auto mpiPassing = std::chrono::milliseconds(200);

/// The file of the plug-in, which may not exist.
std::string pluginOf(MpiLibrary library);
/// How to get a plug-in that does not exist.
std::string remedyForPlugin(MpiLibrary library);
/// The path of its mpirun; nullopt if there is none.
std::optional<std::string> launcherOf(MpiLibrary library);

/// The library whose mpirun starts processes: the one asked for, else the first with a plug-in and an mpirun. Throws
/// usageError if there is none.
MpiLibrary chooseLauncher(const std::optional<MpiLibrary> &asked);

} // namespace plc::runtime

template <>
struct plc::Choice<plc::runtime::MpiLibrary> {
  static constexpr const char *noun = "MPI library";
  static constexpr runtime::MpiLibraryRow table[] = {
      {"openmpi", "Open MPI", "libopenmpi-dev", "openmpi-bin", "mpirun.openmpi", "Open MPI", "--hostfile"},
      {"mpich", "MPICH", "libmpich-dev", "mpich", "mpirun.mpich", "HYDRA", "-f"}};
  static std::span<const runtime::MpiLibraryRow> rows() { return table; }
};

#endif
