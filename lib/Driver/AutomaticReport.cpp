//===- AutomaticReport.cpp - a joint plan for people ------------------------===//
#include "Automatic.h"

#include "plc/Planner/Format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>
#include <numeric>

using namespace plc::driver;
using namespace plc::planner;

namespace {

std::string listOf(const std::vector<int64_t> &numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t each) { return std::to_string(each); }), ",");
}

// Elsewhere all orders are one.
bool hasOrder(const JointChoice &choice) { return choice.ranks * choice.shards > 1; }

// Rows of the table.
constexpr size_t mostRows = 10;

/// Why a candidate was not looked at closely, if it was not.
const char *whySkipped(const JointRow &row, const JointRow &chosen) {
  if (row.depth != JointRow::work || !row.estimate.refusal.empty() || row.estimate.ns < chosen.estimate.ns)
    return nullptr;
  return row.choice.schedule == ScheduleKind::automatic ? "any order of it takes longer"
                                                        : "its share of the work alone takes longer";
}

std::string verdict(const JointRow &row, const JointRow &chosen) {
  if (!row.estimate.refusal.empty())
    return row.estimate.refusal;
  if (row.choice == chosen.choice)
    return "chosen";
  bool isSlower = row.estimate.ns >= chosen.estimate.ns;
  if (!isSlower)
    return "not planned: plans like it take longer than their orders";
  double slower = 100 * double(row.estimate.ns - chosen.estimate.ns) / double(std::max<int64_t>(chosen.estimate.ns, 1));
  return llvm::formatv("{0:F1} % slower{1}", slower, row.depth == JointRow::plan ? "" : " or more");
}

/// Rows of a table as text, and in a line how many were left out, and why.
class Rows {
public:
  Rows(const JointRow &chosen, llvm::function_ref<void(const JointRow &)> printRow)
      : chosen(chosen), printRow(printRow) {}

  void add(const JointRow &row) {
    const char *skipped = whySkipped(row, chosen);
    bool isPrinted = row.choice == chosen.choice || (!skipped && printed < mostRows);
    if (isPrinted) {
      ++printed;
      printRow(row);
      return;
    }
    ++left[skipped ? skipped : row.estimate.refusal.empty() ? "slower" : "no plan fits"];
  }

  std::string textOfOthers() const {
    int64_t count = 0;
    std::vector<std::string> reasons;
    for (const auto &[why, times] : left) {
      count += times;
      reasons.push_back(std::to_string(times) + " " + why);
    }
    return count ? std::to_string(count) + " other" + (count == 1 ? "" : "s") + ": " + llvm::join(reasons, "; ") : "";
  }

private:
  const JointRow &chosen;
  llvm::function_ref<void(const JointRow &)> printRow;
  size_t printed = 0;
  std::map<std::string, int64_t> left;
};

/// Which keys the search did not vary, and what they would give.
void printOthers(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out) {
  if (plan.others.empty())
    return;
  out << prefix << "the search left these as they are; each alone would give\n";
  for (const AutomaticPlan::Other &other : plan.others)
    out << prefix
        << llvm::formatv("  {0,10} or less ({1:F0} %) by {2}{3}\n", formatNs(other.ns),
                         100 * (double(other.ns) / double(plan.answer.chosen.estimate.ns) - 1), other.sets,
                         other.changesBits ? "; changes the bits" : "");
}

} // namespace

