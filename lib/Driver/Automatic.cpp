//===- Automatic.cpp - search over whole plans of a model -------------------===//
#include "Automatic.h"

#include "Lowering.h"

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Language/PassErrors.h"
#include "plc/Planner/Format.h"
#include "plc/Planner/RematPolicies.h"
#include "plc/Planning/ActionTable.h"
#include "plc/Planning/KnownAnswers.h"
#include "plc/Planning/PredictStep.h"
#include "plc/Planning/TurnsAgain.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/Optimizer.h"
#include "plc/Support/Errors.h"
#include "plc/Support/ExitCodes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <thread>

using namespace mlir;
using namespace plc::driver;
using namespace plc::planner;
using plc::strategy::Strategy;

namespace {

plc::plan::ProgramOp programOf(ModuleOp module) { return *module.getOps<plc::plan::ProgramOp>().begin(); }

/// The choices for a program of a model, each of which is lowered as far as it is asked for.
class ModelProblem : public JointProblem {
public:
  ModelProblem(const Models &models, const Program &program, llvm::SourceMgr &sources, const Strategy &strategy,
               bool isNarrow)
      : models(models), model(models.ofBatch), program(program), sources(sources), strategy(strategy),
        isNarrow(isNarrow) {
    this->program.isChoice = true;
    this->program.triesCuts = false;
    if (!program.known)
      this->program.known = std::make_shared<plc::plan::KnownAnswers>();
  }

  int64_t mostRanks() const {
    if (int64_t ranks = strategy.get<int64_t>("machine.ranks"))
      return ranks;
    int64_t cores = std::max(1u, std::thread::hardware_concurrency());
    return std::max<int64_t>(1, cores / threads());
  }

  std::vector<JointChoice> choices() override {
    std::vector<JointChoice> list;
    for (int64_t microBatches : microBatchCounts()) {
      int64_t layers = layersOf(microBatches);
      for (int64_t replicas : replicaCounts())
        for (int64_t shards : shardCounts())
          for (int64_t ranks : rankCounts(mostRanks() / replicas / shards))
            for (ScheduleKind schedule : schedules(ranks))
              for (int64_t chunks : chunksOf(schedule, ranks, microBatches / replicas))
                for (JointPlacing placing : {JointPlacing::bySchedule, JointPlacing::wrapped}) {
                  JointChoice choice{microBatches, replicas, ranks, shards, chunks, schedule};
                  choice.placing = placing;
                  if (isAllowed(choice, layers))
                    list.push_back(choice);
                }
    }
    return list;
  }

  JointEstimate work(int64_t microBatches) override {
    auto [it, isNew] = works.try_emplace(microBatches);
    if (isNew)
      it->second = order({microBatches});
    return it->second;
  }

  JointEstimate order(const JointChoice &choice) override {
    if (isTooSmall(choice))
      return {.refusal = "a run is too short for ranks that wake and wait for each other"};
    Program quick = program;
    quick.measures = true; // what is chosen is lowered again
    Strategy chosen = strategyOf(choice);
    // What a budget asks for is decided by whole plans; no cut that keeps it is faster than one that need not.
    quick.recomputes = !strategy.isGiven("memory.budget");
    // Nor is an order faster that keeps it.
    quick.inFlight = quick.recomputes ? 0 : choice.microBatches / choice.replicas;
    JointEstimate estimate;
    OwningOpRef<ModuleOp> module = lower(choice, quick, chosen, "schedule", estimate);
    if (!module)
      return estimate;
    estimate.balance = balanceOf(*program.known);
    // No rank ends before what it updates behind its tasks, so where parameters lie counts already here.
    estimate.ns = leastStep(*module);
    estimate.leastNs = programOf(*module).getStepBoundNs().value_or(0) / threads();
    return estimate;
  }

  JointEstimate plan(const JointChoice &choice, int64_t mostNs) override {
    return planAs(isHasty() ? inHaste() : program, choice, mostNs);
  }

  // Only what a budget asks for is searched by effort.
  bool isHasty() const override { return strategy.isGiven("memory.budget"); }
  JointEstimate planThoroughly(const JointChoice &choice) override {
    Program whole = program;
    whole.triesCuts = true; // as what is chosen will be made
    return planAs(whole, choice, std::numeric_limits<int64_t>::max());
  }
  JointEstimate planWidely(const JointChoice &choice) override {
    Program wide = inHaste();
    wide.triesCuts = true;
    return planAs(wide, choice, std::numeric_limits<int64_t>::max());
  }

  Program inHaste() const {
    Program hasty = program;
    hasty.isHasty = true;
    hasty.known = hastyAnswers;
    return hasty;
  }

