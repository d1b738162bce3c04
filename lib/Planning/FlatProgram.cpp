//===- FlatProgram.cpp - a model as one list of kernel calls --------------===//
#include "FlatProgram.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

Role roleOf(ein::FuncOp body) {
  return body.getRole() == "W" ? Role::W : body.getRole() == "B" || body.getRole() == "sum" ? Role::B : Role::F;
}

class Flattener {
public:
  Flattener(ein::ModelOp model) : model(model), symbols(model->getParentOfType<ModuleOp>()) {}

  LogicalResult run() {
    for (auto [index, argument] : llvm::enumerate(model.getBody().getArguments())) {
      auto name = cast<StringAttr>(model.getArgNames()[index]);
      env[argument] = add({FlatValue::Input, argument.getType(), -1, name});
    }
    if (failed(findUnits()))
      return failure();
    numberSites();
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

  ein::FuncOp bodyOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  LogicalResult findUnits() {
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
      if (flat.units.empty() || (layer && !open)) {
        flat.units.push_back({call.getPath().str(), layer});
        open = !layer;
      } else if (layer) {
        flat.units.back() = {call.getPath().str(), true};
        open = false;
      }
      unit[call.getPath()] = flat.units.size() - 1;
    }
    return success();
  }

  // Sites of a parameter count in the program order of the forward calls.
  void numberSites() {
    using Place = std::tuple<int64_t, unsigned, ein::CallOp>;
    llvm::StringMap<SmallVector<Place>> places;
    for (auto call : model.getBody().getOps<ein::CallOp>())
      for (auto [index, param] : llvm::enumerate(call.getAccumulates().getAsRange<FlatSymbolRefAttr>()))
        places[param.getValue()].emplace_back(position.lookup(call.getPath()), index, call);
    for (auto &entry : places) {
      llvm::sort(entry.second, [](const Place &a, const Place &b) {
        return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
      });
      for (auto [site, place] : llvm::enumerate(entry.second))
        siteOf[{std::get<2>(place).getOperation(), std::get<1>(place)}] = site;
    }
  }

  int64_t param(FlatSymbolRefAttr name, Type type) {
    auto [it, inserted] = params.try_emplace(name.getValue(), 0);
    if (inserted)
      it->second = add({FlatValue::Param, type, -1, name.getAttr()});
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
      local[arguments[next]] = add({FlatValue::Site, arguments[next].getType(), -1, name.getAttr(), site});
      ++next;
    }
    for (Operation &op : body.getBody().front().without_terminator()) {
      auto kernelCall = dyn_cast<CallOp>(op);
      if (!kernelCall)
        return op.emitOpError("stands in body '") << body.getSymName() << "', which must hold kernel calls alone";
      if (failed(addCall(kernelCall, body, call, local)))
        return failure();
    }
    ValueRange returned = body.getBody().front().getTerminator()->getOperands();
    for (auto [result, value] : llvm::zip(call.getResults(), returned))
      env[result] = local.lookup(value);
    return success();
  }

  LogicalResult addCall(CallOp call, ein::FuncOp body, ein::CallOp instance, DenseMap<Value, int64_t> &local) {
    auto kernel = symbols.lookup<KernelOp>(call.getKernel());
    FlatCall flatCall{kernel, roleOf(body), unit.lookup(instance.getPath()), instance.getPathAttr(), call.getLoc()};
    flatCall.sum = body.getRole() == "sum";
    for (Value operand : call.getArgs())
      flatCall.args.push_back(local.lookup(operand));
    int64_t accumulators = kernel.getNumAccumulators(), firstSite = call.getNumResults() - accumulators;
    for (OpResult result : call.getResults()) {
      int64_t index = result.getResultNumber();
      int64_t value = index < firstSite ? add({FlatValue::Result, result.getType(), int64_t(flat.calls.size())})
                                        : flatCall.args[kernel.getNumInputs() + index - firstSite];
      if (index >= firstSite && flat.values[value].origin != FlatValue::Site)
        return call.emitOpError("accumulates into a value that is no gradient site");
      local[result] = value;
      flatCall.results.push_back(value);
    }
    for (int64_t i = 0; i < kernel.getNumInputs(); ++i)
      if (flat.values[flatCall.args[i]].origin == FlatValue::Site)
        return call.emitOpError("reads a gradient site as operand #") << i;
    flat.calls.push_back(std::move(flatCall));
    return success();
  }

  ein::ModelOp model;
  SymbolTable symbols;
  DenseMap<Value, int64_t> env;
  llvm::StringMap<int64_t> unit, position, params;
  DenseMap<std::pair<Operation *, unsigned>, int64_t> siteOf;
};

} // namespace

FailureOr<FlatProgram> plc::plan::flatten(ein::ModelOp model) {
  Flattener flattener(model);
  if (failed(flattener.run()))
    return failure();
  return std::move(flattener.flat);
}
