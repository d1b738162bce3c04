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
#include "plc/Support/Optimizers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace plc::driver;
using plc::strategy::Strategy;

static llvm::SmallVector<int64_t> listOf(const Strategy &strategy, llvm::StringRef key) {
  const auto &values = strategy.get<std::vector<int64_t>>(key);
  return {values.begin(), values.end()};
}

int64_t plc::driver::optimizerMoments(const Strategy &strategy) {
  return plc::rowOf(strategy.getChoice<plc::OptimizerKind>("optimizer.kind")).moments;
}

/// The byte budget of each rank; 0 is none.
static int64_t memoryLimit(const Program &program, const Strategy &strategy) {
  return program.recomputes ? strategy.get<int64_t>("memory.budget") : 0;
}

static bool recomputesBy(plc::planner::RematField field, const Program &program, const Strategy &strategy) {
  return plc::rowOf(strategy.getChoice<plc::planner::RematPolicy>("checkpoint.policy")).obeys(field) &&
         program.entry == plc::ProgramKind::train && program.recomputes;
}

// Policy `dynamic` without a fraction of its own leaves the choice to the budget.
bool plc::driver::solvesBudget(const Program &program, const Strategy &strategy) {
  bool isOpen = strategy.isGiven("memory.budget") && !strategy.isGiven("checkpoint.memory_fraction");
  return recomputesBy(plc::planner::ByteBudget, program, strategy) ||
         (isOpen && recomputesBy(plc::planner::MemoryFraction, program, strategy));
}

/// Whether backward loops run the iterations of long loops forward again.
static bool recomputesTurns(const Program &program, const Strategy &strategy) {
  using plc::strategy::TurnValues;
  if (program.entry != plc::ProgramKind::train || !program.recomputes)
    return false;
  switch (strategy.getChoice<TurnValues>("checkpoint.turns")) {
  case TurnValues::keep: return false;
  case TurnValues::recompute: return true;
  case TurnValues::policy: break;
  }
  // Under a budget the search has decided, and written `recompute` or `keep`.
  auto policy = strategy.getChoice<plc::planner::RematPolicy>("checkpoint.policy");
  return policy != plc::planner::RematPolicy::none && !solvesBudget(program, strategy);
}

// Kinds are names of the model; only these two have keys.
std::vector<std::string> plc::driver::keptKinds(const Strategy &strategy) {
  std::vector<std::string> kinds;
  for (const char *kind : {"attention", "ffn"})
    if (!strategy.get<bool>(std::string("checkpoint.") + kind))
      kinds.push_back(kind);
  return kinds;
}

bool plc::driver::followsTimes(const Strategy &strategy) {
  auto schedule = strategy.getChoice<plc::planner::ScheduleKind>("parallelism.schedule");
  return plc::rowOf(schedule).follows == plc::planner::OrderSource::times &&
         strategy.get<int64_t>("parallelism.stages") > 1;
}

