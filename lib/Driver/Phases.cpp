//===- Phases.cpp - the phases from a model to a plan ---------------------===//
#include "plc/Driver/Phases.h"

#include "plc/Algebra/Passes.h"
#include "plc/Driver/MachineModel.h"
#include "plc/Kernels/Passes.h"
#include "plc/Numerics/Passes.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planning/Passes.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Strategy/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace plc::driver;
using plc::strategy::Strategy;
namespace keys = plc::keys;

static llvm::SmallVector<int64_t> listOf(const Strategy &strategy, plc::strategy::TypedKey<std::vector<int64_t>> key) {
  const auto &values = strategy.get(key);
  return {values.begin(), values.end()};
}

int64_t plc::driver::optimizerMoments(const Strategy &strategy) {
  return int64_t(strategy.optimizer().forms.front().states.size());
}

bool plc::driver::keepsAverages(const Strategy &strategy) { return strategy.get(keys::optimizerEma) > 0; }

/// The byte budget of each rank; 0 is none.
static int64_t memoryLimit(const Program &program, const Strategy &strategy) {
  return program.recomputes ? strategy.get(keys::memoryBudget) : 0;
}

static bool recomputesBy(plc::planner::RematField field, const Program &program, const Strategy &strategy) {
  return plc::rowOf(strategy.get(keys::checkpointPolicy)).obeys(field) && program.entry == plc::ProgramKind::train &&
         program.recomputes;
}

// Policy `dynamic` without a fraction of its own leaves the choice to the budget.
bool plc::driver::solvesBudget(const Program &program, const Strategy &strategy) {
  bool isOpen = strategy.isGiven(keys::memoryBudget) && !strategy.isGiven(keys::checkpointMemoryFraction);
  return recomputesBy(plc::planner::ByteBudget, program, strategy) ||
         (isOpen && recomputesBy(plc::planner::MemoryFraction, program, strategy));
}

/// Whether backward loops run the iterations of long loops forward again.
static bool recomputesIterations(const Program &program, const Strategy &strategy) {
  using plc::strategy::LoopValues;
  if (program.entry != plc::ProgramKind::train || !program.recomputes)
    return false;
  switch (strategy.get(keys::checkpointLoops)) {
  case LoopValues::keep: return false;
  case LoopValues::recompute: return true;
  case LoopValues::policy: break;
  }
  // Under a budget the search has decided, and written `recompute` or `keep`.
  auto policy = strategy.get(keys::checkpointPolicy);
  return policy != plc::planner::RematPolicy::none && !solvesBudget(program, strategy);
}

// Kinds are names of the model; only these two have keys.
std::vector<std::string> plc::driver::keptKinds(const Strategy &strategy) {
  std::vector<std::string> kinds;
  if (!strategy.get(keys::checkpointAttention))
    kinds.push_back("attention");
  if (!strategy.get(keys::checkpointFfn))
    kinds.push_back("ffn");
  return kinds;
}

bool plc::driver::followsTimes(const Strategy &strategy) {
  auto schedule = strategy.get(keys::parallelismSchedule);
  return plc::rowOf(schedule).follows == plc::planner::OrderSource::times && strategy.get(keys::parallelismStages) > 1;
}

plc::planner::RematMode plc::driver::rematModeOf(const Program &program, const Strategy &strategy) {
  using namespace plc::planner;
  RematMode mode;
  RematPolicy policy = strategy.get(keys::checkpointPolicy);
  const RematPolicyRow &row = plc::rowOf(policy);
  if (policy == RematPolicy::none || program.entry != plc::ProgramKind::train || !program.recomputes ||
      solvesBudget(program, strategy))
    return mode;
  mode.policy = policy;
  if (row.obeys(Interval))
    mode.interval = strategy.get(keys::checkpointInterval);
  if (row.obeys(Layers))
    mode.layers = strategy.get(keys::checkpointLayers);
  if (row.obeys(MemoryFraction))
    mode.memoryFraction = strategy.get(keys::checkpointMemoryFraction);
  if (row.obeys(Checkpoints)) {
    mode.minInterval = strategy.get(keys::checkpointMinInterval);
    mode.grain = strategy.get(keys::checkpointGrain);
  }
  return mode;
}

