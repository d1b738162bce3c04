//===- ProcessMemory.h - what a process takes beside its arenas -*- C++ -*-===//
#ifndef PLC_MODULE_PROCESSMEMORY_H
#define PLC_MODULE_PROCESSMEMORY_H

#include "plc/Module/ActionTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plc::module {

/// Peak bytes of a process that runs a module, loading and saving included. `memory.budget` limits only a rank's arena.
struct ProcessMemory {
  int64_t arenas = 0; ///< of its ranks, of all entries that it runs; 0: nothing is planned
  int64_t copies = 0; ///< of parameters and moments beside the arenas
  /// The largest tensor on its way from or to a file, or the inputs and results of a run; and data that is not read in
  /// slices.
  int64_t buffers = 0;
  int64_t program = 0; ///< the program with its libraries, the module's code, what each thread needs

  int64_t total() const { return arenas + copies + buffers + program; }
  /// For people: `205.1 MiB: arenas 192.0 MiB, buffers 4.0 MiB, program 9.1 MiB`.
  std::string text() const;
};

/// The memory of a process that executes these ranks of one entry, each with `threadsPerRank` threads, and keeps
/// parameters in their arenas.
ProcessMemory processMemory(const EntryPlan &entry, const std::vector<size_t> &ranks, int64_t threadsPerRank,
                            int64_t codeBytes);
/// The numbers of all ranks of an entry.
std::vector<size_t> allRanks(const EntryPlan &entry);

/// For people: `4.0 MiB`.
std::string mebibytes(int64_t bytes);

} // namespace plc::module

#endif
