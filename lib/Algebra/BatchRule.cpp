//===- BatchRule.cpp - sums over the batch stay sums -----------------------===//
#include "BatchAxes.h"
#include "Equations.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

// How a value relates to the samples. A partial value is a sum over the samples of a micro-batch, so that those of
// all micro-batches add up to the batch's.
enum class Kind { Invariant, Batched, Partial };

struct Relation {
  Kind kind = Kind::Invariant;
  bool learnt = false; // depends on parameters
};

class Rule {
public:
  Rule(const BatchAxes &axes, int64_t microBatches) : axes(axes), microBatches(microBatches) {}

  // How the results of a body or model relate to the samples, given how its arguments do.
  FailureOr<SmallVector<Relation>> run(FunctionOpInterface function, ArrayRef<Relation> arguments) {
    Block &block = function.getFunctionBody().front();
    for (auto [argument, relation] : llvm::zip(block.getArguments(), arguments)) {
      kinds[argument] = axes.isBatched(argument) ? Kind::Batched : relation.kind;
      setLearnt(argument, relation.learnt);
    }
    for (Operation &op : block.without_terminator())
      if (failed(visit(&op)))
        return failure();
    SmallVector<Relation> results;
    for (Value value : block.back().getOperands())
      results.push_back({kinds[value], learnt.contains(value)});
    return results;
  }

private:
  void setLearnt(Value value, bool isLearnt) {
    if (isLearnt)
      learnt.insert(value);
    else
      learnt.erase(value); // of an earlier call
  }

  LogicalResult visit(Operation *op) {
    if (auto call = dyn_cast<ein::CallOp>(op))
      return visitCall(call);
    bool partial = llvm::any_of(op->getOperands(), [&](Value value) { return kinds[value] == Kind::Partial; });
    Kind kind = Kind::Invariant;
    if (axes.isBatched(op->getResult(0))) {
      if (partial)
        return op->emitError("mixes samples: it uses a sum over the batch for each sample");
      kind = Kind::Batched;
    } else if (sumsBatch(op)) {
      auto reduce = dyn_cast<ein::ReduceOp>(op);
      if (reduce && reduce.getReduction() != ein::Reduction::sum)
        return op->emitError("mixes samples: '") << stringifyReduction(reduce.getReduction()) << "' over the batch";
      if (partial)
        return op->emitError("mixes samples: it multiplies a sum over the batch by another");
      kind = Kind::Partial;
    } else if (partial) {
      if (failed(checkLinear(op)))
        return failure();
      kind = Kind::Partial;
    }
    kinds[op->getResult(0)] = kind;
    setLearnt(op->getResult(0), llvm::any_of(op->getOperands(), [&](Value value) { return learnt.contains(value); }));
    return success();
  }

  // Each call has kinds of its own, so a body is checked once per combination at most.
  LogicalResult visitCall(ein::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<ein::FuncOp>(call, call.getCalleeAttr());
    SmallVector<Relation> arguments;
    std::string key = call.getCallee().str();
    for (Value operand : call.getArgs()) {
      arguments.push_back({kinds[operand], learnt.contains(operand)});
      key += "," + std::to_string(int(arguments.back().kind)) + (arguments.back().learnt ? "p" : "");
    }
    arguments.resize(callee.getNumArguments(), {Kind::Invariant, true});
    auto it = done.find(key);
    if (it == done.end()) {
      FailureOr<SmallVector<Relation>> results = run(callee, arguments);
      if (failed(results))
        return failure();
      it = done.try_emplace(key, *results).first;
    }
    for (auto [result, relation] : llvm::zip(call.getResults(), it->second)) {
      kinds[result] = relation.kind;
      setLearnt(result, relation.learnt);
    }
    return success();
  }

  bool sumsBatch(Operation *op) const {
    auto equation = dyn_cast<ein::Equation>(op);
    if (!equation)
      return false;
    for (int64_t dim = 0, rank = equation.getExtents().size(); dim < rank; ++dim)
      if (axes.isBatchDim(op, dim))
        return true;
    return false;
  }

  // An equation without samples that reads a partial value.
  LogicalResult checkLinear(Operation *op) {
    unsigned partial = llvm::count_if(op->getOperands(), [&](Value v) { return kinds[v] == Kind::Partial; });
    bool firstIs = kinds[op->getOperand(0)] == Kind::Partial;
    auto map = dyn_cast<ein::MapOp>(op);
    Function function = map ? map.getFunction() : Function::id;
    if (map && (function == Function::add || function == Function::sub)) {
      if (partial == 2)
        return success();
      return op->emitError("mixes samples: each micro-batch would add what does not depend on the batch again");
    }
    if (function == Function::div && !firstIs)
      return op->emitError("mixes samples: it divides by a sum over the batch");
    if (function == Function::div && partial == 2)
      return checkQuotient(op);
    bool truncates =
        isa<ein::CastOp>(op) && elementOf(op->getResult(0)).isInteger() && !elementOf(op->getOperand(0)).isInteger();
    bool linear = isa<ein::ContractOp, ein::CastOp, ein::StopOp>(op) || function == Function::mul ||
                  function == Function::div || function == Function::id || function == Function::neg;
    if (auto reduce = dyn_cast<ein::ReduceOp>(op))
      linear = reduce.getReduction() == ein::Reduction::sum;
    if (function == Function::select && kinds[op->getOperand(0)] != Kind::Partial && partial == 2)
      return success();
    if (isa<ein::GatherOp, ein::ScatterAddOp>(op) && firstIs)
      linear = true;
    if (linear && !truncates && partial == 1)
      return success();
    return op->emitError("mixes samples: it is not linear in a sum over the batch");
  }

  // A sum divided by one that inputs alone make. A micro-batch has no sum of the batch to divide by.
  LogicalResult checkQuotient(Operation *op) {
    if (learnt.contains(op->getOperand(1)))
      return op->emitError("mixes samples: it divides by a sum over the batch that depends on parameters");
    if (microBatches > 1)
      return op->emitError("a quotient of two sums over the batch needs one micro-batch but there are ")
             << microBatches << "; that is not supported yet";
    return success();
  }

  const BatchAxes &axes;
  int64_t microBatches;
  SymbolTableCollection symbols;
  DenseMap<Value, Kind> kinds;
  llvm::DenseSet<Value> learnt;
  llvm::StringMap<SmallVector<Relation>> done;
};

} // namespace

LogicalResult algebra::checkBatchRule(ein::ModelOp model, const BatchAxes &axes, int64_t microBatches) {
  Rule rule(axes, microBatches);
  SmallVector<Relation> arguments(model.getNumArguments());
  FailureOr<SmallVector<Relation>> results = rule.run(model, arguments);
  if (failed(results))
    return failure();
  for (auto [name, relation] : llvm::zip(model.getResultNames().getAsValueRange<StringAttr>(), *results))
    if (relation.kind == Kind::Invariant && microBatches > 1)
      return model.emitError("result '") << name << "' does not depend on the batch, so it cannot be added over "
                                         << microBatches << " micro-batches";
  return success();
}
