//===- FitBudget.cpp - plans that are tried for a budget --------------------===//
#include "Lowering.h"

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planning/KnownAnswers.h"
#include "plc/Planning/Summary.h"
#include "plc/Strategy/Choices.h"

#include <algorithm>

using namespace mlir;
using namespace plc::driver;

/// Plans that are tried for a budget, at most.
static constexpr int rounds = 8;
/// Further ones where little is missing.
static constexpr int lastRounds = 3;
/// Cuts that are tried for a budget, at most.
static constexpr size_t mostCuts = 8;
/// Operations of a model up to which fractions are tried where bytes had no plan, and where they had one.
static constexpr int64_t mostOps = 20'000, mostOpsWhereFits = 1'000;
/// The phase behind which the program is in stages.
static constexpr llvm::StringLiteral cut = "skips";
/// The phase behind which a step is known, but for what is computed again.
static constexpr llvm::StringLiteral ordered = "schedule";

bool Lowering::holdsTooMuch(ModuleOp ordered) const {
  int64_t budget = strategy.get<int64_t>("memory.budget");
  return llvm::any_of(plc::plan::leastArenasOf(ordered), [&](int64_t bytes) { return bytes > budget; });
}

// Perhaps: its slowest rank is above the bound of all cuts by more than a fiftieth.
static bool isCutByMemory(ModuleOp planned) {
  return llvm::any_of(planned.getOps<plc::plan::ProgramOp>(), [](plc::plan::ProgramOp each) {
    return each.getCutNs().value_or(0) > each.getCutBoundNs().value_or(0) * 102 / 100;
  });
}

bool Lowering::Tried::fits() const {
  return isWhole && llvm::all_of(missing, [](int64_t bytes) { return bytes <= 0; });
}

Lowering::TriedKey Lowering::keyOf(const Program &program) {
  std::vector<int64_t> reserve = program.reserveBytes;
  while (!reserve.empty() && reserve.back() == 0) // as none
    reserve.pop_back();
  return {program.isFree,   program.isPlain,        program.fillsBudget, program.keepsAll,
          program.inFlight, program.memoryFraction, std::move(reserve),  program.cutsTried};
}

int64_t plc::driver::stepOf(ModuleOp planned) {
  int64_t ns = 0;
  for (auto each : planned.getOps<plc::plan::ProgramOp>())
    ns = std::max<int64_t>(ns, each.getStepNs().value_or(0));
  return ns;
}

OwningOpRef<ModuleOp> Lowering::cutForTry(ModuleOp module, llvm::ArrayRef<Phase> phases, const Program &program,
                                          llvm::raw_ostream &errors) {
  llvm::ArrayRef<Phase> cuts = phasesBetween(phases, lastOfModel, cut);
  std::string text = pipelineText(cuts);
  program.known->cuts.clear(); // until others are made
  if (knownCut && knownCut->first == text)
    return knownCut->second->clone();
  OwningOpRef<ModuleOp> planned = module.clone();
  if (!runPhases(*planned, cuts, program, errors))
    return {};
  if (program.keepsAll) // else cuts know the budget, which each round has another one of
    knownCut.emplace(std::move(text), planned->clone());
  return planned;
}

bool Lowering::isFreeOrder(ModuleOp module, const Program &program) const {
  if (!freeOrder || freeOrder->isPlain != program.isPlain || program.isFree || !program.keepsAll ||
      program.fillsBudget || !strategy.get<plc::strategy::Counts>("parallelism.shard").empty())
    return false;
  // An order that follows times is told what the cuts count with.
  auto isTold = [&](const auto &each) {
    return !program.inFlight ||
           llvm::all_of(each.second.inFlight, [&](int64_t most) { return most == program.inFlight; });
  };
  auto cuts = cutsOf(module, program, strategy);
  return cuts && *cuts == freeOrder->cuts && llvm::all_of(*cuts, isTold);
}

