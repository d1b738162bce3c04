//===- FlatProgram.cpp - a model as one list of kernel calls --------------===//
#include "FlatProgram.h"

#include "plc/Analysis/GradientSites.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Support/Errors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

Role roleOf(ein::FuncOp body) {
  switch (body.getRole().value_or(ein::BodyRole::F)) {
  case ein::BodyRole::F: return Role::F;
  case ein::BodyRole::B:
  // A body that adds contributions to a gradient belongs to B, which makes them.
  case ein::BodyRole::sum: return Role::B;
  case ein::BodyRole::W: return Role::W;
  }
  llvm_unreachable("a body has one of these roles");
}

// Inlines bodies, and numbers values, units, layers and gradient sites.
class Flattener {
public:
  Flattener(ein::ModelOp model) : model(model), symbols(model->getParentOfType<ModuleOp>()) {}

  LogicalResult run() {
    for (auto [index, argument] : llvm::enumerate(model.getBody().getArguments())) {
      Attribute name = model.getArgNames()[index];
      // Inputs are values without a call.
      env[argument] = add({FlatValue::Input, argument.getType(), -1, name});
      flat.values.back().shard = ein::shardOfState(name, symbols);
    }
    if (failed(findUnits()))
      return failure();
    siteOf = ein::numberSites(model);
    for (Operation &op : model.getBody().front().without_terminator())
      if (failed(inlineCall(cast<ein::CallOp>(op))))
        return failure();
    for (Value result : model.getBody().front().getTerminator()->getOperands())
      flat.outputs.push_back(env.lookup(result));
    return success();
  }

  FlatProgram flat;

private:
  int64_t add(FlatValue value) {
    flat.values.push_back(value);
    return flat.values.size() - 1;
  }

  int64_t addOf(FlatValue::Origin origin, FlatSymbolRefAttr param, Type type, int64_t site = -1) {
    int64_t value = add({origin, type, -1, param.getAttr(), site});
    if (auto declared = symbols.lookup<ein::ParamOp>(param.getAttr()))
      flat.values.back().shard = declared.getSharedShard();
    return value;
  }

