//===- Budgets.cpp - what each byte less costs ----------------------------===//
#include "Automatic.h"

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

namespace {

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
  static constexpr int64_t points = 10;

  struct Row {
    int64_t bytes = 0, stepNs = 0, recomputedNs = 0, boundNs = 0;
  };

  Strategy under(int64_t bytes) const {
    Strategy chosen = strategy;
    chosen.choose("memory.budget", bytes, /*isOwn=*/true);
    chosen.choose("checkpoint.policy", std::string(plc::nameOfChoice(plc::planner::RematPolicy::budget)),
                  /*isOwn=*/true);
    return chosen;
  }

  // No plan fits one byte, and the one that lacks the fewest takes about the least. It may have fewer ranks than the fastest plan, and
  // then each takes more: budgets that are halfway to that plan's tell.
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
    // Not narrowly: such a search recomputes nothing.
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

  // A budget that no plan fits ends the list.
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
      auto part = [](int64_t more, int64_t whole) { // no percentage of nothing
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