std::optional<Lowering::Tried> Lowering::tryPlan(ModuleOp module, Program program, llvm::raw_ostream &errors,
                                                 llvm::function_ref<bool(ModuleOp)> isHopeless) {
  program.measures = true;
  TriedKey key = keyOf(program);
  if (auto it = knownPlans.find(key); it != knownPlans.end()) {
    if (program.budgetCuts && it->second.budgetCuts)
      *program.budgetCuts = *it->second.budgetCuts;
    return it->second;
  }
  if (isHopeless && isFreeOrder(module, program)) {
    gaveUp |= freeOrder->isSlow;
    return knownPlans[key] = freeOrder->tried;
  }
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> planned = cutForTry(module, phases, program, errors);
  if (!planned || !runPhases(*planned, phasesBetween(phases, cut, ordered), program, errors))
    return std::nullopt;
  std::optional<plc::plan::BudgetCuts> budgetCuts;
  if (program.budgetCuts)
    budgetCuts = *program.budgetCuts;
  bool isSlow = isTooSlow && isTooSlow(*planned);
  gaveUp |= isSlow;
  if (isSlow || (isHopeless && isHopeless(*planned))) {
    Tried tried{{}, stepOf(*planned), /*isWhole=*/false, std::move(budgetCuts)};
    if (program.isFree)
      freeOrder = {program.isPlain, isSlow, program.known->cuts, tried};
    return knownPlans[key] = tried;
  }
  if (!runPhases(*planned, phasesBetween(phases, ordered, ""), program, errors))
    return std::nullopt;
  Tried tried{plc::plan::arenasOf(*planned), stepOf(*planned), /*isWhole=*/true, std::move(budgetCuts)};
  for (int64_t &bytes : tried.missing)
    bytes -= strategy.get<int64_t>("memory.budget");
  if (tried.fits() && (!kept || tried.stepNs <= kept->stepNs))
    kept.emplace(Kept{key, tried.stepNs, std::move(planned)});
  return knownPlans[key] = tried;
}

namespace {

// What is reserved of a rank's bytes, by what has been tried.
class RankReserve {
public:
  explicit RankReserve(int64_t budget) : budget(budget) {}

  // A plan that lacked so many bytes with this reserve, or had them to spare if less than nothing.
  void tried(int64_t bytes, int64_t missing) {
    if (missing > 0) {
      // What has no answer with as few bytes was another rank.
      if (many && *many <= bytes)
        many.reset();
      grown = std::max({missing, growth(bytes, missing), budget / 512});
      few = bytes;
      lacked = missing;
    } else {
      many = bytes;
      grown = 0;
    }
    less.reset();
    answered = std::max(answered, bytes);
    if (missing <= 0 && (!fitted || bytes < *fitted))
      fitted = bytes;
  }
  // Some rank has no answer with these bytes: not one that had an answer with as many.
  void refused(int64_t bytes) {
    if (bytes > answered)
      many = bytes;
  }
  // The least with which this rank fitted, whatever others did, or may fit.
  int64_t enough() const { return fitted.value_or(next()); }
  // Between what is too little and what is enough, or too much, lies what is tried next. An answer has bytes to spare, so that
  // a few less may change nothing: what was too little is doubled.
  int64_t next() const {
    if (!few)
      return less ? *less : many.value_or(0);
    if (!many)
      return *few + grown;
    return *many - *few > budget / 256 ? *few + (*many - *few) / 2 : *many;
  }
  // What was reserved of what is spare, if it is worth another plan.
  void giveBack(int64_t missing) {
    if (!few && -missing > budget / 64)
      less = std::max<int64_t>(*many + missing, 0);
  }

private:
  // As much again as helped so far by its part; twice as much as did not help.
  int64_t growth(int64_t bytes, int64_t missing) const {
    if (!few || bytes <= *few || missing >= lacked)
      return 2 * grown;
    return std::min(2 * grown, int64_t(double(missing) * double(bytes - *few) / double(lacked - missing)));
  }

  int64_t budget, grown = 0, lacked = 0, answered = -1;
  std::optional<int64_t> few, many, less, fitted;
};

} // namespace