  ein::FuncOp bodyOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCalleeAttr().getAttr()); }

  LogicalResult findUnits() {
    // Units come before calls: B and W belong to the unit of their path's forward call.
    bool open = false; // the first unit has no layer call yet
    for (Operation &op : model.getBody().front().without_terminator()) {
      auto call = dyn_cast<ein::CallOp>(op);
      if (!call)
        return op.emitOpError("stands in model '") << model.getSymName() << "', which must hold calls alone";
      ein::FuncOp body = bodyOf(call);
      if (roleOf(body) != Role::F)
        continue;
      if (!position.try_emplace(call.getPath(), position.size()).second)
        return call.emitOpError("has path '") << call.getPath() << "', as an earlier call has";
      bool layer = !body.getKind().empty();
      instances.push_back({call.getPath(), body.getKind(), call.getIteration()});
      // A layer call starts a unit, unless only loose calls stand in the first one, which it then names.
      if (flat.units.empty() || (layer && !open)) {
        flat.units.push_back({call.getPath().str(), layer});
        open = !layer;
      } else if (layer) {
        flat.units.back() = {call.getPath().str(), true};
        open = false;
      }
      unit[call.getPath()] = flat.units.size() - 1;
    }
    findLayers();
    return success();
  }

  // Numbers layers. A layer is an iteration of `repeat`, or a layer call if nothing repeats. Loose calls between two
  // calls of layers belong to the earlier one; after the last call of a layer they belong to none.
  void findLayers() {
    // If anything repeats, single layer calls such as an embedding are no layers of the count.
    bool repeats = llvm::any_of(instances, [](const auto &each) { return !each.kind.empty() && each.iteration; });
    int64_t layer = -1, iteration = -1; // of the layer call before; no iteration if it is of no layer
    std::vector<FlatProgram::Instance> loose;
    for (const auto &each : instances) {
      if (each.kind.empty()) {
        loose.push_back({each.path.str(), "", layer});
        continue;
      }
      bool counts = !repeats || each.iteration;
      if (counts && iteration >= 0)
        llvm::append_range(flat.layers, loose);
      loose.clear();
      int64_t before = iteration;
      iteration = !counts ? -1 : repeats ? int64_t(*each.iteration) : 0;
      if (!counts)
        continue;
      // Calls of one iteration are one layer.
      layer += !repeats || iteration != before;
      flat.layers.push_back({each.path.str(), each.kind.str(), layer});
    }
  }

  int64_t param(FlatSymbolRefAttr name, Type type) {
    auto [it, inserted] = params.try_emplace(name.getValue(), 0);
    if (inserted)
      it->second = addOf(FlatValue::Param, name, type);
    return it->second;
  }

  LogicalResult inlineCall(ein::CallOp call) {
    ein::FuncOp body = bodyOf(call);
    if (!unit.contains(call.getPath()))
      return call.emitOpError("has path '") << call.getPath() << "' but no forward call has";
    auto arguments = body.getBody().getArguments();
    unsigned next = 0;
    DenseMap<Value, int64_t> local;
    for (Value operand : call.getArgs())
      local[arguments[next++]] = env.lookup(operand);
    for (auto name : call.getParams().getAsRange<FlatSymbolRefAttr>()) {
      local[arguments[next]] = param(name, arguments[next].getType());
      ++next;
    }
    for (auto [index, name] : llvm::enumerate(call.getAccumulates().getAsRange<FlatSymbolRefAttr>())) {
      int64_t site = siteOf.lookup({call.getOperation(), unsigned(index)});
      local[arguments[next]] = addOf(FlatValue::Site, name, arguments[next].getType(), site);
      ++next;
    }
    for (Operation &op : body.getBody().front().without_terminator()) {
      auto kernelCall = dyn_cast<CallOp>(op);
      if (!kernelCall)
        return op.emitOpError("stands in body '")
               << body.getSymName() << "', which must hold kernel calls alone: run '--form-kernels' first";
      if (failed(addCall(kernelCall, body, call, local)))
        return failure();
    }
    ValueRange returned = body.getBody().front().getTerminator()->getOperands();
    for (auto [result, value] : llvm::zip(call.getResults(), returned))
      env[result] = local.lookup(value);
    return success();
  }

  LogicalResult addCall(CallOp call, ein::FuncOp body, ein::CallOp instance, DenseMap<Value, int64_t> &local) {
    auto kernel = symbols.lookup<KernelOp>(call.getKernelAttr().getAttr());
    FlatCall flatCall{kernel, roleOf(body), unit.lookup(instance.getPath()), instance.getPathAttr(), call.getLoc()};
    flatCall.sum = body.getRole() == ein::BodyRole::sum;
    for (Value operand : call.getArgs())
      flatCall.args.push_back(local.lookup(operand));
    // An accumulator's result is its operand, the site. An update makes a new value in the state's buffer.
    int64_t accumulators = kernel.getNumAccumulators(), firstSite = call.getNumResults() - accumulators;
    for (OpResult result : call.getResults()) {
      int64_t index = result.getResultNumber();
      int64_t value = index < firstSite || kernel.getUpdates()
                          ? add({FlatValue::Result, result.getType(), int64_t(flat.calls.size())})
                          : flatCall.args[kernel.getNumInputs() + index - firstSite];
      if (index >= firstSite && !kernel.getUpdates() && flat.values[value].origin != FlatValue::Site)
        return call.emitOpError("accumulates into a value that is no gradient site");
      local[result] = value;
      flatCall.results.push_back(value);
    }
    // A site is complete only at the step, so no call may read one.
    for (int64_t i = 0; i < kernel.getNumInputs(); ++i)
      if (flat.values[flatCall.args[i]].origin == FlatValue::Site)
        return call.emitOpError("reads a gradient site as operand #") << i;
    flat.calls.push_back(std::move(flatCall));
    return success();
  }

  struct Instance {
    StringRef path, kind;
    std::optional<int64_t> iteration;
  };

  ein::ModelOp model;
  SymbolTable symbols;
  std::vector<Instance> instances; // of F, in program order
  DenseMap<Value, int64_t> env;
  llvm::StringMap<int64_t> unit, position, params;
  DenseMap<std::pair<Operation *, unsigned>, int64_t> siteOf;
};

} // namespace

