//===- WholeInputs.cpp - sums over the whole of a cut batch ---------------===//
//
// In `sum(ce * m) / sum(m)` a micro-batch has its share of the first sum, but divides by all of the second one, which
// inputs alone make. Each micro-batch computes the divisor anew from the whole inputs: the same equations in the same
// order, so the same bits as in one micro-batch. This costs one pass over inputs without a feature axis, such as masks
// and weights.
//
// In the body with the quotient, the equations of the divisor are cloned over further arguments, one for each argument
// that they read. For an input the model passes a further input of its own. For a result of another body it passes that
// of a clone of the body, which computes this result alone.
//
//===----------------------------------------------------------------------===//
#include "Base/Bodies.h"
#include "BatchAxes.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Makes values over the whole batch, each once.
class WholeValues {
public:
  WholeValues(ein::ModelOp model, const BatchAxes &axes)
      : model(model), axes(axes), symbols(model->getParentOfType<ModuleOp>()) {}

  void divideByWhole(Operation *quotient) { quotient->setOperand(1, wholeOf(quotient->getOperand(1))); }

private:
  // The value over the whole batch that corresponds to a value of the model or of a body.
  Value wholeOf(Value value) {
    if (Value known = wholes.lookupOrNull(value))
      return known;
    auto argument = dyn_cast<BlockArgument>(value);
    Value whole;
    if (!argument)
      whole = wholeOf(cast<OpResult>(value));
    else if (auto body = dyn_cast<ein::FuncOp>(argument.getOwner()->getParentOp()))
      whole = argumentOf(body, argument);
    else
      whole = axes.isBatched(argument) ? inputOf(argument) : argument;
    wholes.map(value, whole);
    return whole;
  }

  // Clones the equation over whole operands. A constant or an index is the same.
  Value wholeOf(OpResult result) {
    Operation *op = result.getOwner();
    if (auto call = dyn_cast<ein::CallOp>(op))
      return callOf(call, result.getResultNumber());
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, wholeOf(operand));
    if (op->getNumOperands() == 0)
      return result;
    OpBuilder builder(op);
    return builder.clone(*op, operands)->getResult(0);
  }

  // A further input of the model without a batch axis: `whole(x)`.
  Value inputOf(BlockArgument argument) {
    SmallVector<Attribute> names(model.getArgNames().getValue());
    names.push_back(ein::WholeNameAttr::get(model.getContext(), names[argument.getArgNumber()]));
    SmallVector<int64_t> batch(model.getArgBatch());
    batch.push_back(-1);
    Value whole = model.getBody().addArgument(argument.getType(), argument.getLoc());
    model.setArgNamesAttr(ArrayAttr::get(model.getContext(), names));
    model.setArgBatch(batch);
    setType(model);
    return whole;
  }

  // A further argument of the body, behind its data. All of its calls pass it.
  Value argumentOf(ein::FuncOp body, BlockArgument argument) {
    unsigned data = body.getNumData();
    Value whole = body.getBody().front().insertArgument(data, argument.getType(), argument.getLoc());
    setType(body);
    SmallVector<ein::CallOp> calls;
    model.walk([&](ein::CallOp call) {
      if (call.getCallee() == body.getSymName())
        calls.push_back(call);
    });
    for (ein::CallOp call : calls)
      call.getArgsMutable().append(wholeOf(call.getArgs()[argument.getArgNumber()]));
    return whole;
  }

  // A call of a clone of the callee that computes one result alone. Inputs make it, so it has no parameters.
  Value callOf(ein::CallOp call, unsigned index) {
    ein::FuncOp body = symbols.lookup<ein::FuncOp>(call.getCallee()).clone();
    std::string suffix = ".whole" + (index ? "." + std::to_string(index) : "");
    body.setSymName((body.getSymName() + suffix).str());
    Block &block = body.getBody().front();
    block.getTerminator()->setOperands(block.getTerminator()->getOperand(index));
    eraseDead(body.getBody());
    SmallVector<Value> arguments;
    for (unsigned i = 0; i < call.getArgs().size(); ++i)
      if (!block.getArgument(i).use_empty())
        arguments.push_back(wholeOf(call.getArgs()[i]));
    block.eraseArguments([](BlockArgument argument) { return argument.use_empty(); });
    body.setNumParams(0);
    setType(body);
    symbols.insert(body, std::next(symbols.lookup(call.getCallee())->getIterator()));
    OpBuilder builder(call);
    auto whole = ein::CallOp::create(builder, call.getLoc(), call.getResult(index).getType(), body.getSymName(),
                                     arguments, builder.getArrayAttr({}), builder.getArrayAttr({}),
                                     (call.getPath() + suffix).str(), call.getIterationAttr());
    return whole.getResult(0);
  }

  static void setType(FunctionOpInterface function) {
    Block &block = function.getFunctionBody().front();
    function.setFunctionTypeAttr(TypeAttr::get(
        FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes())));
  }

  ein::ModelOp model;
  const BatchAxes &axes;
  SymbolTable symbols;
  IRMapping wholes;
};

} // namespace

void algebra::divideByWhole(ein::ModelOp model, const BatchAxes &axes, ArrayRef<Operation *> quotients) {
  WholeValues values(model, axes);
  for (Operation *quotient : quotients)
    values.divideByWhole(quotient);
}
