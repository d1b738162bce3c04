// plc-run as the starter of its own processes.
#ifndef PLC_RUNTIME_PROCESSES_LAUNCH_H
#define PLC_RUNTIME_PROCESSES_LAUNCH_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Processes/MpiLibraries.h"

#include <string>
#include <vector>

namespace plc::runtime {

/// A run in several processes: mpirun with the same command line as this program.
struct Launch {
  MpiLibrary library;
  int64_t processes;
  std::string hostfile;               // empty: this machine
  double patience;                    // seconds without a sign of life; 0: unlimited
  std::vector<std::string> arguments; // this program's, without its name
  std::string model, module;          // a model among the arguments, and the module compiled from it; or both empty
};

/// Starts the processes and waits for them. Their output becomes this program's; of their errors only the first is
/// printed. Returns their exit code. Throws Error if they cannot be started, or if one is stopped for too long (exit
/// code 5) or lost (4), with the places where its ranks were. SIGINT, SIGTERM and SIGHUP are passed on to the first
/// process. Afterwards no process is left on this machine.
int launch(const Launch &launch, const Manifest &manifest);

/// In a launched process: reports that it has started. The functions below have no effect on other processes, except
/// where they say so.
void greetLauncher();
/// Writes to stderr, in a launched process in a way that the launcher can tell from mpirun's lines.
void writeForLauncher(const std::string &text);
/// Writes the error that this process fails by, and reports the exit code that it is going to end with.
void failLauncher(const std::string &text, int exitCode);
/// Reports that the process ends in order.
void leaveLauncher();
/// Whether stdout of this process reaches a terminal.
bool writesToTerminal();
/// In a process that has joined the others: only the first one's stdout is kept, and signals come to it from the
/// launcher.
void followLauncher();

/// The module that the launcher compiled from this model, if it is on this machine; else empty.
std::string moduleOfLauncher(const std::string &model);

} // namespace plc::runtime

#endif
