//===- BatchRule.cpp - sums over the batch stay sums ----------------------===//
#include "Base/Equations.h"
#include "BatchAxes.h"
#include "plc/Dialect/Ein/Names.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

// How a value relates to the samples.
// - Invariant: depends on no sample.
// - Batched: has a batch axis; each sample depends on itself alone.
// - Partial: a sum over the samples of a micro-batch. The values of all micro-batches add up to the batch's.
// - Total: made of such sums of inputs alone, but not linear in them, as max(sum(m), 1). Only the whole batch has it. A
//   sum may be divided by it.
enum class Kind { Invariant, Batched, Partial, Total };

// What a body is checked for at each argument and result.
struct Relation {
  Kind kind = Kind::Invariant;
  bool learnt = false; // depends on parameters
};

// Propagates kinds forward through the model and through each body, once for each combination of argument kinds.
// Reports the equation that breaks the batch rule.
class Rule {
public:
  explicit Rule(const BatchAxes &axes) : axes(axes) {}

  // The relations of the results of a body or model, given those of its arguments.
  FailureOr<SmallVector<Relation>> run(FunctionOpInterface function, ArrayRef<Relation> arguments) {
    Block &block = function.getFunctionBody().front();
    for (auto [argument, relation] : llvm::zip(block.getArguments(), arguments)) {
      setKind(argument, axes.isBatched(argument) ? Kind::Batched : relation.kind);
      setLearnt(argument, relation.learnt);
    }
    for (Operation &op : block.without_terminator())
      if (failed(visit(&op)))
        return failure();
    SmallVector<Relation> results;
    for (Value value : block.back().getOperands()) {
      if (kinds[value] == Kind::Total)
        return refuseTotal(value);
      results.push_back({kinds[value], learnt.contains(value)});
    }
    return results;
  }

  // Divisions of a sum by a sum of inputs, in program order.
  llvm::SmallSetVector<Operation *, 2> quotients;
  PartialSums partial;

private:
  // Sets the kind in the current call, and records whether a value is partial in all calls or in some.
  void setKind(Value value, Kind kind) {
    // Another kind than in an earlier call: partial in some calls only.
    bool isFirst = kinds.try_emplace(value, kind).second || kinds[value] == kind;
    if (kind == Kind::Partial && isFirst && !partial.somewhere.contains(value))
      partial.everywhere.insert(value);
    else if (!isFirst && (partial.everywhere.erase(value) || kind == Kind::Partial))
      partial.somewhere.insert(value);
    kinds[value] = kind;
  }

  void setLearnt(Value value, bool isLearnt) {
    if (isLearnt)
      learnt.insert(value);
    else
      learnt.erase(value); // it may be set from an earlier call
  }

  // The kind of an equation's result, from the kinds of its operands.
  LogicalResult visit(Operation *op) {
    if (auto call = dyn_cast<ein::CallOp>(op))
      return visitCall(call);
    if (auto loop = dyn_cast<ein::LoopOp>(op))
      return visitLoop(loop);
    if (auto next = dyn_cast<ein::NextOp>(op))
      return visitNext(next);
    auto has = [&](Kind kind) { return llvm::any_of(op->getOperands(), [&](Value v) { return kinds[v] == kind; }); };
    bool ofBatch = has(Kind::Partial) || has(Kind::Total);
    Value result = op->getResult(0);
    setLearnt(result, llvm::any_of(op->getOperands(), [&](Value value) { return learnt.contains(value); }));
    Kind kind = Kind::Invariant;
    if (axes.isBatched(result)) {
      if (ofBatch)
        return op->emitError("mixes samples: it uses a sum over the batch for each sample");
      kind = Kind::Batched;
    } else if (sumsBatch(op)) {
      // The maximum of the batch is not the sum of the micro-batches' maxima.
      if (ein::Reduction reduction = ein::reductionOf(op); reduction != ein::Reduction::sum)
        return op->emitError("mixes samples: '") << stringifyReduction(reduction) << "' over the batch";
      if (ofBatch)
        return op->emitError("mixes samples: it multiplies a sum over the batch by another");
      kind = Kind::Partial;
    } else if (ofBatch) {
      FailureOr<Kind> found = kindOf(op);
      if (failed(found))
        return failure();
      kind = *found;
    }
    setKind(result, kind);
    return success();
  }