std::vector<int64_t> plc::plan::positionsInFullBackward(const FlatProgram &flat) {
  llvm::DenseMap<StringAttr, int64_t> behind; // by instance
  // The latest operand of any W of the instance, made by F or B, and then the instance's last B.
  for (const FlatCall &call : flat.calls)
    if (call.role == Role::W)
      for (int64_t &last = behind.try_emplace(call.path, -1).first->second; int64_t value : call.args)
        if (int64_t made = flat.values[value].call; made >= 0 && flat.calls[made].role != Role::W)
          last = std::max(last, made);
  for (auto [index, call] : llvm::enumerate(flat.calls))
    if (auto it = behind.find(call.path); call.role == Role::B && it != behind.end())
      it->second = std::max<int64_t>(it->second, index);
  std::vector<int64_t> positions(flat.calls.size(), -1);
  for (auto [index, call] : llvm::enumerate(flat.calls))
    if (call.role == Role::W)
      positions[index] = behind.lookup(call.path);
  return positions;
}

void plc::plan::joinBackward(FlatProgram &flat, llvm::function_ref<bool(int64_t unit)> joins) {
  auto isJoined = [&](const FlatCall &call) { return call.role == Role::W && joins(call.unit); };
  // Several W may have one place; the multimap keeps them in program order.
  std::multimap<int64_t, int64_t> after;
  for (auto [index, position] : llvm::enumerate(positionsInFullBackward(flat)))
    if (isJoined(flat.calls[index]))
      after.emplace(position, index);
  std::vector<FlatCall> calls;
  std::vector<int64_t> moved(flat.calls.size());
  auto take = [&](int64_t index) {
    moved[index] = calls.size();
    calls.push_back(std::move(flat.calls[index]));
    if (isJoined(calls.back()))
      calls.back().role = Role::B;
  };
  auto takeBehind = [&](int64_t index) {
    for (auto [it, end] = after.equal_range(index); it != end; ++it)
      take(it->second);
  };
  // Those without operands of F or B come first.
  takeBehind(-1);
  for (int64_t index = 0, count = flat.calls.size(); index < count; ++index)
    if (!isJoined(flat.calls[index])) {
      take(index);
      takeBehind(index);
    }
  flat.calls = std::move(calls);
  // Values name their maker by its new position.
  for (FlatValue &value : flat.values)
    if (value.call >= 0)
      value.call = moved[value.call];
}

FailureOr<FlatProgram> plc::plan::flatten(ein::ModelOp model, FlattenOptions options) {
  Flattener flattener(model);
  if (failed(flattener.run()))
    return failure();
  // Precomputed calls leave the units first, so that units are divided by what a step runs.
  if (options.prepares)
    precomputedCalls(flattener.flat);
  if (options.divides)
    divideUnits(flattener.flat);
  return std::move(flattener.flat);
}

LogicalResult plc::plan::checkBalance(ein::ModelOp model, const FlatProgram &flat, ArrayRef<int64_t> balance,
                                      bool mayDiffer) {
  static constexpr const char *key = "parallelism.balance";
  for (int64_t count : balance)
    if (count <= 0)
      return emitKeyError(model, key, "balance has ") << count << ", but every stage needs a " << flat.unitNoun;
  int64_t sum = std::accumulate(balance.begin(), balance.end(), int64_t(0));
  if (!balance.empty() && sum != int64_t(flat.units.size()) && !mayDiffer)
    return emitKeyError(model, key, "balance has ")
           << sum << " " << flat.unitNoun << "s but model '" << model.getSymName() << "' has " << flat.units.size();
  return success();
}
