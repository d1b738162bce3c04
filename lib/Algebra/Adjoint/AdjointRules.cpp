//===- AdjointRules.cpp - the derivative of each kind of equation ---------===//
#include "Adjoint.h"
#include "plc/Dialect/Ein/Views.h"

#include <cmath>

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

namespace {

// The derivatives of one equation. Each is written over the equation's domain, then summed over the dimensions that the
// input lacks, or repeated along them. Selects keep exact zeros exact (see `Gradient`).
class Rules {
public:
  Rules(OpBuilder &builder, Guards &guards, ein::Equation op, const Gradient &gradient)
      : builder(builder), guards(guards), op(op), build(builder, op->getLoc(), algebra::domainOf(op)),
        inputs(inputsOf(op)), result(resultOf(op)), incoming(gradient), dy{gradient.value, result.dims} {}

  /// The gradient of input `index`. Fails, with an error, where it cannot be exact.
  FailureOr<Gradient> of(unsigned index) {
    this->index = index;
    if (auto map = dyn_cast<ein::MapOp>(op.getOperation()))
      return ofMap(map.getFunction());
    if (isa<ein::ContractOp>(op))
      return ofContract();
    if (auto reduce = dyn_cast<ein::ReduceOp>(op.getOperation()))
      return ofReduction(reduce.getReduction());
    if (isa<ein::GatherOp>(op))
      return ofGather();
    return ofScatter(cast<ein::ScatterAddOp>(op.getOperation()));
  }

private:
  // Computes elementwise over the result's axes.
  Access apply(Function function, ArrayRef<Access> operands) {
    return {build.map(function, operands, result.dims), result.dims};
  }
  // A constant of the gradient's type, which is wider than a result of a storage type.
  Access number(double value) { return build.constant(value, elementOf(dy.value)); }

  // The dimensions of a guard's axes.
  Dims domainOf(const Guard &guard) const {
    Dims dims;
    for (int64_t axis : guard.axes)
      dims.push_back(result.dims[axis]);
    return dims;
  }

  // Selects 0 where the gradient is dead: the factor that was multiplied may be infinite there. The value has the axes
  // of the result, and may have more.
  Access guarded(Access value) {
    for (const Guard &guard : incoming.guards) {
      Access zero = number(0);
      SmallVector<Access> operands{{guard.cond, domainOf(guard)}, value, zero};
      if (guard.dead)
        std::swap(operands[1], operands[2]);
      value.value = build.map(Function::select, operands, value.dims);
    }
    return value;
  }

  // The result as a factor of a derivative. Where a guard is alive it equals what the guard's select returns. That
  // value is then used, because it is often saved already, and the result need not be saved beside it.
  Access resultFactor() {
    for (Operation *user : result.value.getUsers()) {
      auto select = dyn_cast<ein::MapOp>(user);
      if (!select || select.getFunction() != Function::select)
        continue;
      ein::Equation reader = select;
      for (unsigned branch : {1u, 2u}) {
        Access read = inputOf(reader, branch);
        if (read.value == result.value && read.dims == resultOf(reader).dims &&
            llvm::is_contained(incoming.guards, branchGuard(reader, branch)))
          return {select.getResult(), result.dims};
      }
    }
    return result;
  }

  // The guard that a select puts on the gradient of a branch, by axes of its result.
  static Guard branchGuard(ein::Equation select, unsigned branch) {
    Access cond = inputOf(select, 0), selected = resultOf(select);
    Guard guard{cond.value, branch == 2, {}};
    for (int64_t dim : cond.dims)
      guard.axes.push_back(llvm::find(selected.dims, dim) - selected.dims.begin());
    return guard;
  }

  // The guards of the input's gradient, from guards of the result's: the gradient is summed over the dimensions that
  // the input lacks.
  GuardList guardsOfInput(GuardList ofResult) {
    const Dims &dims = inputs[index].dims;
    for (Guard &guard : ofResult)
      guard.axes = domainOf(guard);
    GuardList moved = guards.ofSumOver(op->getLoc(), algebra::domainOf(op), ofResult, dims, elementOf(dy.value));
    for (Guard &guard : moved)
      for (int64_t &dim : guard.axes)
        dim = llvm::find(dims, dim) - dims.begin();
    return moved;
  }
  GuardList guardsOfInput() { return guardsOfInput(incoming.guards); }