  // Micro-batches add up what a parameter is replaced by.
  LogicalResult visitNext(ein::NextOp next) {
    setKind(next.getResult(), kinds[next.getInput()]);
    setLearnt(next.getResult(), learnt.contains(next.getInput()));
    Kind kind = kinds[next.getValue()];
    if (kind == Kind::Total)
      return refuseTotal(next.getValue());
    if (kind == Kind::Partial)
      return success();
    return next.emitError("mixes samples: the next value of a parameter is one of the whole batch, a sum or a mean of "
                          "its samples, as in 'next m[c] = mean[n](0.9 * m[c] + 0.1 * x[n, c])'");
  }

  // An iteration returns what its operands make of it. A carry must have the same kind in all iterations.
  LogicalResult visitLoop(ein::LoopOp loop) {
    bool isLearnt = llvm::any_of(loop.getOperands(), [&](Value value) { return learnt.contains(value); });
    for (auto [operand, argument] : llvm::zip(loop.getOperands(), loop.getIteration().getArguments())) {
      setKind(argument, axes.isBatched(argument) ? Kind::Batched : kinds[operand]);
      if (kinds[argument] == Kind::Total)
        return refuseTotal(operand);
      setLearnt(argument, isLearnt);
    }
    for (Operation &op : loop.getIteration().without_terminator())
      if (failed(visit(&op)))
        return failure();
    for (auto [index, given] : llvm::enumerate(loop.getEnd()->getOperands())) {
      if (kinds[given] == Kind::Total)
        return refuseTotal(given);
      if (int64_t(index) < loop.getNumCarries() && kinds[given] != kinds[loop.getCarries()[index]])
        return loop.emitError("mixes samples: an iteration gives the next one a sum over the batch");
      setKind(loop.getResult(index), kinds[given]);
      setLearnt(loop.getResult(index), isLearnt);
    }
    return success();
  }

  // The kind of a value without samples that an equation makes from sums over the batch.
  FailureOr<Kind> kindOf(Operation *op) {
    Value total;
    for (Value operand : op->getOperands())
      if (kinds[operand] == Kind::Total)
        total = operand;
    auto map = dyn_cast<ein::MapOp>(op);
    if (map && map.getFunction() == Function::div && kinds[op->getOperand(0)] == Kind::Partial &&
        (total || kinds[op->getOperand(1)] == Kind::Partial))
      return failed(checkQuotient(op)) ? FailureOr<Kind>(failure()) : Kind::Partial;
    bool isLearnt = learnt.contains(op->getResult(0));
    if (total && isLearnt)
      return refuseTotal(total);
    if (total) {
      totals[op->getResult(0)] = totals[total];
      return Kind::Total;
    }
    const char *wrong = whyNotLinear(op);
    if (!wrong)
      return Kind::Partial;
    if (isLearnt)
      return op->emitError(wrong);
    totals[op->getResult(0)] = {op, wrong};
    return Kind::Total;
  }

  // Reports that a total is more than a divisor, at the equation that is not linear.
  LogicalResult refuseTotal(Value total) {
    auto [op, wrong] = totals[total];
    return op->emitError(wrong);
  }

  // Kinds belong to a call. So a body is checked once for each combination of them at most.
  LogicalResult visitCall(ein::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<ein::FuncOp>(call, call.getCalleeAttr());
    SmallVector<Relation> arguments;
    std::string key = call.getCallee().str();
    for (Value operand : call.getArgs()) {
      if (kinds[operand] == Kind::Total)
        return refuseTotal(operand);
      arguments.push_back({kinds[operand], learnt.contains(operand)});
      key += "," + std::to_string(int(arguments.back().kind)) + (arguments.back().learnt ? "p" : "");
    }
    // Parameters are invariant and learnt.
    arguments.resize(callee.getNumArguments(), {Kind::Invariant, true});
    auto it = done.find(key);
    if (it == done.end()) {
      FailureOr<SmallVector<Relation>> results = run(callee, arguments);
      if (failed(results))
        return failure();
      it = done.try_emplace(key, *results).first;
    }
    for (auto [result, relation] : llvm::zip(call.getResults(), it->second)) {
      setKind(result, relation.kind);
      setLearnt(result, relation.learnt);
    }
    return success();
  }

  // Whether an equation, whose result has no samples, has the batch among its dimensions.
  bool sumsBatch(Operation *op) const {
    auto equation = dyn_cast<ein::Equation>(op);
    if (!equation)
      return false;
    for (int64_t dim = 0, rank = equation.getExtents().size(); dim < rank; ++dim)
      if (axes.isBatchDim(op, dim))
        return true;
    return false;
  }

