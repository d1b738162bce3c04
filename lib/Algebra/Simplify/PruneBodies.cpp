//===- PruneBodies.cpp - results and arguments that nothing needs ---------===//
#include "Base/Bodies.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// The values that the models' results and the accumulated values need, through calls. A value of a body is live if it
// is live in one of its calls. Mark phase from the results back.
class Liveness {
public:
  explicit Liveness(ModuleOp module) : symbols(module) {
    module.walk([&](ein::CallOp call) { callsOf[calleeOf(call)].push_back(call); });
    // Roots: the models' results, and what bodies accumulate for gradients.
    for (ein::ModelOp model : module.getOps<ein::ModelOp>())
      llvm::for_each(model.getBody().front().back().getOperands(), [&](Value value) { push(value); });
    for (auto &[body, calls] : callsOf)
      for (int64_t i = body.getNumDataResults(), end = body.getFunctionType().getNumResults(); i < end; ++i)
        push(returned(body, i));
    while (!stack.empty())
      visit(stack.pop_back_val());
  }

  const llvm::MapVector<ein::FuncOp, SmallVector<ein::CallOp>> &bodies() const { return callsOf; }
  ein::FuncOp calleeOf(ein::CallOp call) { return symbols.lookup<ein::FuncOp>(call.getCallee()); }

  // Results, and data arguments, of a body that no call needs. Parameters and accumulators always stay.
  BitVector deadResults(ein::FuncOp body) const {
    BitVector dead(body.getFunctionType().getNumResults());
    for (int64_t i = 0; i < body.getNumDataResults(); ++i)
      dead[i] = llvm::none_of(callsOf.lookup(body), [&](ein::CallOp call) { return live.contains(call.getResult(i)); });
    return dead;
  }
  BitVector deadArguments(ein::FuncOp body) const {
    BitVector dead(body.getFunctionType().getNumInputs());
    for (int64_t i = 0; i < body.getNumData(); ++i)
      dead[i] = !live.contains(body.getBody().getArgument(i));
    return dead;
  }
  // Whether a call accumulates nothing and no result of it is needed.
  bool isDead(ein::CallOp call) const {
    return call.getAccumulates().empty() &&
           llvm::none_of(call.getResults(), [&](Value result) { return live.contains(result); });
  }

private:
  static Value returned(ein::FuncOp body, unsigned index) { return body.getBody().front().back().getOperand(index); }

  void push(Value value) {
    if (live.insert(value).second)
      stack.push_back(value);
  }

  // Marks what a live value is made from: operands of an equation, the returned value of a call, the operands of all
  // calls for an argument.
  void visit(Value value) {
    // One live result keeps that result in the body, and not the call's others.
    if (auto call = value.getDefiningOp<ein::CallOp>()) {
      push(returned(calleeOf(call), cast<OpResult>(value).getResultNumber()));
    } else if (Operation *op = value.getDefiningOp()) {
      llvm::for_each(op->getOperands(), [&](Value operand) { push(operand); });
    } else if (auto body = dyn_cast<ein::FuncOp>(value.getParentBlock()->getParentOp())) {
      unsigned index = cast<BlockArgument>(value).getArgNumber();
      // Parameters end the walk: they are no values of a model.
      if (index < body.getNumData())
        for (ein::CallOp call : callsOf.lookup(body))
          push(call.getArgs()[index]);
    }
  }

  SymbolTable symbols;
  llvm::MapVector<ein::FuncOp, SmallVector<ein::CallOp>> callsOf;
  llvm::DenseSet<Value> live;
  SmallVector<Value> stack;
};

// The values that `dead` does not name.
SmallVector<Value> kept(ValueRange values, const BitVector &dead) {
  SmallVector<Value> some;
  for (auto [index, value] : llvm::enumerate(values))
    if (!dead.test(index))
      some.push_back(value);
  return some;
}

// Drops dead results and arguments of a call.
void pruneCall(ein::CallOp call, const BitVector &deadResults, const BitVector &deadArguments) {
  SmallVector<Value> results = kept(call.getResults(), deadResults);
  OpBuilder builder(call);
  auto pruned = ein::CallOp::create(builder, call.getLoc(), ValueRange(results).getTypes(), call.getCallee(),
                                    kept(call.getArgs(), deadArguments), call.getParams(), call.getAccumulates(),
                                    call.getPathAttr(), call.getIterationAttr());
  for (auto [old, result] : llvm::zip(results, pruned.getResults()))
    old.replaceAllUsesWith(result);
  call.erase();
}

// Drops the same in the body.
void pruneBody(ein::FuncOp body, const BitVector &deadResults, const BitVector &deadArguments) {
  Block &block = body.getBody().front();
  block.back().eraseOperands(deadResults);
  eraseDead(body.getBody());
  block.eraseArguments(deadArguments);
  body.setFunctionType(FunctionType::get(body.getContext(), block.getArgumentTypes(), block.back().getOperandTypes()));
}

} // namespace

void algebra::pruneBodies(ModuleOp module, StringRef pass) {
  if (module.getOps<ein::ModelOp>().empty())
    return;
  Liveness liveness(module);
  llvm::MapVector<ein::FuncOp, std::pair<BitVector, BitVector>> dead;
  for (auto &[body, calls] : liveness.bodies())
    dead[body] = {liveness.deadResults(body), liveness.deadArguments(body)};
  for (ein::ModelOp model : module.getOps<ein::ModelOp>()) {
    // Readers come first: a dead value has no use left when its own call is visited.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(model.getBody().front()))) {
      auto call = dyn_cast<ein::CallOp>(op);
      if (!call) {
        if (isOpTriviallyDead(&op)) // an equation outside of bodies reads results too
          op.erase();
        continue;
      }
      auto &[results, arguments] = dead[liveness.calleeOf(call)];
      if (liveness.isDead(call))
        call.erase();
      else if (results.any() || arguments.any())
        pruneCall(call, results, arguments);
    }
  }
  // Bodies only now: their calls were rewritten by the same numbers.
  for (auto &[body, indices] : dead)
    if (auto &[results, arguments] = indices; results.any() || arguments.any()) {
      remark::passed(body.getLoc(), remark::RemarkOpts::name("Pruned").category(pass).function(body.getSymName()))
          << remark::add("dropped {0} of {1} results and {2} of {3} arguments, which no call needs", results.count(),
                         results.size(), arguments.count(), arguments.size());
      pruneBody(body, results, arguments);
    }
}
