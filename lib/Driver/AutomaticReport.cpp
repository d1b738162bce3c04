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

std::string verdict(const JointRow &row, const JointRow &chosen) {
  if (!row.estimate.refusal.empty())
    return row.estimate.refusal;
  if (row.choice == chosen.choice)
    return "chosen";
  if (row.depth == JointRow::work)
    return "its share of the work alone takes longer";
  double slower = 100 * double(row.estimate.ns - chosen.estimate.ns) / double(std::max<int64_t>(chosen.estimate.ns, 1));
  return llvm::formatv("{0:F1} % slower{1}", std::max(slower, 0.0), row.depth == JointRow::order ? " or more" : "");
}

} // namespace

std::string plc::driver::describe(const AutomaticPlan &plan) {
  const JointChoice &choice = plan.answer.chosen.choice;
  auto count = [](int64_t number, const char *what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : what[0] == 'm' ? "es" : "s");
  };
  return llvm::formatv(
      "{0}{1} on {2}, {3}{4}{5}: step {6}", choice.replicas > 1 ? count(choice.replicas, "replica") + " of " : "",
      count(choice.stages(), "stage"), count(choice.allRanks(), "rank"), count(choice.microBatches, "micro-batch"),
      choice.ranks > 1 ? std::string(", ") + plc::nameOfChoice(choice.schedule) : "",
      choice.recomputes ? ", recomputing" : "", formatNs(plan.answer.chosen.estimate.ns));
}

void plc::driver::print(const AutomaticPlan &plan, llvm::StringRef prefix, llvm::raw_ostream &out) {
  constexpr const char *columns = "{0,13}  {1,8}  {2,5}  {3,6}  {4,-11}  {5,-9}  {6,10}  {7}";
  out << prefix
      << llvm::formatv(columns, "micro-batches", "replicas", "ranks", "stages", "schedule", "recompute", "step",
                       "outcome")
      << "\n";
  for (const JointRow &row : plan.answer.rows) {
    const JointChoice &choice = row.choice;
    std::string text = llvm::formatv(
        columns, choice.microBatches, choice.replicas, choice.allRanks(), choice.stages(),
        choice.ranks > 1 ? plc::nameOfChoice(choice.schedule) : "-", choice.recomputes ? "budget" : "no",
        (row.depth == JointRow::plan ? "" : ">= ") + formatNs(row.estimate.ns),
        verdict(row, plan.answer.chosen) + (choice.balance.empty() ? "" : "; balance " + listOf(choice.balance)));
    out << prefix << llvm::StringRef(text).rtrim() << "\n";
  }
  out << prefix << llvm::formatv("chosen: {0}\n", describe(plan));
  out << prefix
      << llvm::formatv("its step: work {0:F1} %, computed again {1:F1} %, uneven {2:F1} %, waiting {3:F1} %, updates "
                       "{4:F1} %\n",
                       plan.work, plan.again, plan.uneven, plan.waiting, plan.updates);
  out << prefix << "binds: " << plan.binds << "\n";
}
