//===- EinNarrowFactors.cpp - rounds factors and saved values -------------===//
#include "Base/Equations.h"
#include "Loops/LoopRewrites.h"

#include "plc/Algebra/Passes.h"
#include "plc/Analysis/GatheredFactors.h"
#include "plc/Analysis/IterationSpace.h"
#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Support/ChoiceOption.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace plc::algebra {
#define GEN_PASS_DEF_EINNARROWFACTORS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

RankedTensorType withElement(Value value, Type element) {
  return cast<RankedTensorType>(cast<RankedTensorType>(value.getType()).clone(element));
}

// Rounds the factors of contractions: casts each factor to the storage type and back. A value has one such pair of
// casts, whatever the number of its readers (Ein/Rationale.md, "`mixed` is casts, placed twice").
class FactorNarrower {
public:
  explicit FactorNarrower(Type narrow) : narrow(narrow) {}

  void run(ein::ContractOp op) {
    // Sums in f64 and of integers keep their factors as they are.
    if (op.getInputs().size() != 2 || !op.getSumType().isF32())
      return;
    // If the model casts a factor to another storage type itself, its products stay as written.
    for (Value factor : op.getInputs())
      if (Type from = ein::widenedFrom(factor); from && from != narrow)
        return;
    for (unsigned operand : {0u, 1u})
      if (!ein::widenedFrom(op.getInputs()[operand]))
        op.getInputsMutable()[operand].assign(roundedFactor(op, operand));
  }

private:
  // The rounded factor, behind the views that the contraction reads it through.
  Value roundedFactor(ein::ContractOp op, unsigned operand) {
    Value factor = op.getInputs()[operand];
    // A table that is read in place is rounded as a table; the gather then reads the rounded one.
    if (ein::GatherOp gather = ein::readInPlace(op, operand)) {
      OpBuilder builder(op);
      Operation *read = builder.clone(*gather);
      read->setOperand(0, narrowed(gather.getTable()));
      read->getResult(0).setType(withElement(factor, narrow));
      return ein::CastOp::create(builder, op.getLoc(), factor.getType(), read->getResult(0));
    }
    // The value that the views show is rounded, so that all of its readers share one rounding.
    SmallVector<Operation *> views;
    Value shown = factor;
    for (; ein::isView(shown.getDefiningOp()); shown = shown.getDefiningOp()->getOperand(0))
      views.push_back(shown.getDefiningOp());
    Value value = widened(shown);
    OpBuilder builder(op);
    for (Operation *view : llvm::reverse(views)) {
      Operation *clone = builder.clone(*view);
      clone->setOperand(0, value);
      value = clone->getResult(0);
    }
    return value;
  }

  // The value in the storage type, one for each value. An invariant of a loop is rounded before the loop.
  Value narrowed(Value value) {
    if (Value rounded = roundedOf.lookup(value))
      return rounded;
    Value rounded;
    if (auto [loop, outside] = invariantOf(value); loop) {
      rounded = sharedOf(loop, narrowed(outside));
    } else {
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(value);
      rounded = ein::CastOp::create(builder, value.getLoc(), withElement(value, narrow), value);
    }
    return roundedOf[value] = rounded;
  }

  // The loop and its operand, if a value is an invariant inside it.
  static std::pair<ein::LoopOp, Value> invariantOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = argument ? dyn_cast<ein::LoopOp>(argument.getOwner()->getParentOp()) : ein::LoopOp();
    if (!loop)
      return {};
    auto shared = loop.getShared();
    auto found = llvm::find(shared, argument);
    if (found == shared.end())
      return {};
    return {loop, loop.getInvariants()[found - shared.begin()]};
  }

  // The rounded value in its first type again, one for each value.
  Value widened(Value value) {
    Value &wide = widenedOf[value];
    if (!wide) {
      Value rounded = narrowed(value);
      OpBuilder builder(value.getContext());
      builder.setInsertionPointAfterValue(rounded);
      wide = ein::CastOp::create(builder, value.getLoc(), value.getType(), rounded);
    }
    return wide;
  }

  Type narrow;
  DenseMap<Value, Value> roundedOf, widenedOf;
};

// Decides which values stay f32: those that were reduced, or computed from such values alone. Means, variances, maxima
// and sums of rows are small, and sensitive to rounding.
class Statistics {
public:
  bool contains(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    return known[value] = decide(value.getDefiningOp());
  }

private:
  bool decide(Operation *op) {
    if (isa_and_nonnull<ein::ReduceOp>(op))
      return true;
    if (!isa_and_nonnull<ein::MapOp, ein::CastOp>(op) && !ein::isView(op))
      return false;
    auto isKnown = [&](Value operand) { return contains(operand) || ein::isFree(operand); };
    return llvm::all_of(op->getOperands(), isKnown) &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return contains(operand); });
  }

  DenseMap<Value, bool> known; // a value is reached on many paths
};

// Whether a body reads an argument only in contractions, elementwise equations and sums of parameters' gradients.
bool mayBeNarrow(Value argument) {
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    if (ein::isView(user))
      return mayBeNarrow(user->getResult(0));
    auto reduce = dyn_cast<ein::ReduceOp>(user);
    return isa<ein::MapOp, ein::CastOp, ein::ContractOp>(user) || (reduce && reduce.getAccumulator());
  });
}

// Whether a body reads an argument only to round it.
bool isRounded(Value argument, Type narrow) {
  return llvm::all_of(argument.getUsers(), [&](Operation *user) {
    return ein::isView(user) ? isRounded(user->getResult(0), narrow)
                             : isa<ein::CastOp>(user) && elementOf(user->getResult(0)) == narrow;
  });
}