/// Sets the options of recomputation; those that the policy ignores keep their defaults, so that they are not printed.
static void setRecomputation(plc::plan::PlanPartitionOptions &options, const Program &program,
                             const Strategy &strategy) {
  plc::planner::RematMode mode = plc::driver::rematModeOf(program, strategy);
  if (mode.policy == plc::planner::RematPolicy::none)
    return;
  options.policy = mode.policy;
  options.interval = mode.interval;
  options.layers.assign(mode.layers.begin(), mode.layers.end());
  options.memoryFraction = mode.memoryFraction;
  options.minInterval = mode.minInterval;
  options.grain = mode.grain;
  options.microBatches = strategy.get(keys::checkpointMicroBatches);
  for (const std::string &kind : keptKinds(strategy))
    options.keepKinds.push_back(kind);
}

static plc::planner::Prepares preparesOf(const Strategy &strategy) {
  return plc::rowOf(strategy.get(keys::memoryStrategy)).prepares;
}

bool plc::driver::mayPrecompute(const Program &program, const Strategy &strategy) {
  return preparesOf(strategy) == plc::planner::Prepares::whereItFits && memoryLimit(program, strategy);
}

bool plc::driver::prepares(const Strategy &strategy) { return preparesOf(strategy) != plc::planner::Prepares::never; }

static std::unique_ptr<Pass> formKernels(const Strategy &strategy) {
  plc::kernels::FormKernelsOptions options;
  options.fusion = strategy.get(keys::fusion);
  options.contractions = strategy.get(keys::machineContractions);
  options.profile = strategy.get(keys::machineProfile);
  options.prepare = prepares(strategy);
  std::unique_ptr<Pass> pass = plc::kernels::createFormKernels(options);
  // Rates are named alike in files and in the pass's options, so the text is the options.
  LogicalResult read = pass->initializeOptions(strategy.ratesText(), [](const Twine &) { return failure(); });
  assert(succeeded(read) && "a rate is no option of 'form-kernels'");
  (void)read;
  return pass;
}

std::optional<plc::planner::ScheduleFile> plc::driver::scheduleFileOf(const Strategy &strategy) {
  auto buffer = llvm::MemoryBuffer::getFile(strategy.get(keys::parallelismScheduleFile));
  plc::planner::ScheduleFile table;
  if (!buffer || table.read((*buffer)->getBuffer()))
    return std::nullopt;
  return table;
}

/// In how many parts gradients leave for other replicas, at most: the more, the less is left when the last task ends.
/// Not where a strategy says itself which stages a rank has, nor where orders follow more than shapes.
static int64_t bucketsOf(const Program &program, const Strategy &strategy) {
  // With 8 buckets about an eighth of a stage's gradients leaves at the end; each bucket adds its tasks to every
  // micro-batch. Not tuned.
  constexpr int64_t most = 8;
  const auto &family = plc::rowOf(strategy.get(keys::parallelismSchedule));
  bool mayDivide = strategy.get(keys::parallelismPlace).empty() && family.chunks == 1 &&
                   family.follows == plc::planner::OrderSource::shape && program.entry == plc::ProgramKind::train;
  return mayDivide && strategy.get(keys::parallelismReplicas) > 1 ? most : 1;
}

static plc::plan::PlanPartitionOptions partitionOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanPartitionOptions options;
  options.stages = strategy.get(keys::parallelismStages);
  options.follows = !program.leads;
  options.prepare = prepares(strategy);
  options.replicas = strategy.get(keys::parallelismReplicas);
  options.shards = shardsOf(strategy);
  options.buckets = bucketsOf(program, strategy);
  options.balance = listOf(strategy, keys::parallelismBalance);
  options.rankMap = listOf(strategy, keys::parallelismPlace);
  options.cutGrain = strategy.get(keys::parallelismGrain);
  if (program.entry == plc::ProgramKind::train) {
    options.moments = optimizerMoments(strategy);
    options.averages = keepsAverages(strategy);
  }
  options.schedule = strategy.get(keys::parallelismSchedule);
  if (std::optional<plc::planner::ScheduleFile> table = scheduleFileOf(strategy);
      table && plc::rowOf(options.schedule).follows == plc::planner::OrderSource::text) {
    options.splits = table->splitsBackward();
  }
  if (ranksOf(strategy) == 1) // no other rank waits for B
    options.splits = false;
  setRecomputation(options, program, strategy);
  return options;
}

static plc::plan::PlanScheduleOptions scheduleOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanScheduleOptions options;
  options.schedule = strategy.get(keys::parallelismSchedule);
  options.file = strategy.get(keys::parallelismScheduleFile);
  return options;
}

/// Whether ranks take any action that is ready, for which addresses need room.
static bool takesWhatIsReady(const Strategy &strategy) {
  return strategy.get(keys::mode) == plc::strategy::ExecutionMode::hybrid;
}