  // Puts a gradient over distinct(the input's dimensions) on the diagonal, between zeros. A read of a[i, i] has no
  // gradient for other elements.
  Value onDiagonal(Value value) {
    const Dims &dims = inputs[index].dims;
    Dims once = distinct(dims), all;
    if (once.size() == dims.size())
      return value;
    Access gradient{value, once};
    SmallVector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t dim : dims) {
      bool repeats = contains(all, dim);
      all.push_back(repeats ? build.addDim(op.getExtents()[dim]) : dim);
      if (repeats)
        pairs.push_back({dim, all.back()});
    }
    // One select for each repeated dimension: 0 where it differs from its twin.
    for (auto [dim, twin] : pairs) {
      Type i64 = builder.getI64Type();
      Access equal{build.map(Function::eq, {build.iota(dim, i64), build.iota(twin, i64)}, {dim, twin}), {dim, twin}};
      gradient = {build.map(Function::select, {equal, gradient, number(0)}, all), all};
    }
    return gradient.value;
  }

  // Sums a gradient over the domain to the input's axes, or repeats it along them.
  Gradient pass(const Access &gradient) {
    return {onDiagonal(build.product(gradient, distinct(inputs[index].dims))), guardsOfInput()};
  }
  // The same after a product with a factor that may be infinite where the gradient is dead.
  Gradient passGuarded(const Access &gradient) { return pass(guarded(gradient)); }
  // A constant factor is finite, so it needs no guard.
  Gradient passFactor(const Access &gradient, const Access &factor) {
    return constantOf(factor.value) ? pass(gradient) : passGuarded(gradient);
  }

  // Negates after the sum, which has fewer elements than the domain.
  Gradient negated(Gradient gradient) {
    const Dims &dims = inputs[index].dims;
    Dims axes;
    for (unsigned axis = 0; axis < dims.size(); ++axis)
      axes.push_back(axis);
    EquationBuilder over(builder, op->getLoc(), dimensionsOf(gradient.value));
    gradient.value = over.map(Function::neg, Access{gradient.value, axes}, axes);
    return gradient;
  }

  // exp, sqrt, rsqrt, tan, tanh, sigmoid and relu are differentiated from their result, which is often saved already.
  Gradient ofMap(Function function) {
    Access x = inputs[0], y = result;
    auto times = [&](Access a, Access b) { return apply(Function::mul, {a, b}); };
    switch (function) {
    case Function::id:
    case Function::add: return pass(dy);
    case Function::neg: return negated(pass(dy));
    case Function::sub: return index == 0 ? pass(dy) : negated(pass(dy));
    case Function::mul: return passFactor(times(dy, inputs[1 - index]), inputs[1 - index]);
    case Function::div: return ofQuotient();
    case Function::max: return ofLarger(Function::gt);
    case Function::min: return ofLarger(Function::lt);
    case Function::pow: return passGuarded(ofPower());
    case Function::select: return ofSelect();
    case Function::exp: return passGuarded(times(dy, resultFactor()));
    // Not from the result: near -1 it has lost the digits of the exponential.
    case Function::expm1: return passGuarded(times(dy, apply(Function::exp, x)));
    case Function::log: return passGuarded(apply(Function::div, {dy, x}));
    case Function::sqrt: return passGuarded(apply(Function::div, {times(dy, number(0.5)), resultFactor()}));
    case Function::rsqrt: return passGuarded(times(times(dy, number(-0.5)), times(times(y, y), y)));
    case Function::log1p: return passGuarded(apply(Function::div, {dy, apply(Function::add, {number(1), x})}));
    case Function::sin: return passGuarded(times(dy, apply(Function::cos, x)));
    case Function::cos: return passGuarded(apply(Function::neg, times(dy, apply(Function::sin, x))));
    case Function::tan: return passGuarded(times(dy, apply(Function::add, {number(1), times(y, y)})));
    case Function::erf: {
      Access bell = apply(Function::exp, apply(Function::neg, times(x, x)));
      return passGuarded(times(dy, times(bell, number(2 / std::sqrt(M_PI)))));
    }
    case Function::ndtr: {
      Access bell = apply(Function::exp, times(times(x, number(-0.5)), x));
      return passGuarded(times(dy, times(bell, number(1 / std::sqrt(2 * M_PI)))));
    }
    case Function::tanh: return passGuarded(times(dy, apply(Function::sub, {number(1), times(y, y)})));
    case Function::sigmoid: return passGuarded(times(dy, times(y, apply(Function::sub, {number(1), y}))));
    case Function::relu:
      return passGuarded(apply(Function::select, {apply(Function::gt, {y, number(0)}), dy, number(0)}));
    case Function::abs: {
      Access isBelow = apply(Function::lt, {x, number(0)});
      Access below = apply(Function::select, {isBelow, apply(Function::neg, dy), number(0)});
      return passGuarded(apply(Function::select, {apply(Function::gt, {x, number(0)}), dy, below}));
    }
#define PLC_DERIVATIVE_Rule(ID)
#define PLC_DERIVATIVE_Zero(ID) case Function::ID:
#define PLC_FUNCTION(ID, WORD, ARITY, DOMAIN, RESULT, COST, TRANSCENDENTAL, DERIVATIVE, SPELLING)                      \
  PLC_DERIVATIVE_##DERIVATIVE(ID)
#include "plc/Dialect/Ein/Functions.def"
#undef PLC_DERIVATIVE_Rule
#undef PLC_DERIVATIVE_Zero
    break; // hasDerivative
    }
    llvm_unreachable("no gradient goes through this function");
  }