  JointEstimate planAs(const Program &program, const JointChoice &choice, int64_t mostNs) {
    JointEstimate estimate;
    OwningOpRef<ModuleOp> module = lower(choice, program, strategyOf(choice), "", estimate, mostNs);
    if (!module)
      return estimate;
    StepLoads found = loadsOf(programOf(*module));
    estimate.ns = playedNs(programOf(*module), plc::plan::StepPart::whole);
    found.tasksNs = playedNs(programOf(*module), plc::plan::StepPart::tasks);
    loads[choice] = std::move(found);
    return estimate;
  }

  int64_t fewBytes() const override { return strategy.get<int64_t>("memory.budget") / 128; }
  bool mayRecompute() const override {
    return program.entry == plc::ProgramKind::train && strategy.isGiven("memory.budget") &&
           !strategy.isOwn("checkpoint.policy");
  }
  bool mayMove() const override { return !isNarrow && !strategy.isOwn("parallelism.balance"); }
  // Ranks that share stages fill the time in which one waits for another with other micro-batches, also forward.
  bool maySearchOrder(const JointChoice &choice) const override {
    bool placesByHand = choice.chunks > 1 && plc::rowOf(choice.schedule).placement == Placement::vee;
    return !isNarrow && (program.entry == plc::ProgramKind::train || choice.shards > 1) && isFree("schedule") &&
           (!placesByHand || isFree("chunks"));
  }

  /// The strategy with a choice written into it.
  Strategy strategyOf(const JointChoice &choice) const {
    using plc::strategy::ParallelismKind;
    Strategy chosen = strategy;
    bool divided = choice.stages() > 1;
    auto choose = [&](const char *key, plc::strategy::Value value) {
      chosen.choose(std::string("parallelism.") + key, value);
    };
    ParallelismKind kind = divided               ? ParallelismKind::pipeline
                           : choice.shards > 1   ? ParallelismKind::model
                           : choice.replicas > 1 ? ParallelismKind::data
                                                 : ParallelismKind::none;
    choose("kind", std::string(plc::nameOfChoice(kind)));
    if (kind != ParallelismKind::none && !strategy.shards().empty() && choice.shards != own("shard_ranks"))
      choose("shard_ranks", choice.shards);
    if (choice.replicas != own("replicas"))
      choose("replicas", choice.replicas);
    choose("micro_batches", choice.microBatches);
    if (divided) {
      choose("stages", choice.stages());
    } else if (own("stages") > 1) { // the work of all that are given
      choose("stages", 1);
      choose("place", std::vector<int64_t>());
    }
    if (divided || choice.shards > 1)
      choose("schedule", std::string(plc::nameOfChoice(choice.schedule)));
    if (choice.placing != JointPlacing::bySchedule) {
      chosen.choose("parallelism.place", choice.place(), /*isOwn=*/true);
    } else if (choice.chunks > 1) {
      choose("chunks", choice.chunks);
      choose("place", choice.place());
    }
    if (!choice.balance.empty())
      choose("balance", choice.balance);
    if (choice.recomputes)
      chosen.choose("checkpoint.policy", std::string(plc::nameOfChoice(RematPolicy::budget)));
    return chosen;
  }

  /// Of a choice that was planned.
  const StepLoads &loadsOf(const JointChoice &choice) { return loads[choice]; }

  /// All that was reported when a choice was refused for a reason, and the exit code.
  const std::pair<std::string, int> &reportOf(const std::string &refusal) { return reports[refusal]; }

  /// Where there are no choices: tells why, with the key of the strategy that leaves none, or those that do together.
  /// Returns the exit code.
  int tellExcluded(llvm::raw_ostream &errors) {
    for (auto &[microBatches, estimate] : uncut) { // nothing can be cut, whatever the keys say
      auto [text, code] = reportOf(estimate.refusal);
      errors << text;
      return code;
    }
    std::vector<const char *> keys = excludingKeys();
    std::string values;
    for (StringRef key : keys)
      values +=
          (values.empty() ? "'" : ", '") + key.str() + "' is " +
          (key.ends_with("schedule") ? strategy.get<std::string>(key) : std::to_string(strategy.get<int64_t>(key)));
    auto modelOp = *model.getOps<plc::ein::ModelOp>().begin();
    int64_t layers = layersOf(microBatchCounts().front());
    plc::language::PassErrors reported(sources, *model.getContext(), errors, strategy.places());
    plc::withKey(plc::emitNoPlan(modelOp), keys.front())
        << values << " but model '" << modelOp.getSymName() << "' has " << layers << " layer calls to cut, for at most "
        << mostRanks() << " ranks with as many stages on each; a key that is left out is chosen";
    return plc::NoPlan;
  }

private:
  int64_t threads() const { return threadsOf(strategy); }
  bool isFree(StringRef key) const { return key == freed || !strategy.isOwn("parallelism." + key.str()); }
  int64_t own(const char *key) const { return strategy.get<int64_t>(std::string("parallelism.") + key); }

