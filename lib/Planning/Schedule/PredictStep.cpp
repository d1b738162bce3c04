//===- PredictStep.cpp - how long a planned step takes --------------------===//
#include "plc/Planning/Schedule/PredictStep.h"

#include "ScheduleModel.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Simulator/Simulate.h"
#include "plc/Support/Chunks.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

int64_t plc::plan::chunksOf(KernelOp kernel) {
  // Threads share each iteration of a loop by itself, so one iteration's time decides.
  int64_t iterations = kernel.getKind() == KernelKind::loop ? kernel.getLoop().getIterations() : 1;
  return plc::chunksOf(kernel.getNs() / iterations);
}

int64_t plc::plan::predictStep(ProgramOp program, const module::EntryPlan &table, const simulator::Cluster &cluster,
                               const simulator::RankThreads &threads, double nsPerUpdatedByte, bool stepsMeet) {
  std::vector<int64_t> ns, chunks; // of the kernels, as the table counts them
  for (auto kernel : program->getParentOfType<ModuleOp>().getOps<KernelOp>()) {
    ns.push_back(kernel.getNs());
    chunks.push_back(chunksOf(kernel));
  }
  ein::MicroBatches cut = program.getCut();
  simulator::Times times;
  times.stepsMeet = stepsMeet;
  times.threads = threads;
  // Kernel times are those of the largest micro-batch; a smaller one takes its share of the samples.
  times.callNs = [&](const module::CallInfo &call, int64_t microBatch) {
    if (!cut.isRagged())
      return ns[call.kernel];
    return int64_t(double(ns[call.kernel]) * double(cut.samplesOf(microBatch)) / double(cut.mostSamples()));
  };
  times.chunks = [&](const module::CallInfo &call, int64_t) { return chunks[call.kernel]; };
  times.updateNs = [&](int64_t bytes) { return int64_t(double(bytes) * nsPerUpdatedByte); };
  simulator::Play play = simulator::playOf(table, times);
  simulator::Simulation simulation;
  return simulator::simulate(play, cluster, simulation) ? -1 : simulation.stepNs;
}