  // max and min: to the operand that is taken, half to each of two equal ones. So a smooth formula of parts that are
  // not smooth has its derivative: max(x, 0) + log1p(exp(-abs(x))) has 1/2 at 0. NaN in the second operand takes it.
  Gradient ofLarger(Function isTaken) {
    Access second = apply(Function::logical_or, {apply(isTaken, {inputs[1], inputs[0]}), isNaN(inputs[1])});
    Access half = apply(Function::mul, {dy, number(0.5)});
    Access shared =
        apply(Function::select, {apply(Function::eq, {inputs[0], inputs[1]}), half, index == 0 ? dy : number(0)});
    return pass(index == 0 ? apply(Function::select, {second, number(0), shared})
                           : apply(Function::select, {second, dy, shared}));
  }

  // x != x: true of NaN alone.
  Access isNaN(const Access &x) {
    Dims dims = distinct(x.dims);
    return {build.map(Function::ne, {x, x}, dims), dims};
  }

  // y = a / b: da = dy / b, db = -(da y).
  Gradient ofQuotient() {
    Access da = apply(Function::div, {dy, inputs[1]});
    if (index == 0)
      return passFactor(da, inputs[1]);
    return passGuarded(apply(Function::neg, apply(Function::mul, {da, resultFactor()})));
  }

  // y = a^b: da = dy b a^(b - 1), db = dy y log(a). a^0 does not change with a, and 0^b does not change with b >= 0;
  // both are selected to be 0, since the formulas give NaN there.
  Access ofPower() {
    Access a = inputs[0], b = inputs[1], zero = number(0);
    auto times = [&](Access x, Access y) { return apply(Function::mul, {x, y}); };
    if (index == 0) {
      Access slope = times(b, apply(Function::pow, {a, apply(Function::sub, {b, number(1)})}));
      // A constant exponent other than 0 needs no select.
      if (constantOf(b.value).value_or(0) != 0)
        return times(dy, slope);
      return times(dy, apply(Function::select, {apply(Function::eq, {b, zero}), zero, slope}));
    }
    Access slope = times(resultFactor(), apply(Function::log, a));
    Access isConstant = apply(Function::logical_and, {apply(Function::eq, {a, zero}), apply(Function::ge, {b, zero})});
    return times(dy, apply(Function::select, {isConstant, zero, slope}));
  }

  // The gradient of a branch is 0 where the other one is taken. That condition becomes a guard.
  Gradient ofSelect() {
    Access branch = index == 1 ? apply(Function::select, {inputs[0], dy, number(0)})
                               : apply(Function::select, {inputs[0], number(0), dy});
    GuardList all(incoming.guards);
    if (Guard guard = branchGuard(op, index); !llvm::is_contained(all, guard))
      all.push_back(guard);
    return {pass(branch).value, guardsOfInput(all)};
  }

  // The inputs, with the gradient instead of the differentiated one.
  SmallVector<Access> replaced() {
    SmallVector<Access> factors(inputs);
    factors[index] = dy;
    return factors;
  }

  // A factor that meets the gradient in a sum, made 0 where all of the gradient that it meets is dead.
  Access guardedFactor(const Access &factor) {
    Dims dims = distinct(factor.dims);
    GuardList ofGradient(incoming.guards);
    for (Guard &guard : ofGradient)
      guard.axes = domainOf(guard);
    Type element = elementOf(factor.value);
    Access value = factor;
    for (const Guard &guard : guards.ofSumOver(op->getLoc(), algebra::domainOf(op), ofGradient, dims, element)) {
      SmallVector<Access> operands{{guard.cond, guard.axes}, value, build.constant(0, element)};
      if (guard.dead)
        std::swap(operands[1], operands[2]);
      value = {build.map(Function::select, operands, dims), dims};
    }
    return value;
  }

