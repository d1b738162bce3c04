//===- AutomaticReport.cpp - a joint plan for people ------------------------===//
#include "Automatic.h"

#include "plc/Planner/Format.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace plc::driver;
using namespace plc::planner;

namespace {

std::string listOf(const std::vector<int64_t> &numbers) {
  return llvm::join(llvm::map_range(numbers, [](int64_t each) { return std::to_string(each); }), ",");
}

// Elsewhere all orders are one.
bool hasOrder(const JointChoice &choice) { return choice.ranks * choice.shards > 1; }

std::string verdict(const JointRow &row, const JointRow &chosen) {
  if (!row.estimate.refusal.empty())
    return row.estimate.refusal;
  if (row.choice == chosen.choice)
    return "chosen";
  bool isSlower = row.estimate.ns >= chosen.estimate.ns;
  if (row.depth == JointRow::work && isSlower)
    return row.choice.schedule == ScheduleKind::automatic ? "any order of it takes longer"
                                                          : "its share of the work alone takes longer";
  if (!isSlower)
    return "not planned: plans like it take longer than their orders";
  double slower = 100 * double(row.estimate.ns - chosen.estimate.ns) / double(std::max<int64_t>(chosen.estimate.ns, 1));
  return llvm::formatv("{0:F1} % slower{1}", slower, row.depth == JointRow::plan ? "" : " or more");
}

} // namespace

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
  for (const JointRow &row : plan.answer.rows) {
    const JointChoice &choice = row.choice;
    std::string text = llvm::formatv(
        columns, choice.microBatches, choice.replicas, shards(choice.shards), choice.allRanks(), choice.stages(),
        hasOrder(choice) ? plc::nameOfChoice(choice.schedule) : "-", choice.recomputes ? "budget" : "no",
        (row.depth == JointRow::plan ? "" : ">= ") + formatNs(row.estimate.ns),
        verdict(row, plan.answer.chosen) + (choice.balance.empty() ? "" : "; balance " + listOf(choice.balance)) +
            (choice.placing == JointPlacing::bySchedule ? "" : "; place " + listOf(choice.place())));
    out << prefix << llvm::StringRef(text).rtrim() << "\n";
  }
  out << prefix << llvm::formatv("chosen: {0}\n", describe(plan));
  out << prefix
      << llvm::formatv("its step: work {0:F1} %, computed again {1:F1} %, uneven {2:F1} %, waiting {3:F1} %, updates "
                       "{4:F1} %\n",
                       plan.work, plan.again, plan.uneven, plan.waiting, plan.updates);
  out << prefix << "binds: " << plan.binds << "\n";
}
