//===- Budgets.cpp - what each byte less costs ----------------------------===//
#include "Automatic.h"

#include "plc/Driver/MachineModel.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planning/Report/Summary.h"
#include "plc/Support/ExitCodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace plc::driver;
using plc::PhaseKind;
using plc::strategy::Strategy;
namespace keys = plc::keys;

namespace {

// Plans a program under falling budgets, each searched, lowered and proven like any other plan.
class BudgetLister {
public:
  BudgetLister(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
               const Strategy &strategy)
      : models(models), done(done), program(program), sources(sources), strategy(strategy) {}

  int run(llvm::raw_ostream &out, llvm::raw_ostream &errors) {
    Program plain = program;
    plain.recomputes = false;
    if (int failed = add(plain, strategy)) {
      errors << text;
      return failed;
    }
    const int64_t most = rows.front().bytes;
    int64_t least = most;
    int failed = findLeast(least);
    const int64_t step = (most - least) / points;
    for (int64_t bytes = most - step; failed == plc::Done && step > 0 && bytes > 0; bytes -= step)
      failed = add(program, under(bytes));
    return report(failed, out, errors);
  }

private:
  // Budgets that are listed: each takes a search of its own. Not tuned.
  static constexpr int64_t points = 10;

  struct Row {
    int64_t bytes = 0, stepNs = 0, recomputedNs = 0, boundNs = 0;
  };

  Strategy under(int64_t bytes) const {
    Strategy chosen = strategy;
    chosen.choose(keys::memoryBudget, bytes, /*isOwn=*/true);
    chosen.choose(keys::checkpointPolicy, plc::planner::RematPolicy::budget,
                  /*isOwn=*/true);
    return chosen;
  }

  // Finds the fewest bytes that have a plan. No plan fits in one byte, and the plan with the smallest shortfall takes
  // about the least. But that plan may have fewer ranks, each with more bytes than the fastest plan's. Then budgets
  // halfway to the fastest plan's bytes are tried, up to 15/16 of them.
  int findLeast(int64_t &least) {
    const int64_t most = rows.front().bytes;
    for (int64_t bytes = 1; least == most && bytes < most / 16 * 15; bytes = (bytes + most) / 2) {
      int failed = add(program, under(bytes));
      if (failed && failed != plc::NoPlan)
        return failed;
      int64_t found = failed ? searched.leastBytes : bytes;
      least = found ? std::min(least, found) : least;
    }
    return plc::Done;
  }

  int add(const Program &asked, Strategy chosen) {
    text.clear();
    searched = {};
    llvm::raw_string_ostream errors(text);
    // Not a narrow search: without moves nothing is recomputed.
    if (isSearched(asked, chosen))
      if (int failed = planAutomatically(models, done, asked, sources, chosen, searched, errors))
        return failed;
    Lowering lowering(models, chosen, sources, /*timed=*/nullptr, errors, done);
    OwningOpRef<ModuleOp> module = lowering.lower(asked, "");
    if (!module)
      return lowering.exitCode();
    plc::plan::ProgramOp planned = *module->getOps<plc::plan::ProgramOp>().begin();
    rows.push_back({*llvm::max_element(plc::plan::arenasOf(*module)), playedNs(chosen, planned),
                    int64_t(planned.getRecomputeNs().value_or(0)), int64_t(planned.getRecomputeBoundNs().value_or(0))});
    return plc::Done;
  }

  // Prints the list. A budget without a plan ends it. From fewest bytes on, a plan stays only if it is faster than all
  // before.
  int report(int code, llvm::raw_ostream &out, llvm::raw_ostream &errors) {
    if (code != plc::Done && code != plc::NoPlan) {
      errors << text;
      return code;
    }
    const Row plain = rows.front();
    llvm::stable_sort(rows, [](const Row &a, const Row &b) { return a.bytes < b.bytes; });
    std::vector<Row> best;
    for (const Row &row : rows)
      if (row.bytes <= plain.bytes && (best.empty() || row.stepNs < best.back().stepNs))
        best.push_back(row);
    out << llvm::formatv("{0,12} {1,12} {2,8} {3,14} {4,12} {5,8}\n", "bytes", "step ns", "slower", "recomputed ns",
                         "bound ns", "gap");
    for (const Row &row : llvm::reverse(best)) {
      // There is no percentage of nothing.
      auto part = [](int64_t more, int64_t whole) {
        return more && !whole ? std::string("-") : plc::planner::formatPart(more, whole);
      };
      out << llvm::formatv("{0,12} {1,12} {2,8} {3,14} {4,12} {5,8}\n", row.bytes, row.stepNs,
                           part(row.stepNs - plain.stepNs, plain.stepNs), row.recomputedNs, row.boundNs,
                           part(row.recomputedNs - row.boundNs, row.boundNs));
    }
    return plc::Done;
  }

  const Models models;
  const PhaseKind done;
  const Program program;
  llvm::SourceMgr &sources;
  const Strategy &strategy;
  std::vector<Row> rows;
  AutomaticPlan searched; // for the last row
  std::string text;       // what is wrong with it
};

} // namespace

int plc::driver::listBudgets(const Models &models, PhaseKind done, const Program &program, llvm::SourceMgr &sources,
                             const Strategy &strategy, llvm::raw_ostream &out, llvm::raw_ostream &errors) {
  return BudgetLister(models, done, program, sources, strategy).run(out, errors);
}