  // A product stays one contraction, for speed. So zeros of a branch not taken are multiplied by the other factors.
  // Those factors are made 0 where they meet only such zeros. Where an infinite factor meets others too, some gradient
  // is infinite anyway. What follows the sum is guarded again.
  Gradient ofContract() {
    SmallVector<Access> factors = replaced();
    for (auto [other, factor] : llvm::enumerate(factors))
      if (other != index)
        factor = guardedFactor(factor);
    Dims dims = distinct(inputs[index].dims), present;
    // `product` repeats along dimensions that no factor has; a longer contraction needs a copy for that.
    if (factors.size() <= 2)
      return {onDiagonal(build.product(factors, dims)), guardsOfInput()};
    for (int64_t dim : dims)
      if (llvm::any_of(factors, [&](const Access &factor) { return contains(factor.dims, dim); }))
        present.push_back(dim);
    return {onDiagonal(build.copy({build.contract(factors, present), present}, dims)), guardsOfInput()};
  }

  // The gradient of a maximum or minimum goes to the first element that equals the result. Positions are counted in the
  // element type, so they must be exact there; too many elements are an error.
  FailureOr<Gradient> ofExtremum() {
    Dims dims = distinct(inputs[0].dims), reduced;
    Type element = elementOf(result.value);
    int64_t count = 1, limit = largestCount(element);
    for (int64_t dim : dims) {
      if (contains(result.dims, dim))
        continue;
      reduced.push_back(dim);
      if (count > limit / op.getExtents()[dim])
        return op->emitError("gradient of a maximum or minimum over more than ")
               << limit << " elements of " << element
               << "; write it over parts, 'max[i](max[j](x[K*i + j]))', or compute in f64";
      count *= op.getExtents()[dim];
    }
    Access position = numberAmong(builder, build, op, reduced, element);
    auto over = [&](Function function, ArrayRef<Access> operands) {
      return Access{build.map(function, operands, dims), dims};
    };
    // A NaN result equals no element. The elements that are NaN made it so.
    Access attains = over(Function::logical_or, {over(Function::eq, {inputs[0], result}), isNaN(inputs[0])});
    // The smallest number among the elements that attain the result is the first one's.
    Access candidates = over(Function::select, {attains, position, number(INFINITY)});
    Access first{build.reduce(ein::Reduction::min, candidates, result.dims), result.dims};
    Access isFirst = over(Function::eq, {candidates, first});
    // Elements that do not attain it are excluded again: if none does, all candidates are infinite and equal.
    Access isFinite = over(Function::select, {attains, over(Function::select, {isFirst, dy, number(0)}), number(0)});
    return Gradient{onDiagonal(isFinite.value), guardsOfInput()};
  }

  FailureOr<Gradient> ofReduction(ein::Reduction reduction) {
    switch (reduction) {
    case ein::Reduction::sum: return pass(dy);
    case ein::Reduction::max:
    case ein::Reduction::min: return ofExtremum();
    case ein::Reduction::prod: return ofProduct();
    case ein::Reduction::any:
    case ein::Reduction::all: break; // of truth values
    }
    llvm_unreachable("no gradient goes through this reduction");
  }

  // The gradient of prod (ProductAdjoint.cpp), back on the axes that the input repeats.
  Gradient ofProduct() {
    auto guard = [&](const Access &gradient) { return guarded(gradient); };
    return {onDiagonal(adjointOfProduct(builder, op, build, dy, guard)), guardsOfInput()};
  }

  // An update gets the gradient of the element that it was added to. If the scatter has a factor, that is multiplied by
  // the other one of the two.
  Gradient ofScatter(ein::ScatterAddOp scatter) {
    if (scatter.getReduction())
      return {adjointOfJoin(builder, scatter, build, dy), {}};
    bool isProduct = bool(scatter.getFactor());
    SmallVector<Access> read(inputs.begin(), inputs.end() - isProduct);
    read[0] = dy;
    if (!isProduct)
      return {build.gather(read, inputs[0].dims), {}};
    Dims domain;
    for (int64_t dim = 0, count = op.getExtents().size(); dim < count; ++dim)
      domain.push_back(dim);
    Access gathered{build.gather(read, domain), domain};
    return {build.product({gathered, inputs[index == 0 ? inputs.size() - 1 : 0]}, inputs[index].dims), {}};
  }