// A round learns what addresses need beside what the plan was made for, and gives back what they leave. Who may hold less is not
// faster: what takes too long is the last that is tried. Where nothing fits, the plan that lacks the fewest bytes is the answer,
// and its addresses tell what it lacks.
std::optional<bool> Lowering::fitCut(ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors) {
  std::optional<std::vector<int64_t>> found; // of the fastest plan that fits
  std::vector<int64_t> nearest;              // of the one that lacks the fewest bytes
  std::vector<RankReserve> ranks;
  int64_t foundNs = INT64_MAX, fewNs = 0, leastMissing = INT64_MAX, budget = strategy.get<int64_t>("memory.budget");
  bool isSlow = false;
  for (int round = 0; round < rounds; ++round) {
    // What is tried behind a first plan may fail.
    auto tried = tryPlan(module, program, round ? llvm::nulls() : errors,
                         [&](ModuleOp ordered) { return stepOf(ordered) > mostNs; });
    if (round == 0 && !(tried && tried->isWhole))
      return std::nullopt;
    if (tried && !tried->isWhole) {
      isSlow = true;
      break;
    }
    std::vector<int64_t> &reserve = program.reserveBytes;
    if (tried) {
      const std::vector<int64_t> &missing = tried->missing;
      reserve.resize(missing.size());
      ranks.resize(missing.size(), RankReserve(budget));
      for (auto [rank, bytes, more] : llvm::zip(ranks, reserve, missing))
        rank.tried(bytes, more);
      if (tried->fits())
        for (auto [rank, more] : llvm::zip(ranks, missing)) // not before all fit, lest two ranks take turns
          rank.giveBack(more);
      if (tried->fits() && tried->stepNs <= foundNs) {
        found = reserve;
        foundNs = tried->stepNs;
      }
      if (!tried->fits())
        fewNs = tried->stepNs;
      if (int64_t most = *llvm::max_element(missing); most < leastMissing) {
        nearest = reserve;
        leastMissing = most;
      }
    } else {
      for (auto [rank, bytes] : llvm::zip(ranks, reserve))
        rank.refused(bytes);
    }
    std::vector<int64_t> next;
    for (const RankReserve &rank : ranks)
      next.push_back(rank.next());
    // Nothing between a plan that fits and one that does not is faster by much.
    if (next == reserve || (found && foundNs <= fewNs + fewNs / 256))
      break;
    reserve = std::move(next);
  }
  // Each rank may have fitted, or nearly so, but never all of them at once.
  for (int round = 0; round < lastRounds && !found && leastMissing <= budget / 64; ++round) {
    for (auto [bytes, rank] : llvm::zip(program.reserveBytes, ranks))
      bytes = rank.enough();
    auto tried = tryPlan(module, program, llvm::nulls());
    if (tried && !tried->isWhole)
      break;
    if (tried && tried->fits())
      found = program.reserveBytes;
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      if (tried)
        ranks[rank].tried(program.reserveBytes[rank], tried->missing[rank]);
      else
        ranks[rank].refused(program.reserveBytes[rank]);
  }
  program.reserveBytes = found.value_or(nearest);
  return found || isSlow;
}

// A cut that ranks have answers for may still not fit: addresses know of bytes that the answers do not. Then another one is tried.
// Where none fits, the first is the answer.
bool Lowering::fitReserve(ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors) {
  std::optional<Program> first;
  program.budgetCuts = std::make_shared<plc::plan::BudgetCuts>();
  program.budgetCuts->most = program.triesCuts ? mostCuts : 2;
  for (program.cutsTried = 0; program.cutsTried < int64_t(mostCuts); ++program.cutsTried) {
    std::optional<bool> fits = fitCut(module, program, mostNs, first ? llvm::nulls() : errors);
    if (!first && !fits)
      return false;
    if (fits.value_or(false))
      return true;
    if (!first)
      first = program;
    if (!program.triesCuts || program.budgetCuts->isExhausted ||
        program.budgetCuts->stageOf.empty()) // no budget chose it
      break;
    program.budgetCuts = std::make_shared<plc::plan::BudgetCuts>(program.budgetCuts->withoutChosen());
    program.reserveBytes.clear();
  }
  program = *first;
  return true;
}

