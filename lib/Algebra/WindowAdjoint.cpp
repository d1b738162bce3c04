//===- WindowAdjoint.cpp - gradients of parts and windows -----------------===//
//
// An element that windows show more than once gets the sum of their gradients. That of a convolution is a product,
//
//   dy[n, k, i] * w[k, c, p]        summed over k, for x[n, c, i + p - 1],
//
// and its sum over all i, p with i + p - 1 = a is a convolution again, of windows on the other factor:
//
//   dx[n, c, a] = dy'[n, k, a - p + 1] * w[k, c, p]        where dy' is dy between zeros.
//
// So the gradients of the windows, which are larger than x by the size of one, are never made. Windows that move by s
// elements, x[.., s*i + p], are s convolutions: p is s*u + r, and those of one r make every s-th element. What is no such
// product is added up by `ein.scatter_add`.
//
//===----------------------------------------------------------------------===//
#include "Adjoint.h"
#include "Equations.h"
#include "plc/Dialect/Ein/Views.h"

#include <algorithm>

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::AxisPositions;
using ein::Function;

namespace {

class WindowAdjoint {
public:
  WindowAdjoint(OpBuilder &builder, ein::WindowOp window, Value gradient)
      : builder(builder), loc(window.getLoc()), input(window.getInput()), axes(window.getPositions()),
        build(builder, loc, dimensionsOf(window.getResult())),
        extents(shapeOf(window.getResult()).begin(), shapeOf(window.getResult()).end()), gradient(gradient) {
    for (int64_t axis = 0, rank = shapeOf(input).size(); axis < rank; ++axis)
      whole.push_back(window.shownWhole(axis).has_value());
  }

  Value run() {
    factors = productOf(gradient);
    Dims kept; // of the result, for each axis one, or two that are merged
    for (auto [axis, positions] : llvm::enumerate(axes)) {
      merged.push_back(kept.size());
      if (positions.dims.size() == 1 && positions.strides[0] > 0) {
        kept.push_back(positions.dims[0]);
        continue;
      }
      if (!solve(axis, kept))
        return addUp();
    }
    merged.push_back(kept.size());
    return placed(factors.size() > 2 ? build.contract(factors, kept) : build.product(factors, kept));
  }

private:
  // The factors of a value over the result's dimensions; those that are summed get numbers of their own.
  SmallVector<Access> productOf(Value value) {
    Dims own;
    for (int64_t dim = 0, rank = extents.size(); dim < rank; ++dim)
      own.push_back(dim);
    auto equation = value.getDefiningOp<ein::Equation>();
    auto map = value.getDefiningOp<ein::MapOp>();
    bool isProduct = value.getDefiningOp<ein::ContractOp>() && !equation.getAccumulator();
    isProduct |= map && (map.getFunction() == Function::mul || map.getFunction() == Function::id);
    if (!isProduct)
      return {{value, own}};
    Dims numbers(equation.getNumDims(), -1), result = resultOf(equation).dims;
    for (auto [axis, dim] : llvm::enumerate(result))
      numbers[dim] = axis;
    for (auto [dim, number] : llvm::enumerate(numbers))
      if (number < 0)
        number = addDim(equation.getExtents()[dim]);
    SmallVector<Access> found = inputsOf(equation);
    for (Access &factor : found)
      for (int64_t &dim : factor.dims)
        dim = numbers[dim];
    return found;
  }

  int64_t addDim(int64_t extent) {
    extents.push_back(extent);
    return build.addDim(extent);
  }

  // Adds the dimensions that are kept for an axis of several, or of one that runs backward.
  bool solve(unsigned axis, Dims &kept) {
    AxisPositions positions = axes[axis];
    if (positions.dims.empty())
      return false;
    unsigned longest = 0;
    for (unsigned i = 1; i < positions.dims.size(); ++i)
      if (extents[positions.dims[i]] > extents[positions.dims[longest]])
        longest = i;
    if (std::abs(positions.strides[longest]) == 1) {
      std::optional<int64_t> position = turn(positions, longest, shapeOf(input)[axis]);
      if (position)
        kept.push_back(*position);
      return position.has_value();
    }
    return divide(axis, positions, longest, kept);
  }