  // The gradient of a table. If every dimension of the domain indexes the table, no two elements of the domain read one
  // element of it. The position is then selected, which keeps guards. Otherwise `scatter_add` sums, and guards end
  // there.
  Gradient ofGather() {
    Dims dims, kept;
    SmallVector<std::pair<int64_t, int64_t>> symbols; // dimension of the table, index operand
    for (auto [axis, dim] : llvm::enumerate(inputs[0].dims)) {
      if (dim >= 0)
        kept.push_back(dim);
      else
        symbols.push_back({axis, -dim});
      dims.push_back(dim);
    }
    if (distinct(kept).size() != kept.size() || kept.size() != op.getExtents().size())
      return {build.scatterAdd(replacedTable(), inputs[0]), {}};
    for (auto [axis, operand] : symbols)
      dims[axis] = build.addDim(shapeOf(inputs[0].value)[axis]);
    // 3. For each digit multiply by the P(k) at its other values: `same` replaces the own one by 1.
    Access gradient = dy;
    for (auto [axis, operand] : symbols) {
      const Access &position = inputs[operand];
      Access own = build.iota(dims[axis], elementOf(position.value));
      Dims both;
      for (int64_t dim : dims)
        if (dim == dims[axis] || contains(position.dims, dim))
          both.push_back(dim);
      Access hit{build.map(Function::eq, {own, position}, both), both};
      gradient = {build.map(Function::select, {hit, gradient, number(0)}, dims), dims};
    }
    return {gradient.value, guardsOfInput()};
  }

  // The largest n such that all integers up to n are numbers of the type. `!ein.real` may become any precision, so f32
  // decides.
  static int64_t largestCount(Type element) {
    if (ein::lacksPrecision(element))
      element = Float32Type::get(element.getContext());
    return int64_t(1) << cast<FloatType>(element).getFPMantissaWidth();
  }

  // The inputs, with the gradient instead of the table.
  SmallVector<Access> replacedTable() {
    SmallVector<Access> all(inputs);
    all[0] = dy;
    return all;
  }

  OpBuilder &builder;
  Guards &guards;
  ein::Equation op;
  EquationBuilder build;
  SmallVector<Access> inputs;
  Access result;
  const Gradient &incoming;
  Access dy;
  unsigned index = 0;
};

// Whether an operand can have a gradient at all: positions, conditions and step functions have none.
bool hasDerivative(Operation *op, unsigned index) {
  if (auto scatter = dyn_cast<ein::ScatterAddOp>(op))
    return index == 0 || index > scatter.getIndices().size();
  if (isa<ein::GatherOp>(op))
    return index == 0;
  auto map = dyn_cast<ein::MapOp>(op);
  if (!map)
    return true;
  const ein::FunctionInfo &info = ein::infoOf(map.getFunction());
  bool chooses = info.domain == ein::Domain::Choice && index == 0;
  return info.derivative == ein::Derivative::Rule && !chooses;
}

} // namespace

LogicalResult algebra::differentiate(OpBuilder &builder, Guards &guards, Operation *op, const Gradient &gradient,
                                     const llvm::DenseSet<Value> &active,
                                     SmallVectorImpl<std::pair<unsigned, Gradient>> &contributions) {
  if (auto cast = dyn_cast<ein::CastOp>(op)) {
    // A cast to a storage type and back changes no gradient: it has the type that the value is computed in.
    RankedTensorType wanted = ein::wideTypeOf(cast.getInput().getType());
    Value back = gradient.value;
    if (back.getType() != wanted)
      back = ein::CastOp::create(builder, op->getLoc(), wanted, back);
    contributions.push_back({0, Gradient{back, gradient.guards}});
    return success();
  }
  if (auto next = dyn_cast<ein::NextOp>(op)) {
    if (active.contains(next.getInput()))
      contributions.push_back({0, gradient});
    if (active.contains(next.getParam())) // what a step takes in place of a gradient
      contributions.push_back({1, {next.getValue(), {}}});
    return success();
  }
  if (isa<ein::WindowOp, ein::InsertSliceOp>(op)) {
    contributions.push_back({0, {adjointOfParts(builder, op, gradient), {}}});
    return success();
  }
  if (ein::isView(op)) {
    contributions.push_back({0, {ein::unview(builder, op, gradient.value), guards.unview(op, gradient.guards)}});
    return success();
  }
  auto equation = cast<ein::Equation>(op);
  Rules rules(builder, guards, equation, gradient);
  for (unsigned index = 0; index < equation.getInputs().size(); ++index) {
    if (!active.contains(op->getOperand(index)) || !hasDerivative(op, index))
      continue;
    FailureOr<Gradient> part = rules.of(index);
    if (failed(part))
      return failure();
    contributions.push_back({index, *part});
  }
  return success();
}