plc::planner::RematMode plc::driver::rematModeOf(const Program &program, const Strategy &strategy) {
  using namespace plc::planner;
  RematMode mode;
  RematPolicy policy = strategy.getChoice<RematPolicy>("checkpoint.policy");
  const RematPolicyRow &row = plc::rowOf(policy);
  if (policy == RematPolicy::none || program.entry != plc::ProgramKind::train || !program.recomputes ||
      solvesBudget(program, strategy))
    return mode;
  mode.policy = policy;
  if (row.obeys(Interval))
    mode.interval = strategy.get<int64_t>("checkpoint.interval");
  if (row.obeys(Layers))
    mode.layers = strategy.get<std::vector<int64_t>>("checkpoint.layers");
  if (row.obeys(MemoryFraction))
    mode.memoryFraction = strategy.get<double>("checkpoint.memory_fraction");
  if (row.obeys(Checkpoints)) {
    mode.minInterval = strategy.get<int64_t>("checkpoint.min_interval");
    mode.grain = strategy.getChoice<Grain>("checkpoint.grain");
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
  options.microBatches = strategy.getChoice<plc::planner::RecomputingRuns>("checkpoint.micro_batches");
  for (const std::string &kind : keptKinds(strategy))
    options.keepKinds.push_back(kind);
}

static plc::planner::Prepares preparesOf(const Strategy &strategy) {
  return plc::rowOf(strategy.getChoice<plc::planner::MemoryStrategy>("memory.strategy")).prepares;
}

bool plc::driver::mayPrepare(const Program &program, const Strategy &strategy) {
  return preparesOf(strategy) == plc::planner::Prepares::whereItFits && memoryLimit(program, strategy);
}

bool plc::driver::prepares(const Strategy &strategy) { return preparesOf(strategy) != plc::planner::Prepares::never; }

static std::unique_ptr<Pass> formKernels(const Strategy &strategy) {
  plc::kernels::FormKernelsOptions options;
  options.fusion = strategy.get<bool>("fusion");
  options.contractions = strategy.getChoice<plc::Contractions>("machine.contractions");
  options.profile = strategy.get<std::string>("machine.profile");
  options.prepare = prepares(strategy);
  std::unique_ptr<Pass> pass = plc::kernels::createFormKernels(options);
  // Rates are named alike in files and in the pass's options, so the text is the options.
  LogicalResult read = pass->initializeOptions(strategy.ratesText(), [](const Twine &) { return failure(); });
  assert(succeeded(read) && "a rate is no option of 'form-kernels'");
  (void)read;
  return pass;
}

std::optional<plc::planner::ScheduleFile> plc::driver::scheduleFileOf(const Strategy &strategy) {
  auto buffer = llvm::MemoryBuffer::getFile(strategy.get<std::string>("parallelism.schedule.file"));
  plc::planner::ScheduleFile table;
  if (!buffer || table.read((*buffer)->getBuffer()))
    return std::nullopt;
  return table;
}

/// In how many parts gradients leave for other replicas, at most: the more, the less is left when the last task ends. Not where
/// a strategy says itself which stages a rank has, nor where orders follow more than shapes.
static int64_t bucketsOf(const Program &program, const Strategy &strategy) {
  // With 8 buckets about an eighth of a stage's gradients leaves at the end; each bucket adds its tasks to every
  // micro-batch. Not tuned.
  constexpr int64_t most = 8;
  const auto &family = plc::rowOf(strategy.getChoice<plc::planner::ScheduleKind>("parallelism.schedule"));
  bool mayDivide = strategy.get<std::vector<int64_t>>("parallelism.place").empty() && family.chunks == 1 &&
                   family.follows == plc::planner::OrderSource::shape && program.entry == plc::ProgramKind::train;
  return mayDivide && strategy.get<int64_t>("parallelism.replicas") > 1 ? most : 1;
}

static plc::plan::PlanPartitionOptions partitionOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanPartitionOptions options;
  options.stages = strategy.get<int64_t>("parallelism.stages");
  options.follows = !program.leads;
  options.prepare = prepares(strategy);
  options.replicas = strategy.get<int64_t>("parallelism.replicas");
  options.shards = shardsOf(strategy);
  options.buckets = bucketsOf(program, strategy);
  options.balance = listOf(strategy, "parallelism.balance");
  options.place = listOf(strategy, "parallelism.place");
  options.cutGrain = strategy.getChoice<plc::planner::Grain>("parallelism.grain");
  if (program.entry == plc::ProgramKind::train)
    options.moments = optimizerMoments(strategy);
  options.schedule = strategy.getChoice<plc::planner::ScheduleKind>("parallelism.schedule");
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
  options.schedule = strategy.getChoice<plc::planner::ScheduleKind>("parallelism.schedule");
  options.file = strategy.get<std::string>("parallelism.schedule.file");
  return options;
}

/// Whether ranks take any action that is ready, for which addresses need room.
static bool takesWhatIsReady(const Strategy &strategy) {
  return strategy.getChoice<plc::strategy::ExecutionMode>("mode") == plc::strategy::ExecutionMode::hybrid;
}

static plc::plan::PlanAddressesOptions addressesOptions(const Program &program, const Strategy &strategy) {
  plc::plan::PlanAddressesOptions options;
  options.strategy = strategy.getChoice<plc::planner::MemoryStrategy>("memory.strategy");
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
      {program.entry, program.outputs, strategy.getChoice<Precision>("precision.compute"),
       strategy.get<int64_t>("parallelism.micro_batches"), strategy.get<int64_t>("gradient.accumulation_steps"),
       strategy.get<int64_t>("gradient.lanes"), strategy.shards()});
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
    if (recomputesTurns(program, strategy))
      pipeline.addPass(algebra::createEinRecomputeTurns());
    pipeline.addPass(formKernels(strategy));
  });
  addVerified("partition", [options = partitionOptions(program, strategy), program, strategy](OpPassManager &pipeline) {
    if (strategy.isGiven("parallelism.plan") && program.leads)
      pipeline.addPass(plan::createPlanChoose({strategy.get<std::string>("parallelism.plan"), !program.recomputes}));
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