  // Windows that move by a stride. What is made begins at the offset of the axis, and counts positions from there.
  bool divide(unsigned axis, const AxisPositions &positions, unsigned longest, Dims &kept) {
    int64_t stride = positions.strides[longest], moves = positions.dims[longest];
    if (positions.dims.size() != 2 || stride < 0 || positions.strides[1 - longest] != 1)
      return false;
    int64_t inside = positions.dims[1 - longest], parts = llvm::divideCeil(extents[inside], stride);
    for (const Access &factor : factors)
      if (contains(factor.dims, moves) && contains(factor.dims, inside))
        return false;
    int64_t part = addDim(parts), rest = addDim(stride);
    bool divides = false;
    for (Access &factor : factors)
      if (auto found = llvm::find(factor.dims, inside); found != factor.dims.end()) {
        if (llvm::count(factor.dims, inside) > 1)
          return false;
        unsigned at = found - factor.dims.begin();
        SmallVector<int64_t> shape(shapeOf(factor.value));
        shape[at] = parts * stride;
        factor.value = ein::split(builder, loc, padded(factor.value, {}, shape), at, {parts, stride});
        factor.dims[at] = part;
        factor.dims.insert(factor.dims.begin() + at + 1, rest);
        divides = true;
      }
    std::optional<int64_t> position =
        divides ? turn({0, {moves, part}, {1, 1}}, 0, extents[moves] + parts - 1) : std::nullopt;
    if (!position)
      return false;
    kept.append({*position, rest});
    return true;
  }

  // Solves positions for one of their dimensions, of stride 1 or -1, and reads the factors that have it at what it is,
  // between zeros: windows whose dimensions are the position and the others. Gives the position's dimension.
  std::optional<int64_t> turn(const AxisPositions &positions, unsigned which, int64_t extent) {
    int64_t solved = positions.dims[which], sign = positions.strides[which];
    auto has = [&](const Access &factor) { return contains(factor.dims, solved); };
    if (llvm::none_of(factors, has))
      return std::nullopt;
    // solved = sign * (position - offset - the sum of the others)
    AxisPositions source{-sign * positions.offset, {}, {sign}};
    Dims others;
    for (auto [dim, stride] : llvm::zip(positions.dims, positions.strides))
      if (dim != solved) {
        others.push_back(dim);
        source.strides.push_back(-sign * stride);
      }
    for (const Access &factor : factors)
      if (has(factor) && (llvm::count(factor.dims, solved) > 1 ||
                          llvm::any_of(others, [&](int64_t dim) { return contains(factor.dims, dim); })))
        return std::nullopt;
    int64_t position = addDim(extent);
    for (Access &factor : factors)
      if (has(factor))
        factor = windowed(factor, llvm::find(factor.dims, solved) - factor.dims.begin(), source, position, others);
    return position;
  }

  // A value between zeros, from these offsets on (0 where there are none).
  Value padded(Value value, SmallVector<int64_t> offsets, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    offsets.resize(shape.size(), 0);
    return ein::place(builder, loc, value, offsets, SmallVector<int64_t>(shape.size(), 1), shape);
  }

  Access windowed(const Access &factor, unsigned axis, AxisPositions source, int64_t position,
                  ArrayRef<int64_t> others) {
    SmallVector<int64_t> shape(shapeOf(factor.value)), offsets(shape.size(), 0);
    int64_t least = source.offset, most = source.offset;
    Dims dims(others);
    dims.insert(dims.begin(), position);
    for (auto [dim, stride] : llvm::zip(dims, source.strides))
      (stride > 0 ? most : least) += stride * (extents[dim] - 1);
    offsets[axis] = std::max<int64_t>(0, -least);
    shape[axis] = offsets[axis] + std::max(shape[axis], most + 1);
    source.offset += offsets[axis];
    Access result{padded(factor.value, offsets, shape), factor.dims};
    result.dims.erase(result.dims.begin() + axis);
    result.dims.insert(result.dims.begin() + axis, dims.begin(), dims.end());
    for (int64_t i = 0, count = dims.size(); i < count; ++i)
      source.dims.push_back(axis + i);
    SmallVector<AxisPositions> all;
    SmallVector<int64_t> shown;
    for (int64_t other = 0, rank = shape.size(); other < rank; ++other)
      all.push_back(other == axis ? source
                                  : AxisPositions{0, {other < axis ? other : other + int64_t(dims.size()) - 1}, {1}});
    for (int64_t dim : result.dims)
      shown.push_back(extents[dim]);
    result.value = ein::window(builder, loc, result.value, all, shown);
    return result;
  }