  std::vector<int64_t> microBatchCounts() {
    if (!isFree("micro_batches"))
      return {own("micro_batches")};
    // More than some per rank shorten the pipeline's ends by little, and the matrices of each too much.
    constexpr int64_t mostPerRank = 16, most = 4096;
    int64_t batch = (*model.getOps<plc::ein::ModelOp>().begin()).getBatch();
    std::vector<int64_t> counts = {strategy.get<int64_t>("gradient.lanes")}; // which must divide them
    int64_t limit = std::min({batch, mostPerRank * mostRanks(), most});
    while (counts.back() * 2 <= limit)
      counts.push_back(counts.back() * 2);
    // Those that leave no micro-batch smaller than others.
    for (int64_t count = batch; count > counts.front() && count % counts.front() == 0; count /= 2) {
      if (count <= limit && !llvm::is_contained(counts, count))
        counts.push_back(count);
      if (count % 2)
        break;
    }
    return counts;
  }

  // Those that divide the lanes, which are of the numerics key and stay as they are.
  std::vector<int64_t> replicaCounts() const {
    if (!isFree("replicas"))
      return {own("replicas")};
    int64_t lanes = strategy.get<int64_t>("gradient.lanes");
    std::vector<int64_t> counts;
    for (int64_t replicas = 1; replicas <= std::min(lanes, mostRanks()); ++replicas)
      if (lanes % replicas == 0)
        counts.push_back(replicas);
    return counts;
  }

  // Each rank has as many parts as each other one.
  std::vector<int64_t> shardCounts() const {
    if (!isFree("shard_ranks"))
      return {own("shard_ranks")};
    const auto &shard = strategy.get<plc::strategy::Counts>("parallelism.shard");
    int64_t parts = shard.empty() ? 1 : shard.begin()->second;
    std::vector<int64_t> counts;
    for (int64_t shards = 1; shards <= std::min(parts, mostRanks()); ++shards)
      if (parts % shards == 0)
        counts.push_back(shards);
    return counts;
  }

  std::vector<int64_t> rankCounts(int64_t most) const {
    std::vector<int64_t> counts;
    for (int64_t ranks = 1; ranks <= most; ranks += ranks < 8 ? 1 : ranks)
      counts.push_back(ranks);
    if (!counts.empty() && counts.back() < most)
      counts.push_back(most);
    return counts;
  }

  // Where nothing runs backward, or on one rank, all orders are one.
  std::vector<ScheduleKind> schedules(int64_t ranks) const {
    ScheduleKind given = strategy.getChoice<ScheduleKind>("parallelism.schedule");
    if (!isFree("schedule") || program.entry != plc::ProgramKind::train || ranks == 1)
      return {given};
    std::vector<ScheduleKind> kinds;
    for (size_t kind = 0; kind < plc::Choice<ScheduleKind>::rows().size(); ++kind)
      if (plc::rowOf(ScheduleKind(kind)).follows == OrderSource::shape)
        kinds.push_back(ScheduleKind(kind));
    return kinds;
  }

  // Several stages per rank make the ends of the pipeline shorter, by less and less. Of the orders that may have any number of
  // them, few are worth their search: `1f1b` and `zb_h1`, or the one that is named. With one micro-batch `interleaved` is as good.
  std::vector<int64_t> chunksOf(ScheduleKind schedule, int64_t ranks, int64_t microBatches) const {
    const ScheduleFamily &family = plc::rowOf(schedule);
    if (!isFree("chunks"))
      return {own("chunks")};
    if (ranks == 1)
      return {isFree("stages") ? 1 : own("stages")};
    if (!isFree("stages")) {
      int64_t chunks = own("stages") / ranks;
      bool fits = own("stages") % ranks == 0 || own("stages") == ranks + 1;
      return fits && chunks >= family.chunks ? std::vector<int64_t>{chunks} : std::vector<int64_t>();
    }
    bool isNamed = !isFree("schedule"),
         isPlain = schedule == ScheduleKind::oneFOneB || schedule == ScheduleKind::zeroBubbleH1;
    int64_t most = family.chunks;
    if (family.placement == Placement::loop)
      most = 4;
    else if (family.placement == Placement::any && (isNamed || (isPlain && microBatches > 1)))
      most = 3;
    std::vector<int64_t> counts(most - family.chunks + 1);
    std::iota(counts.begin(), counts.end(), family.chunks);
    return counts;
  }

