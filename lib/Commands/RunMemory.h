// What a training run takes in this process, and whether the machine has it.
#ifndef PLC_LIB_COMMANDS_RUNMEMORY_H
#define PLC_LIB_COMMANDS_RUNMEMORY_H

#include "plc/Runtime/Base/Engine.h"

namespace plc::runtime {

struct TrainingMemory {
  bool holdsOut = false; // part of the data, by which entry `eval` is run
  bool turns = false;    // tensors of a file, by a map
  int64_t dataBytes = 0; // of data that is in memory
};

/// Without arenas if nothing is planned.
module::ProcessMemory memoryOf(const Engine &engine, const TrainingMemory &training);

/// Throws Error (exit code 3), with both numbers, if that is more than there is beside what the process has already.
void checkMemory(const Engine &engine, const TrainingMemory &training);

} // namespace plc::runtime

#endif
