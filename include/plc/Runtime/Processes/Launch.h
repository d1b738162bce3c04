// plc-run as the starter of its own processes: mpirun with the same command line, whose account of the run becomes one.
#ifndef PLC_RUNTIME_PROCESSES_LAUNCH_H
#define PLC_RUNTIME_PROCESSES_LAUNCH_H

#include "plc/Runtime/Base/ManifestChecks.h"
#include "plc/Runtime/Processes/MpiLibraries.h"

#include <string>
#include <vector>

namespace plc::runtime {

struct Launch {
  MpiLibrary library;
  int64_t processes;
  std::string hostfile;               // or empty
  double patience;                    // seconds without a sign of life; 0: any
  std::vector<std::string> arguments; // of this program, without its name
  std::string model, module;          // a model among them, and what was compiled from it; or both empty
};

/// The library to start processes of: the one asked for, else the first with a plug-in and an mpirun. Throws usageError
/// if there is none.
MpiLibrary chooseLauncher(const std::optional<MpiLibrary> &asked);

/// Starts the processes and waits for them. What they write becomes this program's, and of errors the first one's alone.
/// Returns their exit code. Throws Error if they cannot be started, or one of them on this machine is stopped for too long (exit code
/// 5) or lost (4): with the places where its ranks were, by its flight recorder. SIGINT, SIGTERM and SIGHUP are passed on to
/// the first process. All processes on this machine are gone afterwards.
int launch(const Launch &launch, const Manifest &manifest);

/// Of a process that was launched so: it is there.
void greetLauncher();
/// Likewise: writes to stderr in a way that the launcher tells from what mpirun writes. Of any
/// other one: writes to stderr.
void tellLauncher(const std::string &text);
/// Likewise: what this process has failed by, and is going to end with.
void failLauncher(const std::string &text, int exitCode);
/// It ends as it should.
void leaveLauncher();
/// Whether somebody sees on a terminal what this process writes to stdout.
bool tellsTerminal();
/// Of a process that has joined the others: only the first one's stdout is heard, and signals come to it by the launcher.
void followLauncher();

/// The module that the launcher has compiled from this model for its processes, if it is on this machine; else empty.
std::string moduleOfLauncher(const std::string &model);

} // namespace plc::runtime

#endif