// A smaller fraction keeps less, and so takes longer: none is tried behind one that takes too long.
bool Lowering::fitFraction(ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors) {
  double least = 0, most = 1; // `most` is too much, once it was tried
  program.memoryFraction = most;
  for (int round = 0; round < rounds; ++round) {
    auto tried = tryPlan(module, program, errors, [&](ModuleOp ordered) { return stepOf(ordered) > mostNs; });
    if (!tried || (!tried->isWhole && least == 0))
      return false;
    if (!tried->isWhole)
      break;
    (tried->fits() ? least : most) = *program.memoryFraction;
    if (least == most)
      return true;
    program.memoryFraction = (least + most) / 2;
  }
  program.memoryFraction = least;
  return true;
}

Program Lowering::freeOf(Program program) const {
  program.keepsAll = solvesBudget(program, strategy) || solvesFraction(program, strategy);
  program.isFree = true;
  return program;
}

bool Lowering::fitFree(ModuleOp module, Program &program) {
  Program free = freeOf(program);
  auto tried = tryPlan(module, free, llvm::nulls(), [&](ModuleOp ordered) { return holdsTooMuch(ordered); });
  if (!tried || !tried->fits())
    return false;
  program = std::move(free);
  return true;
}

bool Lowering::fitRecomputation(ModuleOp module, Program &program, int64_t mostNs, llvm::raw_ostream &errors) {
  if (solvesFraction(program, strategy))
    return fitFraction(module, program, INT64_MAX, errors);
  if (!solvesBudget(program, strategy))
    return true;
  program.keepsAll = true;
  bool mayBeFaster = false;
  auto tried = tryPlan(module, program, errors, [&](ModuleOp ordered) {
    if (holdsTooMuch(ordered))
      return true;
    mayBeFaster = isCutByMemory(ordered);
    return mayBeFaster;
  });
  if (!tried)
    return false;
  if (tried->fits())
    return true;
  Program again = program;
  again.keepsAll = false;
  // Cuts that compute values again may balance the ranks better than cuts that keep all. If not, addresses tell whether all fit.
  if (mayBeFaster) {
    int64_t most = std::min(mostNs, tried->stepNs);
    auto other = fitReserve(module, again, most, llvm::nulls()) ? tryPlan(module, again, llvm::nulls()) : std::nullopt;
    if (!(other && other->fits() && other->stepNs < tried->stepNs)) {
      std::erase_if(knownPlans, [](const auto &each) { return !each.second.isWhole; });
      tried = tryPlan(module, program, errors);
      if (!tried)
        return false;
      if (tried->fits())
        return true;
      again.reserveBytes.clear();
    }
  }
  std::string text; // of errors
  llvm::raw_string_ostream stream(text);
  program = again;
  bool isPlanned = fitReserve(module, program, mostNs, stream);
  auto planned = isPlanned ? tryPlan(module, program, llvm::nulls()) : std::nullopt;
  if (std::optional<Program> other = fitByLayers(module, again, planned)) {
    program = std::move(*other);
    return true;
  }
  errors << text;
  return isPlanned;
}