void plc::driver::setParts(const StepLoads &loads, AutomaticPlan &plan) {
  const JointRow &chosen = plan.answer.chosen;
  double step = double(std::max<int64_t>(chosen.estimate.ns, 1)), ranks = double(loads.ns.size());
  double total = double(std::accumulate(loads.ns.begin(), loads.ns.end(), int64_t(0)));
  double slowest = double(*std::max_element(loads.ns.begin(), loads.ns.end()));
  plan.work = 100 * (total - double(loads.againNs)) / ranks / step;
  plan.again = 100 * double(loads.againNs) / ranks / step;
  plan.uneven = 100 * (slowest - total / ranks) / step;
  plan.waiting = std::max(0.0, 100 * (double(loads.tasksNs) - slowest) / step);
  plan.updates = std::max(0.0, 100 * (step - double(loads.tasksNs)) / step);
  // What costs more than this part of the step is worth naming.
  constexpr double worthwhile = 5;
  double worst = std::max({plan.again, plan.uneven, plan.waiting, plan.updates});
  if (plan.answer.hitsMemory)
    plan.binds = "memory.budget";
  else if (worst > worthwhile)
    plan.binds = plan.uneven == worst ? "layers" : plan.updates == worst ? "batch" : "micro-batches";
  else
    plan.binds = chosen.choice.allRanks() == plan.mostRanks ? "ranks" : "work";
}

std::string plc::driver::describe(const JointChoice &choice) {
  auto count = [](int64_t number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : what[0] == 'm' ? "es" : "s");
  };
  std::string sharing;
  if (choice.shards > 1)
    sharing = llvm::formatv(", {0}shared by {1},", choice.stages() > 1 ? "each " : "", choice.shards);
  return llvm::formatv("{0}{1}{2} on {3}, {4}{5}{6}",
                       choice.replicas > 1 ? count(choice.replicas, "replica") + " of " : "",
                       count(choice.stages(), "stage"), sharing, count(choice.allRanks(), "rank"),
                       count(choice.microBatches, "micro-batch"),
                       hasOrder(choice) ? std::string(", ") + plc::nameOfChoice(choice.schedule) : "",
                       choice.recomputes ? ", recomputing" : "");
}

std::string plc::driver::describe(const AutomaticPlan &plan) {
  return describe(plan.answer.chosen.choice) + ": step " + formatNs(plan.answer.chosen.estimate.ns);
}

void plc::driver::print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out) {
  bool shares = llvm::any_of(plan.answer.rows, [](const JointRow &row) { return row.choice.shards > 1; });
  constexpr const char *columns = "{0,13}  {1,8}  {2}{3,5}  {4,6}  {5,-11}  {6,-9}  {7,10}  {8}";
  auto shards = [&](auto what) { return shares ? llvm::formatv("{0,6}  ", what).str() : ""; };
  out << prefix
      << llvm::formatv(columns, "micro-batches", "replicas", shards("shards"), "ranks", "stages", "schedule",
                       "recompute", "step", "outcome")
      << "\n";
  auto printRow = [&](const JointRow &row) {
    const JointChoice &choice = row.choice;
    std::string text = llvm::formatv(
        columns, choice.microBatches, choice.replicas, shards(choice.shards), choice.allRanks(), choice.stages(),
        hasOrder(choice) ? plc::nameOfChoice(choice.schedule) : "-", choice.recomputes ? "budget" : "no",
        row.estimate.ns == 0 ? "-" : (row.depth == JointRow::plan ? "" : ">= ") + formatNs(row.estimate.ns),
        verdict(row, plan.answer.chosen) + (choice.balance.empty() ? "" : "; balance " + listOf(choice.balance)) +
            (choice.placing == JointPlacing::bySchedule ? "" : "; place " + listOf(choice.place())));
    out << prefix << llvm::StringRef(text).rtrim() << "\n";
  };
  Rows rows(plan.answer.chosen, printRow);
  for (const JointRow &row : plan.answer.rows)
    rows.add(row);
  if (std::string others = rows.textOfOthers(); !others.empty())
    out << prefix << others << "\n";
  out << prefix << llvm::formatv("chosen: {0}\n", describe(plan));
  out << prefix
      << llvm::formatv("its step: work {0:F1} %, computed again {1:F1} %, uneven {2:F1} %, waiting {3:F1} %, updates "
                       "{4:F1} %\n",
                       plan.work, plan.again, plan.uneven, plan.waiting, plan.updates);
  out << prefix << "binds: " << plan.binds << "\n";
  printOthers(plan, prefix, out);
}