static plc::plan::PlanAddressesOptions addressesOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanAddressesOptions options;
  options.strategy = strategy.get(keys::memoryStrategy);
  options.memoryLimitBytes = memoryLimit(program, strategy);
  options.isMeasured = program.measures;
  // Room for other orders is left out to meet a budget, so a measurement leaves it out, too.
  if (takesWhatIsReady(strategy) && !(program.measures && options.memoryLimitBytes))
    options.spare = 1;
  return options;
}

static plc::plan::PlanVerifyOptions verifyOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanVerifyOptions options;
  options.memoryLimitBytes = memoryLimit(program, strategy);
  options.keepKinds = partitionOptions(program, strategy).keepKinds;
  return options;
}

static plc::plan::PlanRematOptions rematOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanRematOptions options;
  options.keepKinds = partitionOptions(program, strategy).keepKinds;
  return options;
}

std::vector<Phase> plc::driver::phasesOf(const Program &program, const Strategy &strategy) {
  // Each phase captures the options that it needs, so it does not refer to the strategy.
  std::vector<Phase> phases = algebra::phasesToNumerics(
      {program.entry, program.outputs, strategy.get(keys::precisionCompute),
       strategy.get(keys::parallelismMicroBatches), strategy.get(keys::gradientAccumulationSteps),
       strategy.get(keys::gradientLanes), strategy.shards()});
  auto add = [&](const char *name, std::function<void(OpPassManager &)> addPasses) {
    phases.push_back({name, std::move(addPasses)});
  };
  // Of a phase that moves, clones or routes what is computed.
  auto addVerified = [&](const char *name, std::function<void(OpPassManager &)> addPasses) {
    add(name, [addPasses = std::move(addPasses), program](OpPassManager &pipeline) {
      addPasses(pipeline);
      if (!program.measures)
        pipeline.addPass(numerics::createVerifyNumerics());
    });
  };
  addVerified("kernels", [strategy, program](OpPassManager &pipeline) {
    // While the equations stand in bodies, as the numerics program has them.
    pipeline.addPass(numerics::createEinCutBatch());
    pipeline.addPass(numerics::createRecordNumerics());
    if (recomputesIterations(program, strategy))
      pipeline.addPass(algebra::createEinRecomputeIterations());
    pipeline.addPass(formKernels(strategy));
  });
  addVerified("partition", [options = partitionOptions(program, strategy), program, strategy](OpPassManager &pipeline) {
    if (strategy.isGiven(keys::parallelismPlan) && program.leads)
      pipeline.addPass(plan::createPlanChoose({strategy.get(keys::parallelismPlan), !program.recomputes}));
    pipeline.addPass(plan::createPlanPartition(options));
  });
  addVerified("skips", [](OpPassManager &pipeline) { pipeline.addPass(plan::createPlanInferSkips()); });
  add("schedule", [options = scheduleOptions(program, strategy), program](OpPassManager &pipeline) {
    pipeline.addPass(plan::createPlanSchedule(options));
  });
  addVerified("remat", [options = rematOptions(program, strategy), program](OpPassManager &pipeline) {
    pipeline.addPass(plan::createPlanRemat(options));
  });
  addVerified("comm", [](OpPassManager &pipeline) {
    pipeline.addPass(plan::createPlanReplicate());
    pipeline.addPass(plan::createPlanInsertComm());
  });
  add("addresses", [options = addressesOptions(program, strategy), program, strategy](OpPassManager &pipeline) {
    pipeline.addPass(plan::createPlanAddresses(options));
    if (takesWhatIsReady(strategy))
      pipeline.addPass(plan::createPlanFreeOrder());
    // The proof belongs to the last phase, so that no addresses leave it unproven. A measured plan is proven once it is
    // taken.
    if (!program.measures)
      pipeline.addPass(plan::createPlanVerify(verifyOptions(program, strategy)));
  });
  return phases;
}

llvm::ArrayRef<Phase> plc::driver::phasesUpTo(llvm::ArrayRef<Phase> phases, llvm::StringRef last) {
  const Phase *found = llvm::find_if(phases, [&](const Phase &phase) { return phase.name == last; });
  return found == phases.end() ? phases : phases.take_front(found - phases.begin() + 1);
}

std::string plc::driver::pipelineText(llvm::ArrayRef<Phase> phases) {
  OpPassManager pipeline(ModuleOp::getOperationName());
  for (const Phase &phase : phases)
    phase.addPasses(pipeline);
  std::string text;
  llvm::raw_string_ostream stream(text);
  pipeline.printAsTextualPipeline(stream);
  return text;
}
