//===- NumericsPipeline.cpp - the road from a model to its numerics program ----------===//
#include "plc/Algebra/Entries/NumericsPipeline.h"
#include "plc/Support/ResultName.h"

#include "plc/Algebra/Passes.h"
#include "plc/Numerics/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace plc::algebra;

static EinEntryOptions entryOptions(const ProgramNumbers &numbers) {
  EinEntryOptions options;
  options.entry = numbers.entry;
  llvm::append_range(options.outputs, numbers.outputs);
  return options;
}

static EinPrecisionOptions precisionOptions(const ProgramNumbers &numbers) {
  EinPrecisionOptions options;
  options.compute = numbers.compute;
  return options;
}

static std::unique_ptr<Pass> narrowFactors(const ProgramNumbers &numbers) {
  EinNarrowFactorsOptions options;
  options.compute = numbers.compute;
  return createEinNarrowFactors(options);
}

static EinShardOptions shardOptions(const ProgramNumbers &numbers) {
  EinShardOptions options;
  llvm::append_range(options.sizes, numbers.shards);
  return options;
}

static EinDifferentiateOptions differentiateOptions(const ProgramNumbers &numbers) {
  EinDifferentiateOptions options;
  if (numbers.entry == plc::ProgramKind::train) {
    options.scalesLoss = plc::rowOf(numbers.compute).scalesLoss;
    return options;
  }
  for (const std::string &output : numbers.outputs)
    if (plc::ResultName result = plc::parseResultName(output); result.isGradient())
      options.wrt.push_back(std::string(result.name));
  // In a program that only goes forward, what is left to do is to drop 'ein.stop'.
  options.forwardOnly = options.wrt.empty();
  return options;
}

static bool differentiates(const ProgramNumbers &numbers) { return !differentiateOptions(numbers).forwardOnly; }

static EinMicroBatchOptions microBatchOptions(const ProgramNumbers &numbers) {
  EinMicroBatchOptions options;
  options.microBatches = numbers.microBatches;
  options.lanes = numbers.lanes;
  options.ofInputs = numbers.entry != plc::ProgramKind::train && differentiates(numbers);
  if (numbers.entry == plc::ProgramKind::train)
    options.batches = numbers.batches;
  return options;
}

std::vector<Phase> plc::algebra::phasesToNumerics(const ProgramNumbers &numbers) {
  return {
      {"precision",
       [numbers](OpPassManager &pipeline) {
         // What the entry does not need must not be split, ordered or differentiated.
         pipeline.addPass(createEinEntry(entryOptions(numbers)));
         pipeline.addPass(createEinOrderLines());
         EinRandomOptions random;
         random.entry = numbers.entry;
         pipeline.addPass(createEinRandom(random));
         pipeline.addPass(createEinSimplify());
         pipeline.addPass(createEinPrecision(precisionOptions(numbers)));
       }},
      {"micro-batch",
       [numbers](OpPassManager &pipeline) { pipeline.addPass(createEinMicroBatch(microBatchOptions(numbers))); }},
      {"algebra",
       [numbers](OpPassManager &pipeline) {
         pipeline.addPass(createEinShard(shardOptions(numbers)));
         pipeline.addPass(createEinOrderContractions());
         pipeline.addPass(narrowFactors(numbers));
         if (differentiates(numbers))
           pipeline.addPass(createEinSegmentLoops());
         pipeline.addPass(createEinSplitLoops());
         pipeline.addPass(createEinSimplify());
       }},
      {"gradient",
       [numbers](OpPassManager &pipeline) {
         pipeline.addPass(createEinDifferentiate(differentiateOptions(numbers)));
         pipeline.addPass(narrowFactors(numbers));
         pipeline.addPass(createEinSimplify());
         // Nothing moves equations any more that could read a state behind its update.
         pipeline.addPass(createEinUpdateStates());
         pipeline.addPass(createEinCopyResults());
       }},
      {"numerics", [](OpPassManager &pipeline) { pipeline.addPass(numerics::createEinFixNumerics()); }},
  };
}
