// Adds up the memory of a training run.
#include "RunMemory.h"

#include "plc/Runtime/Base/MachineShare.h"

#include <algorithm>

namespace plc::runtime {

module::ProcessMemory memoryOf(const Engine &engine, const TrainingMemory &training) {
  module::ProcessMemory memory = engine.processMemory(*engine.findEntry("train"));
  if (!memory.arenas)
    return {};
  if (const EntryInfo *eval = engine.findEntry("eval"); eval && training.holdsOut) {
    module::ProcessMemory beside = engine.processMemory(*eval);
    memory.arenas += beside.arenas;
    memory.buffers = std::max(memory.buffers, beside.buffers);
  }
  if (training.transforms) // the original tensor and the transformed one are in memory together
    memory.buffers *= 2;
  memory.buffers += training.dataBytes;
  return memory;
}

void checkMemory(const Engine &engine, const TrainingMemory &training) {
  module::ProcessMemory memory = memoryOf(engine, training);
  int64_t processes = engine.processesHere(), available = availableBytes() / processes;
  // Memory that the process has already is no longer available, and not needed again.
  if (!memory.arenas || memory.total() - residentBytes() <= available)
    return;
  Error error(NoPlan, "",
              noPlanPrefix + ("a process of this run takes " + memory.text()) + "; " + module::mebibytes(available) +
                  " are available" + (processes > 1 ? " to each of " + std::to_string(processes) + " processes" : ""));
  TrainingMemory least = training;
  least.holdsOut = false;
  if (int64_t saved = memory.total() - memoryOf(engine, least).total())
    error.note("'--holdout 0' needs no arena to evaluate in, " + module::mebibytes(saved) + " less");
  throw error.note(
      "smaller arenas: 'memory.budget' with 'checkpoint.policy=budget', or more micro-batches; or ranks on several "
      "machines (docs/machines.md)");
}

} // namespace plc::runtime