// Passes values between bodies in the storage type: those that F saves for B and W, those that B saves for W, and all
// that every reader rounds. The first body rounds them, the others widen them.
class SavedNarrower {
public:
  SavedNarrower(ModuleOp module, Type narrow) : symbols(module), narrow(narrow) {
    for (auto model : module.getOps<ein::ModelOp>())
      for (auto call : model.getBody().getOps<ein::CallOp>())
        calls.push_back(call);
  }

  // Candidates are results of F, B and W. Those with other readers are dropped, then those on whose type calls
  // disagree. The rest changes bodies and calls.
  void run() {
    for (ein::CallOp call : calls) {
      ein::FuncOp body = calleeOf(call);
      // Accumulated results are gradients, which stay f32.
      for (int64_t i = 0; i < body.getNumDataResults(); ++i)
        if (mayGive(body, i))
          saved.insert({body, i});
    }
    for (ein::CallOp call : calls)
      for (OpResult result : call.getResults())
        if (isSaved(result) && !isOnlySaved(result))
          saved.remove(placeOf(result));
    removeDisagreeing();
    // First bodies that make the values, then the calls' types, then bodies that read them.
    for (auto [body, index] : saved)
      roundResult(body, index);
    for (ein::CallOp call : calls)
      for (OpResult result : call.getResults())
        if (isSaved(result))
          result.setType(withElement(result, narrow));
    for (ein::CallOp call : calls)
      for (auto [index, operand] : llvm::enumerate(call.getArgs()))
        if (isSaved(operand))
          widenArgument(calleeOf(call), index);
  }

private:
  // A body and the number of its result or argument.
  using Place = std::pair<Operation *, int64_t>;

  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  static Value returned(ein::FuncOp body, int64_t index) {
    return body.getBody().front().getTerminator()->getOperand(index);
  }

  // Whether a body may round a result: an f32 value that it computes, and no statistic.
  bool mayGive(ein::FuncOp body, int64_t index) {
    Value value = returned(body, index);
    return body.getRole() && value.getDefiningOp() && elementOf(value).isF32() && !statistics.contains(value);
  }

  bool isSaved(Value value) { return value.getDefiningOp<ein::CallOp>() && saved.contains(placeOf(value)); }

  // The body and the result that a call's value is.
  Place placeOf(Value value) {
    return {calleeOf(value.getDefiningOp<ein::CallOp>()), cast<OpResult>(value).getResultNumber()};
  }

  // Whether each reader is a part that a value may be saved for, or rounds it.
  bool isOnlySaved(OpResult value) {
    std::optional<ein::BodyRole> from = calleeOf(cast<ein::CallOp>(value.getOwner())).getRole();
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      auto call = dyn_cast<ein::CallOp>(use.getOwner());
      // A result of the model, or a gradient that is accumulated.
      if (!call || use.getOperandNumber() >= call.getArgs().size())
        return false;
      ein::FuncOp reader = calleeOf(call);
      std::optional<ein::BodyRole> role = reader.getRole();
      bool isBehind = role == ein::BodyRole::W || (role == ein::BodyRole::B && from == ein::BodyRole::F);
      Value argument = reader.getBody().getArgument(use.getOperandNumber());
      return (isBehind && mayBeNarrow(argument)) || isRounded(argument, narrow);
    });
  }

  // All calls of a body must pass an argument in one type. A call that passes another value keeps the rest from being
  // rounded, which may in turn affect other arguments: repeats until nothing changes.
  void removeDisagreeing() {
    llvm::MapVector<Place, SmallVector<Value>> given; // to an argument
    for (ein::CallOp call : calls)
      for (auto [index, operand] : llvm::enumerate(call.getArgs()))
        given[{calleeOf(call), index}].push_back(operand);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto &[argument, operands] : given)
        if (!llvm::all_of(operands, [&](Value operand) { return isSaved(operand); }))
          for (Value operand : operands)
            if (isSaved(operand))
              changed |= saved.remove(placeOf(operand));
    }
  }

  static void updateType(ein::FuncOp body) {
    Block &block = body.getBody().front();
    body.setFunctionType(
        FunctionType::get(body.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  }

  // Rounds a result of a body.
  void roundResult(Operation *op, int64_t index) {
    auto body = cast<ein::FuncOp>(op);
    OpOperand &result = body.getBody().front().getTerminator()->getOpOperand(index);
    OpBuilder builder(result.getOwner());
    Value value = result.get();
    result.set(ein::CastOp::create(builder, value.getLoc(), withElement(value, narrow), value));
    updateType(body);
  }

  // Widens an argument of a body at its start. Several calls share the body, so the first one does it.
  void widenArgument(ein::FuncOp body, int64_t index) {
    BlockArgument argument = body.getBody().getArgument(index);
    if (elementOf(argument) == narrow)
      return;
    Type wide = argument.getType();
    argument.setType(withElement(argument, narrow));
    OpBuilder builder = OpBuilder::atBlockBegin(&body.getBody().front());
    auto widened = ein::CastOp::create(builder, argument.getLoc(), wide, argument);
    argument.replaceAllUsesExcept(widened, widened);
    updateType(body);
  }

  SymbolTable symbols;
  Type narrow;
  SmallVector<ein::CallOp> calls;
  Statistics statistics;
  llvm::SetVector<Place> saved;
};

struct EinNarrowFactors : algebra::impl::EinNarrowFactorsBase<EinNarrowFactors> {
  using EinNarrowFactorsBase::EinNarrowFactorsBase;

  void runOnOperation() override {
    const PrecisionRow &row = rowOf(compute.getValue());
    if (!row.isNarrowed())
      return;
    Type narrow = irTypeOf(row.factor, &getContext());
    FactorNarrower factors(narrow);
    getOperation().walk([&](ein::ContractOp op) { factors.run(op); });
    SavedNarrower(getOperation(), narrow).run();
  }
};

} // namespace
