//===- DivideBody.cpp - the equations of a body in shards -----------------===//
//
// From the arguments that are in shards, shards propagate forward through the body.
// - A dimension along which an input is in shards is divided in the equation too. The equation becomes one for each
//   shard, and a result that has the dimension is in shards.
// - Where an equation reduces the dimension away, the results of its shards are added pairwise (or combined by the
//   maximum, the minimum, ..), and the result is whole.
// - An input that is whole is read by slices. One in shards along another dimension is joined first. A parameter is
//   never joined, because no rank shall hold it whole.
//
// Let `h[s, f] = gelu(x[s, d] w1[d, f])` and `y[s, d] = h[s, f] w2[f, d]` have F in shards. Then w1 is divided by
// columns and w2 by rows, with one sum after each pair. This is the division of transformers by Shoeybi et al.,
// Megatron-LM, 2019.
//
// A table in shards along the axis that positions choose from is looked up in each shard, and the position selects one
// of the results. No sum is in that, so the bits are those of the whole table, and the gradient of a shard has its own
// rows only. This is Megatron-LM's vocabulary-parallel embedding and, after a divided head, its cross entropy.
//
//===----------------------------------------------------------------------===//
#include "DivideBody.h"
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "DivideLoop.h"
#include "plc/Support/Errors.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Divides one body in place. Whole arguments stay until the end, since equations may need them; if any does, the body
// is of no use and is tried again without that division.
class BodyDivider {
public:
  BodyDivider(ein::FuncOp body, ein::CallOp call, int64_t shards) : body(body), call(call), shards(shards) {}

  FailureOr<DividedBody> run(const Axes &axes) {
    divideArguments(axes);
    Block &block = body.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
      if (llvm::any_of(op.getOperands(), [&](Value operand) { return divided.contains(operand); }))
        if (failed(divide(&op)))
          return failure();
    made.wholes = needed.takeVector();
    divideResults(block.getTerminator());
    eraseDead(body.getBody());
    if (made.wholes.empty())
      eraseArguments();
    return made;
  }

private:
  // Inserts the shards of divided arguments behind each of them.
  void divideArguments(const Axes &axes) {
    Block &block = body.getBody().front();
    unsigned data = body.getNumData(), at = 0;
    for (auto [index, axis] : llvm::enumerate(axes)) {
      BlockArgument whole = block.getArgument(at++);
      if (!axis)
        continue;
      arguments[whole] = index;
      Divided &made = divided[whole];
      made.axis = *axis;
      for (int64_t shard = 0; shard < shards; ++shard)
        made.shards.push_back(block.insertArgument(at++, partType(whole.getType(), *axis, shards), whole.getLoc()));
      if (index >= data)
        parameters[whole] = cast<FlatSymbolRefAttr>(call.getParams()[index - data]).getValue();
    }
  }

