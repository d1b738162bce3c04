//===- JoinAdjoint.cpp - maxima and products at positions -----------------===//
//
// The derivative of `ein.scatter_add` with a reduction. A maximum or minimum gives the gradient to the first update
// that equals it, as the reductions do. A product gives each update the product of the others.
//
//===----------------------------------------------------------------------===//
#include "Adjoint.h"
#include "Base/Equations.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

Access algebra::numberAmong(OpBuilder &builder, EquationBuilder &build, ein::Equation op, ArrayRef<int64_t> dims,
                            Type element) {
  auto constant = [&](double value) { return build.constant(value, element); };
  Access position = constant(0);
  for (int64_t dim : dims) {
    bool isInteger = isa<IntegerType>(element);
    Access index = build.iota(dim, isInteger ? element : builder.getI64Type());
    if (!isInteger)
      index.value =
          ein::CastOp::create(builder, op->getLoc(), RankedTensorType::get(shapeOf(index.value), element), index.value);
    Dims both(position.dims);
    both.push_back(dim);
    if (position.dims.empty()) {
      position = index;
      continue;
    }
    Access scaled{build.map(Function::mul, {position, constant(double(op.getExtents()[dim]))}, position.dims),
                  position.dims};
    position = {build.map(Function::add, {scaled, index}, both), both};
  }
  return position;
}

namespace {

// Over the updates' dimensions, which are all of the scatter's.
class JoinRules {
public:
  JoinRules(OpBuilder &builder, ein::ScatterAddOp scatter, EquationBuilder &build, const Access &dy)
      : builder(builder), op(scatter), build(build), inputs(inputsOf(op)), result(resultOf(op)), dy(dy),
        dims(inputs[0].dims) {}

  // A NaN result equals no update; the first one that is NaN made it so.
  Value ofExtremum() {
    Dims reduced;
    int64_t count = 1;
    for (int64_t dim : dims)
      if (!contains(result.dims, dim)) {
        reduced.push_back(dim);
        count *= op.getExtents()[dim];
      }
    Type counts = count > INT32_MAX ? builder.getI64Type() : builder.getI32Type();
    Access isNaN = over(Function::ne, {inputs[0], inputs[0]});
    Access attains = over(Function::logical_or, {over(Function::eq, {inputs[0], read(result.value)}), isNaN});
    Access position = numberAmong(builder, build, op, reduced, counts);
    Access candidates = over(Function::select, {attains, position, build.constant(double(count), counts)});
    Access first = read(joined(candidates, ein::Reduction::min));
    Access wins = over(Function::logical_and, {attains, over(Function::eq, {position, first})});
    return over(Function::select, {wins, read(dy.value), number(0)}).value;
  }

  // The product of the other updates of an element: the whole one divided by the update. A zero among them does not
  // divide: the product of those that are not 0 counts if no other one is.
  Value ofProduct() {
    auto count = [&](double value) { return build.constant(value, builder.getI32Type()); };
    Access isZero = over(Function::eq, {inputs[0], number(0)});
    Access divisor = over(Function::select, {isZero, number(1), inputs[0]});
    Access product = read(joined(divisor, ein::Reduction::prod));
    Access zeros = read(joined(over(Function::select, {isZero, count(1), count(0)}), ein::Reduction::sum));
    Access others = over(Function::select, {isZero, over(Function::sub, {zeros, count(1)}), zeros});
    Access quotient = over(Function::div, {product, divisor});
    Access factor = over(Function::select, {over(Function::eq, {others, count(0)}), quotient, number(0)});
    return over(Function::mul, {read(dy.value), factor}).value;
  }

private:
  Access over(Function function, ArrayRef<Access> operands) { return {build.map(function, operands, dims), dims}; }
  Access number(double value) { return build.constant(value, elementOf(dy.value)); }

  // At each update, the element of a table like the result that it is joined into.
  Access read(Value table) {
    SmallVector<Access> read(inputs);
    read[0] = {table, result.dims};
    return {build.gather(read, dims), dims};
  }
  // Updates joined into a table like the result.
  Value joined(const Access &updates, ein::Reduction join) {
    SmallVector<Access> read(inputs);
    read[0] = updates;
    return build.scatterAdd(read, result, {}, join);
  }

  OpBuilder &builder;
  ein::Equation op;
  EquationBuilder &build;
  SmallVector<Access> inputs;
  Access result, dy;
  Dims dims;
};

} // namespace

Value algebra::adjointOfJoin(OpBuilder &builder, ein::ScatterAddOp op, EquationBuilder &build, const Access &dy) {
  JoinRules rules(builder, op, build, dy);
  return op.getJoin() == ein::Reduction::prod ? rules.ofProduct() : rules.ofExtremum();
}