  // Under the orders that may have any number of stages on a rank, and are worth their search.
  bool mayWrap(ScheduleKind schedule) const {
    bool isNamed = !isFree("schedule"),
         isFew = schedule == ScheduleKind::oneFOneB || schedule == ScheduleKind::zeroBubbleH1;
    return plc::rowOf(schedule).placement == Placement::any && (isNamed || isFew);
  }

  bool isAllowed(const JointChoice &choice, int64_t layers) const {
    const ScheduleFamily &family = plc::rowOf(choice.schedule);
    bool isVee = family.placement == Placement::vee;
    bool fitsFamily = !isVee || choice.stages() == 1 || choice.chunks == family.chunks;
    if (choice.placing == JointPlacing::wrapped)
      fitsFamily = choice.ranks > 1 && choice.chunks == 1 && isFree("chunks") && mayWrap(choice.schedule);
    return fitsFamily && choice.stages() <= layers && (isFree("stages") || choice.stages() == own("stages"));
  }

  /// The model with kernels for a number of micro-batches; null if it cannot be cut so.
  ModuleOp kernelsOf(int64_t microBatches, JointEstimate &estimate) {
    auto [it, isNew] = kernels.try_emplace(microBatches);
    if (isNew) {
      Strategy chosen = strategyOf({microBatches});
      std::string text;
      llvm::raw_string_ostream stream(text);
      Lowering lowering(models, chosen, sources, nullptr, stream);
      it->second = lowering.lower(program, "kernels");
      if (!it->second)
        refuse(text, lowering.exitCode(), uncut[microBatches]);
    }
    if (it->second)
      return *it->second;
    estimate = uncut[microBatches];
    return {};
  }

  // A run without gradients is one request: its ranks sleep before it, and wait for each other's messages in it. Left to the
  // choice, each has enough work. Measured with BERTs whose run takes one rank 1.2, 6.8 and 70 ms, on two cores with other work:
  // two ranks take 1.9, 2.0 and 1.2 times as long at their fastest, and one rank with two workers 0.97, 0.82 and 0.66 times.
  bool isTooSmall(const JointChoice &choice) {
    constexpr int64_t leastShareNs = 10'000'000;
    bool isOpen = isFree("stages") && isFree("replicas") && isFree("shard_ranks");
    return program.entry != plc::ProgramKind::train && isOpen && choice.allRanks() > 1 &&
           work(choice.microBatches).ns < leastShareNs * choice.allRanks();
  }

  /// Layer calls that can be cut.
  int64_t layersOf(int64_t microBatches) {
    std::vector<int64_t> balance = work(microBatches).balance;
    return std::max<int64_t>(1, std::accumulate(balance.begin(), balance.end(), int64_t(0)));
  }

  /// The step of an order, with updates.
  int64_t leastStep(ModuleOp ordered) const {
    return plc::plan::leastStep(programOf(ordered), strategy.rates(), threads());
  }

  OwningOpRef<ModuleOp> lower(const JointChoice &choice, const Program &program, const Strategy &chosen, StringRef last,
                              JointEstimate &estimate, int64_t mostNs = std::numeric_limits<int64_t>::max()) {
    ModuleOp withKernels = kernelsOf(choice.microBatches, estimate);
    if (!withKernels)
      return {};
    std::string text;
    llvm::raw_string_ostream stream(text);
    Lowering lowering(models, chosen, sources, nullptr, stream);
    int64_t givenUpNs = std::numeric_limits<int64_t>::max();
    lowering.giveUpIf([&](ModuleOp ordered) {
      int64_t ns = leastStep(ordered);
      if (ns > mostNs)
        givenUpNs = std::min(givenUpNs, ns);
      return ns > mostNs;
    });
    // Kernels keep the turns of long loops. Where the budget decides about these, too, a whole plan is made of the model, both ways.
    bool decidesTurns = last.empty() && solvesTurns(program, chosen) && hasSegments(withKernels);
    OwningOpRef<ModuleOp> module =
        decidesTurns ? lowering.lower(program, last) : lowering.plan(withKernels.clone(), program, last);
    if (!module && text.empty() && givenUpNs > mostNs) {
      estimate.ns = givenUpNs;
      estimate.isGivenUp = true;
    } else if (!module) {
      refuse(text, lowering.exitCode(), estimate);
    }
    return module;
  }