  // Erases the whole arguments and updates the signature.
  void eraseArguments() {
    Block &block = body.getBody().front();
    block.eraseArguments([&](BlockArgument argument) { return arguments.contains(argument); });
    body.setNumParams(body.getNumParams() + parameters.size() * (shards - 1));
    body.setFunctionType(
        FunctionType::get(body.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
  }

  // Returns the shards of divided values.
  void divideResults(Operation *end) {
    SmallVector<Value> results;
    for (Value value : end->getOperands()) {
      auto found = divided.find(value);
      made.results.push_back(found == divided.end() ? std::nullopt : std::optional(found->second.axis));
      if (found == divided.end())
        results.push_back(value);
      else
        llvm::append_range(results, found->second.shards);
    }
    end->setOperands(results);
  }

  // Divides an operation that reads shards, or joins its operands where it cannot be divided.
  LogicalResult divide(Operation *op) {
    if (auto gather = dyn_cast<ein::GatherOp>(op); gather && isLookedUpByParts(gather))
      return divideLookup(gather);
    if (auto equation = dyn_cast<ein::Equation>(op); equation && !isa<ein::PutOp>(op))
      return divideEquation(equation);
    if (auto loop = dyn_cast<ein::LoopOp>(op))
      if (std::optional<LoopAxes> axes = axesOfLoop(loop, givenAxes(loop->getOperands()), shards))
        return divideLoop(loop, *axes), success();
    if (op->getNumOperands() == 1 && op->getNumResults() == 1)
      if (std::optional<int64_t> axis = axisBehind(op, divided.lookup(op->getOperand(0)).axis, shards))
        return divideAlong(op, *axis), success();
    return makeWhole(op);
  }

  // The axes along which values are in shards.
  Axes givenAxes(ValueRange values) const {
    return llvm::map_to_vector(values, [&](Value value) {
      auto found = divided.find(value);
      return found == divided.end() ? std::nullopt : std::optional(found->second.axis);
    });
  }

  // Replaces a loop by one loop for each shard.
  void divideLoop(ein::LoopOp loop, const LoopAxes &axes) {
    OpBuilder builder(loop);
    for (int64_t shard = 0; shard < shards; ++shard) {
      SmallVector<Value> operands;
      for (auto [value, axis] : llvm::zip(loop->getOperands(), axes.operands)) {
        auto found = divided.find(value);
        operands.push_back(found != divided.end() ? found->second.shards[shard]
                           : axis                 ? sliceOf(builder, value, *axis, shard, shards)
                                                  : value);
      }
      ein::LoopOp made = loopOfPart(builder, loop, operands, axes, shard, shards);
      for (auto [result, own, axis] : llvm::zip(loop.getResults(), made.getResults(), axes.results)) {
        if (axis) {
          divided[result].axis = *axis;
          divided[result].shards.push_back(own);
        } else if (shard == 0) { // equal in all shards
          result.replaceAllUsesWith(own);
        }
      }
    }
  }

  // Applies a cast or a view to each shard.
  void divideAlong(Operation *op, int64_t axis) {
    OpBuilder builder(op);
    Divided made{axis, {}};
    for (Value shard : divided.lookup(op->getOperand(0)).shards) {
      Operation *clone = builder.clone(*op);
      clone->setOperand(0, shard);
      clone->getResult(0).setType(partType(op->getResult(0).getType(), axis, shards));
      made.shards.push_back(clone->getResult(0));
    }
    divided[op->getResult(0)] = std::move(made);
  }

  // One equation for each shard along one dimension. Inputs in shards along another one are joined.
  LogicalResult divideEquation(ein::Equation op) {
    std::optional<int64_t> dim = dimensionOf(op);
    for (OpOperand &operand : op->getOpOperands())
      if (divided.contains(operand.get()) && (!dim || dimensionOf(op, operand.getOperandNumber()) != dim))
        if (failed(makeWhole(operand)))
          return failure();
    if (!dim)
      return success();
    Access result = resultOf(op);
    const auto *at = llvm::find(result.dims, *dim);
    Divided made{at - result.dims.begin(), {}};
    OpBuilder builder(op);
    for (int64_t shard = 0; shard < shards; ++shard) {
      SmallVector<Value> operands(op->getOperands());
      for (auto [index, operand] : llvm::enumerate(op.getInputs()))
        if (auto found = divided.find(operand); found != divided.end())
          operands[index] = found->second.shards[shard];
      made.shards.push_back(partOf(builder, op, std::move(operands), *dim, shard, shards));
    }
    if (at != result.dims.end())
      divided[op->getResult(0)] = std::move(made);
    else
      op->getResult(0).replaceAllUsesWith(combine(op, made.shards));
    return success();
  }

  // The dimension along which an input is in shards. Nullopt for a whole input, for shards along positions, and for a
  // diagonal.
  std::optional<int64_t> dimensionOf(ein::Equation op, unsigned index) {
    auto found = divided.find(op->getOperand(index));
    if (found == divided.end() || index >= op.getInputs().size())
      return std::nullopt;
    Access input = inputOf(op, index);
    int64_t dim = input.dims[found->second.axis];
    return dim < 0 || llvm::count(input.dims, dim) > 1 ? std::nullopt : std::optional(dim);
  }

  // The dimension to divide: a parameter's first, since parameters cannot be joined.
  std::optional<int64_t> dimensionOf(ein::Equation op) {
    std::optional<int64_t> found;
    for (unsigned index = 0; index < op.getInputs().size(); ++index) {
      std::optional<int64_t> dim = dimensionOf(op, index);
      if (dim && (!found || parameters.contains(op->getOperand(index))))
        found = dim;
      if (dim && parameters.contains(op->getOperand(index)))
        break;
    }
    // The diagonal of a shard is no shard of the diagonal.
    bool isDiagonal =
        found && llvm::any_of(inputsOf(op), [&](const Access &input) { return llvm::count(input.dims, *found) > 1; });
    return isDiagonal ? std::nullopt : found;
  }

  // The function that combines the results of two shards of a reduction.
  static ein::Function combinerOf(ein::Equation op) {
    switch (ein::reductionOf(op)) {
    case ein::Reduction::sum: return ein::Function::add;
    case ein::Reduction::prod: return ein::Function::mul;
    case ein::Reduction::max: return ein::Function::max;
    case ein::Reduction::min: return ein::Function::min;
    case ein::Reduction::any: return ein::Function::logical_or;
    case ein::Reduction::all: return ein::Function::logical_and;
    }
    llvm_unreachable("unknown reduction");
  }

  // Pairwise, the first half with the second, so that no rank waits for a chain of all others.
  Value combine(ein::Equation op, ArrayRef<Value> made) {
    if (made.size() == 1)
      return made.front();
    size_t half = (made.size() + 1) / 2;
    Value first = combine(op, made.take_front(half)), second = combine(op, made.drop_front(half));
    OpBuilder builder(op);
    EquationBuilder build(builder, op.getLoc(), dimensionsOf(op->getResult(0)));
    Dims dims = axesOf(op->getResult(0).getType());
    return build.map(combinerOf(op), {{first, dims}, {second, dims}}, dims);
  }

  // Whether one tensor of positions chooses along the axis in which the table is in shards.
  bool isLookedUpByParts(ein::GatherOp op) {
    auto found = divided.find(op.getTable());
    if (found == divided.end())
      return false;
    Access table = inputOf(op, 0);
    int64_t position = table.dims[found->second.axis];
    return position < 0 && llvm::count(table.dims, position) == 1;
  }

  // Asks each shard for its row nearest to the position. Only the first and the last shard see positions outside of the
  // table, so these are errors as before.
  LogicalResult divideLookup(ein::GatherOp op) {
    const Divided table = divided.lookup(op.getTable());
    unsigned index = -inputOf(op, 0).dims[table.axis];
    for (OpOperand &operand : op->getOpOperands().drop_front())
      if (divided.contains(operand.get()) && failed(makeWhole(operand)))
        return failure();
    OpBuilder builder(op);
    EquationBuilder build(builder, op.getLoc(), domainOf(op));
    Access position = inputOf(op, index);
    Dims dims = distinct(position.dims);
    int64_t rows = partType(op.getTable().getType(), table.axis, shards).getDimSize(table.axis);
    auto with = [&](ein::Function function, Access value, int64_t number) {
      return Access{build.map(function, {value, build.constant(number, elementOf(position.value))}, dims), dims};
    };
    SmallVector<Value> made;
    SmallVector<Access> isBefore; // the end of each shard but the last
    for (int64_t shard = 0; shard < shards; ++shard) {
      Access own = shard ? with(ein::Function::sub, position, shard * rows) : position;
      if (shard)
        own = with(ein::Function::max, own, 0);
      if (shard + 1 < shards) {
        isBefore.push_back(with(ein::Function::lt, position, (shard + 1) * rows));
        own = with(ein::Function::min, own, rows - 1);
      }
      Operation *clone = builder.clone(*op);
      clone->setOperand(0, table.shards[shard]);
      setPosition(cast<ein::Equation>(clone), index, own);
      made.push_back(clone->getResult(0));
    }
    op.getResult().replaceAllUsesWith(chosen(build, resultOf(op).dims, made, isBefore));
    return success();
  }

  // Makes a gather read another tensor of positions.
  static void setPosition(ein::Equation op, unsigned index, const Access &position) {
    op->setOperand(index, position.value);
    SmallVector<AffineExpr> at;
    for (int64_t dim : position.dims)
      at.push_back(getAffineDimExpr(dim, op->getContext()));
    SmallVector<AffineMap> maps;
    for (unsigned input = 0; input < op.getInputs().size(); ++input)
      maps.push_back(op.getInputMap(input));
    maps[index] = AffineMap::get(maps[index].getNumDims(), 0, at, op->getContext());
    maps.push_back(op.getResultMap());
    op.setMaps(maps);
  }

  // Selects the result of the shard that has the position: a balanced tree, as for sums.
  static Value chosen(EquationBuilder &build, const Dims &dims, ArrayRef<Value> made, ArrayRef<Access> isBefore) {
    if (made.size() == 1)
      return made.front();
    size_t half = (made.size() + 1) / 2;
    Value first = chosen(build, dims, made.take_front(half), isBefore.take_front(half - 1));
    Value second = chosen(build, dims, made.drop_front(half), isBefore.drop_front(half));
    return build.map(ein::Function::select, {isBefore[half - 1], {first, dims}, {second, dims}}, dims);
  }

  // Joins all operands that are in shards.
  LogicalResult makeWhole(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (divided.contains(operand.get()) && failed(makeWhole(operand)))
        return failure();
    return success();
  }

  // Joins one operand. An error for a parameter; an argument is recorded as needed whole.
  LogicalResult makeWhole(OpOperand &operand) {
    Value value = operand.get();
    if (parameters.contains(value))
      return emitKeyError(operand.getOwner(), "parallelism.shard", "parameter '")
             << parameters[value] << "' is divided in " << shards << " parts but needed as a whole"
             << (isa<ein::LoopOp>(operand.getOwner()) ? " in each iteration" : "");
    if (auto argument = arguments.find(value); argument != arguments.end())
      needed.insert(argument->second);
    Value &whole = wholes[value];
    if (!whole) {
      OpBuilder builder(operand.getOwner());
      whole = join(builder, value.getLoc(), value.getType(), divided[value]);
    }
    operand.set(whole);
    return success();
  }

  ein::FuncOp body;
  ein::CallOp call;
  int64_t shards;
  DividedBody made;
  DenseMap<Value, Divided> divided;
  DenseMap<Value, Value> wholes;
  DenseMap<Value, unsigned> arguments;   // in shards, with their numbers
  DenseMap<Value, StringRef> parameters; // those among them that are parameters, with their names
  llvm::SetVector<unsigned> needed;      // arguments that are needed whole
};

} // namespace

FailureOr<DividedBody> algebra::divideBody(ein::FuncOp body, ein::CallOp call, const Axes &axes, int64_t shards) {
  return BodyDivider(body, call, shards).run(axes);
}
