//===- CutProblem.cpp - where a model may be cut, as numbers ----------------===//
#include "CutProblem.h"

#include "plc/Dialect/Plan/Values.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using planner::PartitionProblem;

namespace {

std::vector<std::vector<int64_t>> usersOf(const FlatProgram &flat) {
  std::vector<std::vector<int64_t>> users(flat.values.size());
  for (auto [index, call] : llvm::enumerate(flat.calls))
    for (int64_t value : call.args)
      users[value].push_back(index);
  return users;
}

// Units that use a value, ascending.
std::vector<int64_t> unitsOf(const FlatProgram &flat, ArrayRef<int64_t> users) {
  std::vector<int64_t> units;
  for (int64_t user : users)
    units.push_back(flat.calls[user].unit);
  llvm::sort(units);
  units.erase(llvm::unique(units), units.end());
  return units;
}

// The most bytes of values that live inside one task of a unit alone, per unit.
void addScratch(const FlatProgram &flat, ArrayRef<std::vector<int64_t>> users, PartitionProblem &problem) {
  std::map<std::pair<int64_t, Role>, int64_t> live;
  for (auto [index, call] : llvm::enumerate(flat.calls)) {
    int64_t &now = live[{call.unit, call.role}];
    auto isLocal = [&, &call = call](int64_t value) {
      return flat.values[value].origin == FlatValue::Result && llvm::all_of(users[value], [&](int64_t user) {
               return flat.calls[user].unit == call.unit && flat.calls[user].role == call.role;
             });
    };
    for (int64_t value : call.results)
      now += isLocal(value) ? byteSize(flat.values[value].type) : 0;
    problem.parts[call.unit].scratchBytes = std::max(problem.parts[call.unit].scratchBytes, now);
    std::vector<int64_t> args = call.args;
    llvm::sort(args);
    args.erase(llvm::unique(args), args.end());
    for (int64_t value : args)
      if (users[value].back() == int64_t(index) && isLocal(value))
        now -= byteSize(flat.values[value].type);
  }
}

// Parameters with their sites, and the part of moments, and of the other replicas' sites, that a replica owns; inputs and
// outputs of its micro-batches.
void addResidents(const FlatProgram &flat, ArrayRef<std::vector<int64_t>> users, const Share &share,
                  PartitionProblem &problem) {
  std::map<StringRef, int64_t> sites;
  for (const FlatValue &value : flat.values)
    if (value.origin == FlatValue::Site)
      sites[value.name.getValue()] += share.lanes;
  std::vector<std::set<int64_t>> readers(flat.values.size()); // units
  for (auto [index, value] : llvm::enumerate(flat.values))
    if (value.origin != FlatValue::Result && value.origin != FlatValue::Site) // of which nobody asks
      for (int64_t user : users[index])
        readers[index].insert(flat.calls[user].unit);
  // What is prepared for units is read for them.
  for (const FlatCall &call : llvm::reverse(flat.prepared))
    for (int64_t made : call.results)
      for (int64_t value : call.args)
        readers[value].insert(readers[made].begin(), readers[made].end());
  for (auto [index, value] : llvm::enumerate(flat.values)) {
    std::vector<int64_t> units(readers[index].begin(), readers[index].end());
    if (units.empty())
      continue;
    int64_t bytes = byteSize(value.type);
    if (value.origin == FlatValue::Prepared && !users[index].empty())
      problem.residents.push_back({units, bytes, bytes});
    if (value.origin == FlatValue::Input)
      problem.residents.push_back({units, bytes * share.microBatches, bytes * share.microBatches});
    if (value.origin != FlatValue::Param)
      continue;
    auto trained = sites.find(value.name.getValue());
    int64_t count = trained == sites.end() ? 0 : trained->second;
    int64_t owned = bytes * (share.moments + count * (share.replicas - 1)) / share.replicas;
    problem.residents.push_back({units, count ? bytes * (1 + count) + owned : bytes, bytes * (count ? 2 : 1)});
  }
  for (int64_t output : flat.outputs)
    if (flat.values[output].origin == FlatValue::Result) {
      int64_t bytes = byteSize(flat.values[output].type) * share.microBatches;
      problem.residents.push_back({{flat.calls[flat.values[output].call].unit}, bytes, 0});
    }
}

// The time of clones, and what a segment computes again, which lives at once, as scratch of its units.
void addClones(const FlatProgram &flat, const Recomputation &remat, PartitionProblem &problem) {
  std::map<int64_t, int64_t> bytes; // by segment
  std::set<std::pair<int64_t, int64_t>> units;
  int64_t index = -1;
  for (const FlatCall &call : flat.calls) {
    if (call.role != Role::F || !remat.answer.cloned[++index])
      continue;
    int64_t segment = remat.problem.calls[index].segment;
    problem.parts[call.unit].ns += KernelOp(call.kernel).getNs();
    for (int64_t value : call.results)
      bytes[segment] += byteSize(flat.values[value].type);
    units.insert({call.unit, segment});
  }
  for (auto [unit, segment] : units)
    problem.parts[unit].scratchBytes += bytes[segment];
}

} // namespace

PartitionProblem plc::plan::buildCutProblem(const FlatProgram &flat, const Recomputation &remat, const Share &share,
                                            int64_t bytesPerNs, bool splitsBackward) {
  PartitionProblem problem;
  for (const auto &unit : flat.units)
    problem.parts.push_back({unit.name});
  std::vector<std::vector<int64_t>> users = usersOf(flat);
  // Units that have to do with each other, in program order: no two of them may change sides, because forward values
  // go that way and gradients the other.
  std::set<std::pair<int64_t, int64_t>> orders;
  for (const FlatCall &call : flat.calls)
    problem.parts[call.unit].ns += KernelOp(call.kernel).getNs();
  for (auto [index, value] : llvm::enumerate(flat.values)) {
    if (value.origin != FlatValue::Result)
      continue;
    const FlatCall &maker = flat.calls[value.call];
    int64_t bytes = byteSize(value.type);
    std::vector<int64_t> units = unitsOf(flat, users[index]);
    if (llvm::any_of(units, [&](int64_t unit) { return unit != maker.unit; }))
      problem.tensors.push_back({maker.unit, units, bytes / bytesPerNs, bytes, /*forward=*/false});
    for (int64_t unit : units)
      if (unit != maker.unit)
        orders.emplace(std::min(unit, maker.unit), std::max(unit, maker.unit));
    // From F to B or W a value waits for other micro-batches; from B to W for its own alone, unless the schedule lets
    // others run between.
    bool leavesTask = llvm::any_of(users[index], [&](int64_t user) { return flat.calls[user].role != maker.role; });
    if (remat.answer.kept[index] || (splitsBackward && leavesTask && maker.role == Role::B))
      problem.parts[maker.unit].keptBytes += bytes;
    else if (leavesTask && (maker.role != Role::F || remat.lastKeeps))
      problem.residents.push_back({{maker.unit}, bytes, 0});
  }
  for (auto [before, after] : orders)
    problem.tensors.push_back({before, {after}, 0, 0});
  addScratch(flat, users, problem);
  addClones(flat, remat, problem);
  addResidents(flat, users, share, problem);
  return problem;
}
