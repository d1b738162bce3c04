//===- PredictStep.cpp - how long a planned step takes ----------------------===//
#include "plc/Planning/PredictStep.h"

#include "ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Simulator/Simulate.h"
#include "plc/Support/Chunks.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

int64_t plc::plan::predictStep(ProgramOp program, const module::EntryPlan &table, const PerRate &rates, bool stepsMeet,
                               int64_t threads) {
  std::vector<int64_t> ns, chunks; // of the kernels, as the table counts them
  for (auto kernel : program->getParentOfType<ModuleOp>().getOps<KernelOp>()) {
    ns.push_back(kernel.getNs());
    // Threads share in each turn of a loop, one after the other.
    int64_t turns = kernel.getKind() == KernelKind::loop ? kernel.getLoop().getTurns() : 1;
    chunks.push_back(chunksOf(kernel.getNs() / turns));
  }
  ein::MicroBatches cut = program.getCut();
  simulator::Times times;
  times.stepsMeet = stepsMeet;
  times.threadsPerStage = threads;
  times.callNs = [&](const module::CallInfo &call, int64_t microBatch) {
    if (!cut.isRagged())
      return ns[call.kernel];
    return int64_t(double(ns[call.kernel]) * double(cut.samplesOf(microBatch)) / double(cut.mostSamples()));
  };
  times.chunks = [&](const module::CallInfo &call, int64_t) { return chunks[call.kernel]; };
  times.updateNs = [&](int64_t bytes) { return int64_t(double(bytes) * rates[Rate::updatedByte]); };
  simulator::Play play = simulator::playOf(table, times);
  simulator::Simulation simulation;
  auto cluster = simulator::oneProcess(table.ranks.size(), 0, rates);
  return simulator::simulate(play, cluster, simulation) ? -1 : simulation.stepNs;
}