// What stages of one rank hold together, and B and W apart, the model of recomputation counts as more than it is. A fraction that
// layers keep is measured by addresses alone.
std::optional<Program> Lowering::fitByLayers(ModuleOp module, Program program, const std::optional<Tried> &byBytes) {
  bool fits = byBytes && byBytes->fits();
  if (program.isHasty || (byBytes && !byBytes->isWhole))
    return std::nullopt;
  int64_t ops = 0;
  module.walk([&](Operation *) { ++ops; });
  const auto &place = strategy.get<std::vector<int64_t>>("parallelism.place");
  bool sharesRanks = !place.empty() && ranksOf(strategy) < strategy.get<int64_t>("parallelism.stages");
  bool splits = plc::rowOf(strategy.getChoice<plc::planner::ScheduleKind>("parallelism.schedule")).splitsBackward;
  if (ops > (fits ? mostOpsWhereFits : mostOps) || (fits && !sharesRanks && !splits))
    return std::nullopt;
  program.reserveBytes.clear();
  program.budgetCuts.reset();
  program.cutsTried = 0;
  if (!fitFraction(module, program, fits ? byBytes->stepNs - 1 : INT64_MAX, llvm::nulls()))
    return std::nullopt;
  auto tried = tryPlan(module, program, llvm::nulls());
  bool isBetter = tried && tried->fits() && (!fits || tried->stepNs < byBytes->stepNs);
  return isBetter ? std::optional(std::move(program)) : std::nullopt;
}

// The fastest of several ways. The order is that which there is without a budget, if it keeps the budget. Or so many micro-batches
// are in flight, half as many as long as that does not fit, and what is computed again is decided for these; or nothing is, and the
// order holds what the bytes allow. Or it is 1f1b, which joins W to B where W apart holds too much. With one in flight ranks take
// turns, which takes the fewest bytes of all orders: if that does not fit either, its addresses tell what is missing.
bool Lowering::fitOrder(ModuleOp module, Program &program) {
  std::optional<Program> best;
  int64_t bestNs = 0;
  auto take = [&](const Program &candidate, std::optional<int64_t> ns) {
    if (ns && (!best || *ns <= bestNs)) {
      best = candidate;
      bestNs = *ns;
    }
    return ns.has_value();
  };
  auto stepIfFits = [&](const Program &candidate) {
    auto tried = tryPlan(module, candidate, llvm::nulls());
    return tried && tried->fits() ? std::optional(tried->stepNs) : std::nullopt;
  };
  Program free = program;
  bool isFree = fitFree(module, free) && take(free, stepIfFits(free)); // with as many in flight as are counted first
  gaveUp = false;                                                      // others may hold more
  Program filled = program;
  filled.fillsBudget = true;
  filled.keepsAll = solvesBudget(program, strategy) || solvesFraction(program, strategy);
  Program counted;
  for (int64_t most = ranksOf(strategy); most && !isFree; most /= 2) {
    counted = program;
    counted.inFlight = std::min(most, mostInFlight(strategy));
    if (fitRecomputation(module, counted, INT64_MAX, llvm::nulls()) && take(counted, stepIfFits(counted)))
      break;
    if (gaveUp) // with fewer in flight it is no faster
      break;
  }
  // What lacked bytes instead is refused for them, for then it may be faster where values are computed again.
  bool isCountedSlow = gaveUp;
  if (fitReserve(module, filled, best ? bestNs : INT64_MAX, llvm::nulls()))
    take(filled, stepIfFits(filled));
  // What is computed again makes no step shorter.
  Program plain = program;
  plain.isPlain = true;
  bool isPlainFree = fitFree(module, plain);
  if (auto order = tryPlan(module, freeOf(plain), llvm::nulls()); order && (!best || order->stepNs < bestNs))
    if (isPlainFree || fitRecomputation(module, plain, best ? bestNs : INT64_MAX, llvm::nulls()))
      if (auto ns = stepIfFits(plain); ns && (!best || *ns < bestNs))
        take(plain, ns);
  program = best.value_or(counted);
  return best || !isCountedSlow;
}

bool Lowering::fitBudget(ModuleOp module, Program &program) {
  knownPlans.clear(); // of another module
  freeOrder.reset();
  kept.reset();
  gaveUp = false;
  if (!program.known)
    program.known = std::make_shared<plc::plan::KnownAnswers>();
  if (solvesOrder(program, strategy))
    return fitOrder(module, program);
  // What keeps a budget without knowing of it is taken as it is: whoever knows counts with estimates.
  bool isLimited = strategy.get<int64_t>("memory.budget") && program.recomputes && !program.listsBudgets;
  return (isLimited && fitFree(module, program)) || fitRecomputation(module, program, INT64_MAX, errors);
}
