//===- AutomaticReport.cpp - a searched plan as text ----------------------===//
#include "Automatic.h"

#include "plc/Planner/Base/Format.h"
#include "plc/Support/Counted.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace plc::driver;
using plc::planner::formatNs, plc::planner::formatBytes;

namespace {

// Rows of the table, which is read on a terminal. Not tuned.
constexpr size_t mostRows = 10;

std::string outcomeOf(const AutomaticPlan::Row &row, const AutomaticPlan::Row &chosen) {
  if (row.overBytes)
    return formatBytes(row.overBytes) + " above the budget";
  double slower = 100 * double(row.stepNs - chosen.stepNs) / double(std::max<int64_t>(chosen.stepNs, 1));
  return llvm::formatv("{0:F1} % slower", slower);
}

void printRow(const AutomaticPlan::Row &row, const std::string &outcome, llvm::StringRef prefix,
              llvm::raw_ostream &out) {
  std::string ranks;
  for (int32_t rank : row.rankOf)
    ranks += (ranks.empty() ? "; on ranks " : ",") + std::to_string(rank);
  if (row.shards > 1)
    ranks = "; " + std::to_string(row.shards) + " ranks share each stage";
  std::string text = llvm::formatv("{0,13}  {1,8}  {2,5}  {3,6}  {4,-9}  {5,10}  {6}{7}", row.microBatches,
                                   row.replicas, row.ranks * row.replicas, row.stages, row.recomputes ? "budget" : "no",
                                   formatNs(row.stepNs), outcome, ranks);
  out << prefix << llvm::StringRef(text).rtrim() << "\n";
}

} // namespace

std::string plc::driver::describe(const AutomaticPlan &plan) {
  const AutomaticPlan::Row &row = *plan.chosen;
  std::string sharing;
  if (row.shards > 1)
    sharing = llvm::formatv(", {0}shared by {1},", row.stages > 1 ? "each " : "", row.shards);
  return llvm::formatv("{0}{1}{2} on {3}, {4}{5}{6}: step {7}",
                       row.replicas > 1 ? plc::counted(row.replicas, "replica") + " of " : "",
                       plc::counted(row.stages, "stage"), sharing, plc::counted(row.ranks * row.replicas, "rank"),
                       plc::counted(row.microBatches, "micro-batch"), row.ranks > 1 ? ", " + plan.schedule : "",
                       row.recomputes ? ", recomputing" : "", formatNs(row.stepNs));
}

void plc::driver::print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out) {
  out << prefix << "micro-batches  replicas  ranks  stages  recompute        step  outcome\n";
  printRow(*plan.chosen, "chosen", prefix, out);
  for (const AutomaticPlan::Row &row : llvm::ArrayRef(plan.rows).take_front(mostRows))
    printRow(row, outcomeOf(row, *plan.chosen), prefix, out);
  if (plan.rows.size() > mostRows)
    out << prefix << plan.rows.size() - mostRows << " others, slower or above the budget\n";
  out << prefix << "chosen: " << describe(plan) << "\n";
  out << prefix
      << llvm::formatv(
             "its step: work {0:F1} %, recomputed {1:F1} %, uneven {2:F1} %, waiting {3:F1} %, updates {4:F1} %\n",
             plan.work, plan.again, plan.uneven, plan.waiting, plan.updates);
  out << prefix << "binds: " << plan.binds << "\n";
  out << prefix
      << llvm::formatv("bound: no plan on {0} is faster than {1} ({2:F1} % less); {3} plans were evaluated{4}\n",
                       plc::counted(plan.mostRanks, "rank"), formatNs(plan.boundNs),
                       100 * (1 - double(plan.boundNs) / double(std::max<int64_t>(plan.chosen->stepNs, 1))),
                       plan.evaluations, plan.isAborted ? ", until the time was over" : "");
  if (plan.others.empty())
    return;
  out << prefix << "the search left these as they are; each alone would give\n";
  for (const AutomaticPlan::Other &other : plan.others)
    out << prefix
        << llvm::formatv("  {0,10} or less ({1:F0} %) by {2}{3}\n", formatNs(other.ns),
                         100 * (double(other.ns) / double(plan.chosen->stepNs) - 1), other.sets,
                         other.changesBits ? "; changes the bits" : "");
}
