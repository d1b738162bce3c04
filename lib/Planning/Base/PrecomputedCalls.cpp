//===- PrecomputedCalls.cpp - calls with equal results in all runs -----------===//
#include "FlatProgram.h"

#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Views.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Finds precomputed calls, takes them out of the program, and renumbers the rest.
class Preparer {
public:
  explicit Preparer(FlatProgram &flat) : flat(flat), outputs(flat.outputs.begin(), flat.outputs.end()) {
    for (const FlatValue &value : flat.values)
      if (value.origin == FlatValue::Site)
        trained.insert(value.symbol());
  }

  void run() {
    std::vector<bool> steady = findSteady();
    std::vector<FlatCall> others;
    std::vector<int64_t> moved(flat.calls.size(), -1);
    for (auto [index, call] : llvm::enumerate(flat.calls)) {
      for (int64_t &value : call.args)
        if (auto same = sameAs.find(value); same != sameAs.end())
          value = same->second;
      if (steady[index]) {
        prepare(std::move(call));
        continue;
      }
      moved[index] = others.size();
      others.push_back(std::move(call));
    }
    flat.calls = std::move(others);
    for (FlatValue &value : flat.values)
      if (value.call >= 0)
        value.call = moved[value.call];
  }

private:
  // Selects, among calls with equal results in all runs, those that compute something, and all that these read. A
  // constant is cheaper to fill in again than to keep live.
  std::vector<bool> findSteady() {
    std::vector<bool> steady(flat.calls.size()), isKept(flat.values.size());
    std::set<int64_t> values;
    for (auto [index, call] : llvm::enumerate(flat.calls)) {
      steady[index] =
          llvm::all_of(call.args, [&](int64_t value) { return values.count(value) || isFrozen(flat.values[value]); }) &&
          llvm::none_of(call.results, [&](int64_t value) { return outputs.count(value); }) &&
          !runsOverBatch(call.kernel);
      if (steady[index])
        values.insert(call.results.begin(), call.results.end());
    }
    // Backward, so that readers are decided before the calls that they read.
    for (int64_t index = int64_t(flat.calls.size()) - 1; index >= 0; --index) {
      const FlatCall &call = flat.calls[index];
      steady[index] = steady[index] && (computes(call.kernel) ||
                                        llvm::any_of(call.results, [&](int64_t value) { return isKept[value]; }));
      if (steady[index])
        for (int64_t value : call.args)
          isKept[value] = true;
    }
    return steady;
  }

  // A parameter without a gradient site never changes.
  bool isFrozen(const FlatValue &value) const {
    return value.origin == FlatValue::Param && !trained.contains(value.symbol());
  }

  // Whether a kernel does more than copy, cast, count and fill in.
  static bool computes(KernelOp kernel) {
    return llvm::any_of(kernel.getBody().front().without_terminator(), [](Operation &op) {
      auto map = dyn_cast<ein::MapOp>(op);
      return map ? ein::infoOf(map.getFunction()).cost != ein::CostClass::Copy
                 : !isa<ein::IotaOp, ein::ConstantOp, ein::CastOp>(op) && !ein::isView(&op);
    });
  }

  // Micro-batches of unequal sizes need results of unequal shapes. Kernels are asked once each.
  bool runsOverBatch(KernelOp kernel) {
    auto [known, isNew] = overBatch.try_emplace(kernel);
    if (isNew)
      known->second = kernel
                          .walk([](Operation *op) {
                            return ein::dependsOnBatch(op) ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
    return known->second;
  }

  // Makes a call precomputed. Layers often need equal tables: a call of the same kernel on the same values is dropped.
  void prepare(FlatCall call) {
    auto [equal, isNew] = known.try_emplace({call.kernel, call.args}, call.results);
    if (!isNew)
      for (auto [value, made] : llvm::zip(call.results, equal->second))
        sameAs[value] = made;
    for (int64_t value : call.results) {
      flat.values[value].origin = FlatValue::Precomputed;
      flat.values[value].call = -1;
      flat.values[value].precomputed = flat.precomputed.size();
    }
    call.role = Role::P;
    if (isNew)
      flat.precomputed.push_back(std::move(call));
  }

  FlatProgram &flat;
  std::set<int64_t> outputs;
  llvm::StringSet<> trained;
  DenseMap<Operation *, bool> overBatch;
  std::map<std::pair<Operation *, std::vector<int64_t>>, std::vector<int64_t>> known; // results, by kernel and operands
  DenseMap<int64_t, int64_t> sameAs;                                                  // values, of equal calls
};

} // namespace

void plc::plan::precomputedCalls(FlatProgram &flat) { Preparer(flat).run(); }