  // A value over the kept dimensions as the gradient of the whole input.
  Value placed(Value value) {
    for (size_t axis = axes.size(); axis-- > 0;)
      if (merged[axis + 1] - merged[axis] > 1)
        value = ein::merge(builder, loc, value, merged[axis], merged[axis + 1] - merged[axis]);
    SmallVector<int64_t> offsets, strides;
    SmallVector<AxisPositions> inside;
    bool places = false;
    for (auto [axis, positions] : llvm::enumerate(axes)) {
      int64_t extent = shapeOf(input)[axis];
      bool divided = merged[axis + 1] - merged[axis] > 1;
      bool part = divided || (positions.dims.size() == 1 && positions.strides[0] > 0 && !whole[axis]);
      offsets.push_back(part ? positions.offset : 0);
      strides.push_back(part && !divided ? positions.strides[0] : 1);
      // Of what a stride has made, elements behind the last window may lie behind the input too: they are 0.
      int64_t made = shapeOf(value)[axis], taken = divided ? std::min(made, extent - positions.offset) : made;
      places |= offsets.back() != 0 || strides.back() != 1 || taken != extent;
      inside.push_back({0, {int64_t(axis)}, {1}});
      shape.push_back(taken);
    }
    if (shape != SmallVector<int64_t>(shapeOf(value)))
      value = ein::window(builder, loc, value, inside, shape);
    return places ? ein::place(builder, loc, value, offsets, strides, shapeOf(input)) : value;
  }

  // Each gradient at the position that it was read from.
  Value addUp() {
    Access updates{gradient, {}}, table{input, {}};
    for (int64_t dim = 0, rank = shapeOf(gradient).size(); dim < rank; ++dim)
      updates.dims.push_back(dim);
    SmallVector<Access> inputs{updates};
    for (auto [axis, positions] : llvm::enumerate(axes)) {
      if (whole[axis]) {
        table.dims.push_back(positions.dims[0]);
        continue;
      }
      table.dims.push_back(-int64_t(inputs.size()));
      inputs.push_back(positionsAlong(positions, shapeOf(input)[axis]));
    }
    return build.scatterAdd(inputs, table);
  }

  Access positionsAlong(const AxisPositions &positions, int64_t extent) {
    Type type = extent > INT32_MAX ? builder.getI64Type() : builder.getI32Type();
    Access sum = build.constant(double(positions.offset), type);
    for (auto [dim, stride] : llvm::zip(positions.dims, positions.strides)) {
      Access term{build.map(Function::mul, {build.iota(dim, type), build.constant(double(stride), type)}, dim), {dim}};
      Dims dims(sum.dims);
      dims.push_back(dim);
      sum = {build.map(Function::add, {sum, term}, dims), dims};
    }
    return sum;
  }

  OpBuilder &builder;
  Location loc;
  Value input;
  SmallVector<AxisPositions> axes; // of the input
  SmallVector<bool> whole;
  EquationBuilder build;
  Dims extents; // of the builder's dimensions
  Value gradient;
  SmallVector<Access> factors;
  SmallVector<int64_t> merged; // for each axis, the first of its dimensions in the result
  SmallVector<int64_t> shape;  // of what is placed
};

// What guards say is 0 is selected.
Value guarded(OpBuilder &builder, Location loc, const Gradient &gradient) {
  EquationBuilder build(builder, loc, dimensionsOf(gradient.value));
  Access value{gradient.value, {}};
  for (int64_t dim = 0, rank = shapeOf(gradient.value).size(); dim < rank; ++dim)
    value.dims.push_back(dim);
  for (const Guard &guard : gradient.guards) {
    Access cond{guard.cond, guard.axes}, zero = build.constant(0, elementOf(value.value));
    SmallVector<Access> operands{cond, value, zero};
    if (guard.dead)
      std::swap(operands[1], operands[2]);
    value.value = build.map(Function::select, operands, value.dims);
  }
  return value.value;
}

} // namespace

Value algebra::adjointOfParts(OpBuilder &builder, Operation *op, const Gradient &gradient) {
  Value value = guarded(builder, op->getLoc(), gradient);
  if (auto window = dyn_cast<ein::WindowOp>(op))
    return WindowAdjoint(builder, window, value).run();
  auto place = cast<ein::PlaceOp>(op);
  return ein::window(builder, op->getLoc(), value, place.getPositions(), place.getInput().getType().getShape());
}
