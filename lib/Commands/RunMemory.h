// Predicts a training run's memory, and checks it against the machine.
#ifndef PLC_LIB_COMMANDS_RUNMEMORY_H
#define PLC_LIB_COMMANDS_RUNMEMORY_H

#include "plc/Runtime/Base/Engine.h"

namespace plc::runtime {

/// The parts of a run's memory that its options decide.
struct TrainingMemory {
  bool holdsOut = false;   // data is held out, so entry `eval` has arenas too
  bool transforms = false; // tensors of a file are transformed by a map
  int64_t dataBytes = 0;   // data that is in memory
};

/// The memory of this process; empty without a plan.
module::ProcessMemory memoryOf(const Engine &engine, const TrainingMemory &training);

/// Throws Error (exit code 3), with both numbers, if that exceeds what is available beside what the process has
/// already.
void checkMemory(const Engine &engine, const TrainingMemory &training);

} // namespace plc::runtime

#endif