  // Why the results of micro-batches would not add up to the batch's. Null if they do.
  const char *whyNotLinear(Operation *op) {
    unsigned partial = llvm::count_if(op->getOperands(), [&](Value v) { return kinds[v] == Kind::Partial; });
    bool firstIs = kinds[op->getOperand(0)] == Kind::Partial;
    auto map = dyn_cast<ein::MapOp>(op);
    Function function = map ? map.getFunction() : Function::id;
    if (map && (function == Function::add || function == Function::sub))
      return partial == 2 ? nullptr
                          : "mixes samples: each micro-batch would add what does not depend on the batch again; take "
                            "it into the sum or the mean";
    if (function == Function::div && !firstIs)
      return "mixes samples: it divides by a sum over the batch";
    auto cast = dyn_cast<ein::CastOp>(op);
    // Casts to integers and to storage types round, so they do not add up.
    bool truncates = cast && elementOf(cast).isInteger() && !elementOf(cast.getInput()).isInteger();
    truncates |= cast && !elementOf(cast).isInteger() && ein::isNarrow(cast.getType());
    bool linear = isa<ein::ContractOp, ein::CastOp, ein::StopOp>(op) || function == Function::mul ||
                  function == Function::div || function == Function::id || function == Function::neg;
    if (isa<ein::ReduceOp>(op))
      linear = ein::reductionOf(op) == ein::Reduction::sum;
    // A select by a condition without samples takes the same branch in all micro-batches.
    if (function == Function::select && kinds[op->getOperand(0)] != Kind::Partial && partial == 2)
      return nullptr;
    if (isa<ein::GatherOp, ein::ScatterAddOp>(op) && firstIs)
      linear = ein::reductionOf(op) == ein::Reduction::sum;
    if (auto scatter = dyn_cast<ein::ScatterAddOp>(op))
      linear |= scatter.getFactor() && kinds[scatter.getFactor()] == Kind::Partial;
    if (linear && !truncates && partial == 1)
      return nullptr;
    return "mixes samples: it is not linear in a sum over the batch";
  }

  // A sum divided by a sum that inputs alone make. A micro-batch does not have the batch's sum: the divisor is computed
  // from the whole inputs (`divideByWhole`). If parameters took part, it would need a gradient.
  LogicalResult checkQuotient(Operation *op) {
    if (learnt.contains(op->getOperand(1)))
      return op->emitError("mixes samples: it divides by a sum over the batch that depends on parameters");
    quotients.insert(op);
    return success();
  }

  const BatchAxes &axes;
  SymbolTableCollection symbols;
  DenseMap<Value, Kind> kinds;
  llvm::DenseSet<Value> learnt;
  DenseMap<Value, std::pair<Operation *, const char *>> totals; // the equation that is not linear, and why
  llvm::StringMap<SmallVector<Relation>> done;
};

} // namespace

// A run leaves a state without a batch axis for the next run. So neither samples nor several micro-batches may make it.
static LogicalResult checkState(ein::ModelOp model, StringRef path, Kind kind, int64_t parts) {
  if (kind == Kind::Partial)
    return model.emitError("state '") << path << "' mixes samples: it has no axis of the batch but holds a sum over it";
  if (kind == Kind::Invariant && parts > 1)
    return model.emitError("state '") << path << "' has no axis of the batch, so each of " << parts
                                      << " micro-batches would give it its next value; one may";
  return success();
}

FailureOr<SmallVector<Operation *>> algebra::checkBatchRule(ein::ModelOp model, const BatchAxes &axes,
                                                            int64_t microBatches) {
  Rule rule(axes);
  SmallVector<Relation> arguments(model.getNumArguments());
  FailureOr<SmallVector<Relation>> results = rule.run(model, arguments);
  if (failed(results))
    return failure();
  for (auto [name, relation] : llvm::zip(model.getResultNames(), *results))
    if (auto state = dyn_cast<ein::StateNameAttr>(name);
        state && failed(checkState(model, state.getPath(), relation.kind, microBatches)))
      return failure();
    else if (relation.kind == Kind::Invariant && microBatches > 1)
      return model.emitError("result '") << ein::textOf(name)
                                         << "' does not depend on the batch, so it cannot be added over "
                                         << microBatches << " micro-batches";
  return SmallVector<Operation *>(rule.quotients.begin(), rule.quotients.end());
}

PartialSums algebra::findPartialSums(ein::ModelOp model, const BatchAxes &axes) {
  Rule rule(axes);
  bool holds = succeeded(rule.run(model, SmallVector<Relation>(model.getNumArguments())));
  assert(holds && "the batch rule was checked before");
  (void)holds;
  return rule.partial;
}
