//===- FitBudget.cpp - plans that are tried for a budget --------------------===//
#include "Lowering.h"

#include "plc/Dialect/Plan/Plan.h"
#include "plc/Planning/BudgetCuts.h"
#include "plc/Planning/Summary.h"

#include <algorithm>

using namespace mlir;
using namespace plc::driver;

/// Plans that are tried for a budget, at most.
static constexpr int rounds = 8;
/// The phase behind which the program is in stages.
static constexpr llvm::StringLiteral cut = "skips";
/// The phase behind which a step is known, but for what is computed again.
static constexpr llvm::StringLiteral ordered = "schedule";

bool Lowering::Tried::fits() const {
  return isWhole && llvm::all_of(missing, [](int64_t bytes) { return bytes <= 0; });
}

Lowering::TriedKey Lowering::keyOf(const Program &program) {
  std::vector<int64_t> reserve = program.reserveBytes;
  while (!reserve.empty() && reserve.back() == 0) // as none
    reserve.pop_back();
  return {program.keepsAll, program.fillsBudget, program.inFlight, program.memoryFraction, std::move(reserve)};
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
  if (knownCut && knownCut->first == text)
    return knownCut->second->clone();
  OwningOpRef<ModuleOp> planned = module.clone();
  if (!runPhases(*planned, cuts, program, errors))
    return {};
  if (program.keepsAll) // else cuts know the budget, which each round has another one of
    knownCut.emplace(std::move(text), planned->clone());
  return planned;
}

std::optional<Lowering::Tried> Lowering::tryPlan(ModuleOp module, Program program, llvm::raw_ostream &errors,
                                                 llvm::function_ref<bool(ModuleOp)> isHopeless) {
  program.measures = true;
  TriedKey key = keyOf(program);
  if (auto it = knownPlans.find(key); it != knownPlans.end())
    return it->second;
  std::vector<Phase> phases = phasesOf(program, strategy);
  OwningOpRef<ModuleOp> planned = cutForTry(module, phases, program, errors);
  if (!planned || !runPhases(*planned, phasesBetween(phases, cut, ordered), program, errors))
    return std::nullopt;
  bool isSlow = isTooSlow && isTooSlow(*planned);
  gaveUp |= isSlow;
  if (isSlow || (isHopeless && isHopeless(*planned)))
    return knownPlans[key] = {{}, stepOf(*planned), /*isWhole=*/false};
  if (!runPhases(*planned, phasesBetween(phases, ordered, ""), program, errors))
    return std::nullopt;
  Tried tried{plc::plan::arenasOf(*planned), stepOf(*planned)};
  for (auto each : planned->getOps<plc::plan::ProgramOp>())
    tried.isCutByMemory |= each.getCutNs().value_or(0) > each.getCutBoundNs().value_or(0) * 102 / 100;
  for (int64_t &bytes : tried.missing)
    bytes -= strategy.get<int64_t>("memory.budget");
  if (tried.fits() && (!kept || tried.stepNs <= kept->stepNs))
    kept.emplace(Kept{key, tried.stepNs, std::move(planned)});
  return knownPlans[key] = tried;
}

// A round learns what addresses need beside what the plan was made for, and gives back what they leave.
bool Lowering::fitReserve(ModuleOp module, Program &program, llvm::raw_ostream &errors) {
  std::optional<std::vector<int64_t>> found; // the reserve of the fastest plan that fits
  int64_t foundNs = INT64_MAX;
  std::vector<int64_t> grown; // by which each rank's reserve grew last; 0 if it was enough
  int64_t budget = strategy.get<int64_t>("memory.budget");
  program.budgetCuts = std::make_shared<plc::plan::BudgetCuts>();
  for (int round = 0; round < rounds; ++round) {
    // What is tried behind a plan that fits may fail.
    auto tried = tryPlan(module, program, found ? llvm::nulls() : errors);
    if (!tried || !tried->isWhole) {
      if (!found)
        return false;
      break;
    }
    const std::vector<int64_t> &missing = tried->missing;
    program.reserveBytes.resize(missing.size());
    grown.resize(missing.size());
    bool isPlan = tried->fits();
    if (!isPlan && found)
      break;
    if (isPlan && tried->stepNs <= foundNs) {
      found = program.reserveBytes;
      foundNs = tried->stepNs;
    }
    std::vector<int64_t> reserve = program.reserveBytes;
    for (auto [bytes, more, last] : llvm::zip(reserve, missing, grown)) {
      // An answer has bytes to spare, so that a few less may change nothing: what was too little is doubled.
      last = more <= 0 ? 0 : std::max({more, 2 * last, budget / 512});
      bytes += last;
      // Nothing is given back before all fit, lest two ranks take turns, and then what is worth another plan.
      if (isPlan && -more > budget / 64)
        bytes = std::max<int64_t>(bytes + more, 0);
    }
    if (reserve == program.reserveBytes)
      break;
    program.reserveBytes = std::move(reserve);
  }
  if (found)
    program.reserveBytes = *found;
  return true;
}

