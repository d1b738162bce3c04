//===- NumericsPipeline.cpp - the pipeline from a model to its numerics ---===//
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

static EinSliceParametersOptions sliceOptions(const ProgramNumbers &numbers) {
  EinSliceParametersOptions options;
  llvm::append_range(options.sizes, numbers.shards);
  return options;
}

static EinShardOptions shardOptions(const ProgramNumbers &numbers) {
  EinShardOptions options;
  llvm::append_range(options.sizes, numbers.shards);
  return options;
}

// Training differentiates for all trained parameters; other entries for the `grad(NAME)` that they request.
static EinDifferentiateOptions differentiateOptions(const ProgramNumbers &numbers) {
  EinDifferentiateOptions options;
  if (numbers.entry == plc::ProgramKind::train) {
    options.scalesLoss = plc::rowOf(numbers.compute).scalesLoss;
    return options;
  }
  for (const std::string &output : numbers.outputs)
    if (plc::ResultName result = plc::parseResultName(output); result.isGradient())
      options.wrt.push_back(std::string(result.name));
  // A program without gradients only replaces `ein.stop`.
  options.forwardOnly = options.wrt.empty();
  return options;
}

static bool differentiates(const ProgramNumbers &numbers) { return !differentiateOptions(numbers).forwardOnly; }

static EinMicroBatchOptions microBatchOptions(const ProgramNumbers &numbers) {
  EinMicroBatchOptions options;
  options.microBatches = numbers.microBatches;
  options.groups = numbers.groups;
  // A divisor made of whole inputs has no gradient for them (`EinMicroBatch`).
  options.ofInputs = numbers.entry != plc::ProgramKind::train && differentiates(numbers);
  if (numbers.entry == plc::ProgramKind::train)
    options.batches = numbers.batches;
  return options;
}

std::vector<Phase> plc::algebra::phasesToNumerics(const ProgramNumbers &numbers) {
  return {
      {"precision",
       [numbers](OpPassManager &pipeline) {
         // Before anything is left out: all programs of a module need the same parameters.
         pipeline.addPass(createEinSliceParameters(sliceOptions(numbers)));
         // Then this, since equations that the entry does not need must not be split, ordered or differentiated.
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
         // Before differentiation, whose residuals are then the rounded factors, and again after it, for the
         // contractions that it makes.
         pipeline.addPass(narrowFactors(numbers));
         // Segments fix the order of gradient sums over iterations. A program without gradients needs none.
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
         // After this no pass moves equations that could read a state behind its update.
         pipeline.addPass(createEinUpdateStates());
         pipeline.addPass(createEinCopyResults());
       }},
      {"numerics", [](OpPassManager &pipeline) { pipeline.addPass(numerics::createEinFixNumerics()); }},
  };
}