  // The message of the first error stands for all that was reported.
  void refuse(const std::string &text, int code, JointEstimate &estimate) {
    StringRef line = StringRef(text).split('\n').first;
    estimate.refusal = (line.contains("error: ") ? line.split("error: ").second : line).str();
    estimate.lacksMemory = code == plc::NoPlan && strategy.isGiven("memory.budget");
    estimate.missingBytes = readMissing(line).value_or(0);
    reports.try_emplace(estimate.refusal, text, code);
  }

  /// Of the model that was cut last; of several, the first.
  static std::vector<int64_t> balanceOf(const plc::plan::KnownAnswers &known) {
    std::vector<int64_t> balance;
    for (int64_t stage : known.cuts.begin()->second.stageOf) {
      balance.resize(std::max<size_t>(balance.size(), stage + 1));
      ++balance[stage];
    }
    return balance;
  }

  /// The step as the simulator plays it: beside the order's with messages, what waits for them, and updates.
  int64_t playedNs(plc::plan::ProgramOp planned, plc::plan::StepPart part) const {
    plc::plan::RouteTable routes(planned);
    plc::plan::TaskSlots slots(planned, routes);
    FailureOr<plc::module::EntryPlan> table = plc::plan::buildActionTable(planned, slots);
    assert(succeeded(table) && "a plan has a table");
    return plc::plan::predictStep(planned, *table, strategy.rates(), plc::strategy::optimizerOf(strategy).needsNorm(),
                                  threads(), part);
  }

  StepLoads loadsOf(plc::plan::ProgramOp planned) const {
    SymbolTable kernels(planned->getParentOfType<ModuleOp>());
    StepLoads found;
    found.ns.resize(planned.getNumRanks());
    planned.walk([&](plc::plan::CallOp call) {
      auto stage = call->getParentOfType<plc::plan::StageOp>();
      auto kernel = kernels.lookup<plc::plan::KernelOp>(call.getKernel());
      int64_t again = call.getRecompute() ? kernel.getNs() : plc::plan::nsOfTurnsAgain(kernel);
      found.ns[stage.getRank()] += kernel.getNs() * planned.getRunsOfReplica() / threads();
      found.againNs += again * planned.getRunsOfReplica() / threads();
    });
    return found;
  }

  /// The key without which there would be choices, or, if each of several must go, all that are given.
  std::vector<const char *> excludingKeys() {
    std::vector<const char *> given;
    for (const char *key : {"parallelism.stages", "parallelism.chunks", "parallelism.shard_ranks",
                            "parallelism.replicas", "parallelism.schedule"}) {
      StringRef name = StringRef(key).split('.').second;
      if (isFree(name))
        continue;
      freed = name;
      bool leavesChoices = !choices().empty();
      freed = "";
      if (leavesChoices)
        return {key};
      given.push_back(key);
    }
    return given;
  }

  const Models models;
  ModuleOp model; // for one batch
  Program program;
  llvm::SourceMgr &sources;
  const Strategy &strategy;
  bool isNarrow;
  std::map<int64_t, OwningOpRef<ModuleOp>> kernels; // by micro-batches
  std::map<int64_t, JointEstimate> works, uncut;    // of one rank; why there are no kernels
  std::map<std::string, std::pair<std::string, int>> reports;
  std::map<JointChoice, StepLoads> loads;
  // Measured on five models under 38 budgets: the same choices as with all effort.
  std::shared_ptr<plc::plan::KnownAnswers> hastyAnswers =
      std::make_shared<plc::plan::KnownAnswers>(RetentionEffort{.haste = 16});
  StringRef freed; // a key that counts as not given
};

} // namespace

int plc::driver::planAutomatically(const Models &models, const Program &program, llvm::SourceMgr &sources,
                                   Strategy &strategy, AutomaticPlan &plan, llvm::raw_ostream &errors, bool isNarrow) {
  ModelProblem problem(models, program, sources, strategy, isNarrow);
  plan.mostRanks = problem.mostRanks();
  if (Fault fault = solveJoint(problem, plan.answer)) {
    if (plan.answer.rows.empty())
      return problem.tellExcluded(errors);
    auto [text, code] = problem.reportOf(*fault);
    errors << (text.empty() ? "plc-compile: error: " + *fault + "\n" : text);
    if (plan.answer.chosen.estimate.missingBytes)
      errors << "plc-compile: note: this choice is " << describe(plan.answer.chosen.choice) << "\n";
    return code ? code : int(plc::NoPlan);
  }
  setParts(problem.loadsOf(plan.answer.chosen.choice), plan);
  strategy = problem.strategyOf(plan.answer.chosen.choice);
  return plc::Done;
}