bool Lowering::fitFraction(ModuleOp module, Program &program, llvm::raw_ostream &errors) {
  double least = 0, most = 1; // `most` is too much, once it was tried
  program.memoryFraction = most;
  for (int round = 0; round < rounds; ++round) {
    auto tried = tryPlan(module, program, errors);
    if (!tried)
      return false;
    (tried->fits() ? least : most) = *program.memoryFraction;
    if (least == most)
      return true;
    program.memoryFraction = (least + most) / 2;
  }
  program.memoryFraction = least;
  return true;
}

bool Lowering::fitRecomputation(ModuleOp module, Program &program, llvm::raw_ostream &errors) {
  if (solvesFraction(program, strategy))
    return fitFraction(module, program, errors);
  if (!solvesBudget(program, strategy))
    return true;
  program.keepsAll = true;
  auto tried = tryPlan(module, program, errors, [&](ModuleOp ordered) {
    int64_t budget = strategy.get<int64_t>("memory.budget");
    return llvm::any_of(plc::plan::leastArenasOf(ordered), [&](int64_t bytes) { return bytes > budget; });
  });
  if (!tried)
    return false;
  if (tried->fits() && !tried->isCutByMemory)
    return true;
  Program again = program;
  again.keepsAll = false;
  if (!tried->fits()) {
    program = std::move(again);
    return fitReserve(module, program, errors);
  }
  // Cuts that compute values again may balance the ranks better than cuts that keep all.
  auto other = fitReserve(module, again, llvm::nulls()) ? tryPlan(module, again, llvm::nulls()) : std::nullopt;
  if (other && other->fits() && other->stepNs < tried->stepNs)
    program = std::move(again);
  return true;
}

// The bytes that an order may not hold are bisected, for each rank, between those with which the plan does not fit and those
// with which it does, or none is found. An order takes its places by the micro-batch, so what is missing tells only where
// to look first. Who may hold less is not faster: what takes too long and does not fit is the last that is tried.
std::optional<int64_t> Lowering::fitHeld(ModuleOp module, Program &program, int64_t mostNs) {
  std::optional<std::vector<int64_t>> few, many, found;
  std::optional<int64_t> fewNs, foundNs;
  int64_t budget = strategy.get<int64_t>("memory.budget");
  for (int round = 0; round < rounds; ++round) {
    // What is computed again makes no step shorter.
    auto isSlower = [&](ModuleOp ordered) { return stepOf(ordered) > mostNs; };
    auto tried = tryPlan(module, program, llvm::nulls(), isSlower);
    if (tried && !tried->isWhole)
      break;
    if (tried)
      program.reserveBytes.resize(tried->missing.size());
    bool fits = tried && tried->fits();
    if (fits && (!foundNs || tried->stepNs <= *foundNs)) {
      found = program.reserveBytes;
      foundNs = tried->stepNs;
    }
    (tried && !fits ? few : many) = program.reserveBytes;
    if (tried && !fits)
      fewNs = tried->stepNs;
    // Nothing between the two is faster by much.
    if (foundNs && fewNs && *foundNs <= *fewNs + *fewNs / 256)
      break;
    std::vector<int64_t> next = program.reserveBytes;
    bool isNear = true; // nor do a few bytes matter
    if (few && many)
      for (size_t rank = 0; rank < next.size(); ++rank) {
        int64_t apart = (*many)[rank] - (*few)[rank];
        isNear &= apart <= budget / 128;
        next[rank] = (*few)[rank] + apart / 2;
      }
    else if (few)
      for (size_t rank = 0; rank < next.size(); ++rank)
        next[rank] += std::max<int64_t>(tried->missing[rank], 0);
    if (next == program.reserveBytes || (found && few && isNear))
      break;
    program.reserveBytes = std::move(next);
  }
  if (found)
    program.reserveBytes = *found;
  return foundNs;
}

// Two ways: so many micro-batches are in flight, half as many as long as that does not fit, and what is computed again is
// decided for these; or nothing is, and the order holds what the bytes allow. The faster of the plans is taken. With one
// in flight ranks take turns, which takes the fewest bytes of all orders: if that does not fit either, its addresses tell
// what is missing.
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
  Program filled = program;
  filled.fillsBudget = true;
  filled.keepsAll = solvesBudget(program, strategy) || solvesFraction(program, strategy);
  Program counted;
  for (int64_t most = ranksOf(strategy); most; most /= 2) {
    counted = program;
    counted.inFlight = std::min(most, mostInFlight(strategy));
    if (fitRecomputation(module, counted, llvm::nulls()) && take(counted, stepIfFits(counted)))
      break;
    if (gaveUp) // with fewer in flight it is no faster
      break;
  }
  // What lacked bytes instead is refused for them, for then it may be faster where values are computed again.
  bool isCountedSlow = gaveUp;
  take(filled, fitHeld(module, filled, best ? bestNs : INT64_MAX));
  program = best.value_or(counted);
  return best || !isCountedSlow;
}

bool Lowering::fitBudget(ModuleOp module, Program &program) {
  knownPlans.clear(); // of another module
  kept.reset();
  gaveUp = false;
  return solvesOrder(program, strategy) ? fitOrder(module, program) : fitRecomputation(module, program, errors);
}
