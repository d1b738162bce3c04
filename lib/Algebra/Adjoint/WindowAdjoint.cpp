//===- WindowAdjoint.cpp - gradients of windows and placed slices ---------===//
//
// An element that several windows show gets the sum of their gradients. For a convolution the gradient of the windows
// is a product,
//
//   dy[n, k, i] * w[k, c, p]        summed over k, for x[n, c, i + p - 1].
//
// Its sum over all i, p with i + p - 1 = a is a convolution again, of windows on the other factor:
//
//   dx[n, c, a] = dy'[n, k, a - p + 1] * w[k, c, p]        where dy' is dy between zeros.
//
// So the gradients of the windows, which are larger than x by the size of a window, are never computed. Windows that
// move by s elements, x[.., s*i + p], are s convolutions: p = s*u + r, and the convolution of each r makes every s-th
// element. Gradients that are no such product are added by `ein.scatter_add`.
//
//===----------------------------------------------------------------------===//
#include "Adjoint.h"
#include "Base/Equations.h"
#include "plc/Dialect/Ein/Views.h"

#include <algorithm>

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::AxisPositions;
using ein::Function;

namespace {

/// A factor of a product. Each axis of the value is read at a position: an offset plus strided dimensions of the
/// product.
struct Factor {
  Value value;
  SmallVector<AxisPositions> axes;

  bool has(int64_t dim) const { return axisOf(dim) < axes.size(); }
  /// The first axis that reads a dimension; the number of axes if none does.
  size_t axisOf(int64_t dim) const {
    return llvm::find_if(axes, [&](const AxisPositions &axis) { return contains(axis.dims, dim); }) - axes.begin();
  }
  /// Whether exactly one axis reads the dimension, and reads nothing else.
  bool isAlone(int64_t dim) const {
    auto users = llvm::count_if(axes, [&](const AxisPositions &axis) { return contains(axis.dims, dim); });
    return users == 1 && axes[axisOf(dim)].dims.size() == 1;
  }
};

// Whether a position runs over a whole axis, element by element.
bool isWhole(const AxisPositions &positions, int64_t axisExtent, int64_t dimExtent) {
  return positions.offset == 0 && positions.dims.size() == 1 && positions.strides[0] == 1 && axisExtent == dimExtent;
}

/// A value as a product of factors. The dimensions begin with the value's axes. Subclasses change the positions at
/// which factors are read, and multiply again.
class Product {
protected:
  Product(OpBuilder &builder, Location loc, Value value)
      : builder(builder), loc(loc), build(builder, loc, dimensionsOf(value)),
        extents(shapeOf(value).begin(), shapeOf(value).end()) {}

  // The factors of a value over the result's dimensions. Summed dimensions get numbers of their own. A value that is no
  // product is its only factor.
  SmallVector<Factor> productOf(Value value) {
    Dims own;
    for (int64_t dim = 0, rank = extents.size(); dim < rank; ++dim)
      own.push_back(dim);
    auto equation = value.getDefiningOp<ein::Equation>();
    auto map = value.getDefiningOp<ein::MapOp>();
    bool isProduct = value.getDefiningOp<ein::ContractOp>() && !equation.getAccumulator();
    isProduct |= map && (map.getFunction() == Function::mul || map.getFunction() == Function::id);
    if (!isProduct)
      return {factorOf({value, own})};
    Dims numbers(equation.getNumDims(), -1), result = resultOf(equation).dims;
    for (auto [axis, dim] : llvm::enumerate(result))
      numbers[dim] = axis;
    for (auto [dim, number] : llvm::enumerate(numbers))
      if (number < 0)
        number = addDim(equation.getExtents()[dim]);
    SmallVector<Factor> found;
    for (Access &input : inputsOf(equation)) {
      for (int64_t &dim : input.dims)
        dim = numbers[dim];
      found.push_back(factorOf(input));
    }
    return found;
  }

  static Factor factorOf(const Access &access) {
    Factor factor{access.value, {}};
    for (int64_t dim : access.dims)
      factor.axes.push_back({0, {dim}, {1}});
    return factor;
  }

  int64_t addDim(int64_t extent) {
    extents.push_back(extent);
    return build.addDim(extent);
  }

  // The value at these offsets of a tensor of zeros.
  Value between(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return ein::insertSlice(builder, loc, value, offsets, SmallVector<int64_t>(shape.size(), 1), shape);
  }

  // A factor as it is read: one placement puts all its axes between zeros, then a window reads them.
  Access shown(const Factor &factor) {
    SmallVector<int64_t> shape(shapeOf(factor.value)), offsets, seen;
    SmallVector<AxisPositions> axes(factor.axes);
    Dims dims;
    bool plain = true;
    for (auto [axis, positions] : llvm::enumerate(axes)) {
      // The positions that are read may lie outside: there the factor is 0.
      int64_t least = positions.offset, most = positions.offset;
      for (auto [dim, stride] : llvm::zip(positions.dims, positions.strides))
        (stride > 0 ? most : least) += stride * (extents[dim] - 1);
      plain &= isWhole(positions, shape[axis], most + 1);
      offsets.push_back(std::max<int64_t>(0, -least));
      shape[axis] = offsets.back() + std::max(shape[axis], most + 1);
      positions.offset += offsets.back();
      for (int64_t &dim : positions.dims) {
        seen.push_back(extents[dim]);
        dims.push_back(std::exchange(dim, int64_t(dims.size())));
      }
    }
    if (plain)
      return {factor.value, dims};
    return {ein::window(builder, loc, between(factor.value, offsets, shape), axes, seen), dims};
  }

  Value multiplied(ArrayRef<int64_t> kept) {
    SmallVector<Access> read = llvm::map_to_vector(factors, [&](const Factor &factor) { return shown(factor); });
    return read.size() > 2 ? build.contract(read, kept) : build.product(read, kept);
  }

  OpBuilder &builder;
  Location loc;
  EquationBuilder build;
  Dims extents; // of the builder's dimensions
  SmallVector<Factor> factors;
};

// The gradient of the input of a window. `run` solves the position of each input axis for one of its dimensions, so
// that the input's own axes become dimensions of the product. If an axis cannot be solved, it scatters instead.
class WindowAdjoint : Product {
public:
  WindowAdjoint(OpBuilder &builder, ein::WindowOp window, Value gradient)
      : Product(builder, window.getLoc(), window.getResult()), input(window.getInput()), axes(window.getPositions()),
        gradient(gradient) {
    for (int64_t axis = 0, rank = shapeOf(input).size(); axis < rank; ++axis)
      whole.push_back(window.shownWhole(axis).has_value());
  }

  Value run() {
    factors = productOf(gradient);
    Dims kept; // of the result, for each axis one, or two that are merged
    for (auto [axis, positions] : llvm::enumerate(axes)) {
      merged.push_back(kept.size());
      // At most one window shows each element: no sum.
      if (positions.dims.size() == 1 && positions.strides[0] > 0) {
        kept.push_back(positions.dims[0]);
        continue;
      }
      if (!solve(axis, kept))
        return addUp();
    }
    merged.push_back(kept.size());
    // Products of matrices have their columns last, so a copy puts the remainders of divided positions among them.
    Dims order(rests);
    for (int64_t dim : kept)
      if (!contains(rests, dim))
        order.push_back(dim);
    return placed(build.copy({multiplied(order), order}, kept));
  }

private:
  // Solves the position of an axis that reads several dimensions, or one backward. Adds the dimensions that the axis
  // keeps. The longest dimension is solved for: the others remain to be summed.
  bool solve(unsigned axis, Dims &kept) {
    AxisPositions positions = axes[axis];
    if (positions.dims.empty())
      return false;
    unsigned longest = 0;
    for (unsigned i = 1; i < positions.dims.size(); ++i)
      if (extents[positions.dims[i]] > extents[positions.dims[longest]])
        longest = i;
    if (std::abs(positions.strides[longest]) == 1) {
      std::optional<int64_t> position = iteration(positions, longest, shapeOf(input)[axis]);
      if (position)
        kept.push_back(*position);
      return position.has_value();
    }
    return divide(axis, positions, longest, kept);
  }

  // Handles windows that move by a stride (see the top). The result begins at the offset of the axis and counts
  // positions from there.
  bool divide(unsigned axis, const AxisPositions &positions, unsigned longest, Dims &kept) {
    int64_t stride = positions.strides[longest], moves = positions.dims[longest];
    if (positions.dims.size() != 2 || stride < 0 || positions.strides[1 - longest] != 1)
      return false;
    int64_t inside = positions.dims[1 - longest], parts = llvm::divideCeil(extents[inside], stride);
    for (const Factor &factor : factors)
      if (factor.has(inside) && (factor.has(moves) || !factor.isAlone(inside)))
        return false;
    int64_t part = addDim(parts), rest = addDim(stride);
    bool divides = false;
    for (Factor &factor : factors)
      if (factor.has(inside)) {
        // A split needs a factor that is read as it is in memory.
        if (llvm::any_of(factor.axes, [](const AxisPositions &each) { return each.offset || each.dims.size() > 1; }))
          return false;
        size_t at = factor.axisOf(inside);
        SmallVector<int64_t> shape(shapeOf(factor.value));
        shape[at] = parts * stride;
        Value padded = between(factor.value, SmallVector<int64_t>(shape.size(), 0), shape);
        factor.value = ein::split(builder, loc, padded, at, {parts, stride});
        factor.axes[at].dims = {part};
        factor.axes.insert(factor.axes.begin() + at + 1, {0, {rest}, {1}});
        divides = true;
      }
    std::optional<int64_t> position =
        divides ? iteration({0, {moves, part}, {1, 1}}, 0, extents[moves] + parts - 1) : std::nullopt;
    if (!position)
      return false;
    kept.append({*position, rest});
    rests.push_back(rest);
    return true;
  }

  // Solves a position for one of its dimensions, of stride 1 or -1. Factors that have this dimension are then read at
  // the solution: windows over the position and the other dimensions, between zeros. Returns the position's dimension,
  // or nullopt where a factor has it in another form.
  std::optional<int64_t> iteration(const AxisPositions &positions, unsigned which, int64_t extent) {
    int64_t solved = positions.dims[which], sign = positions.strides[which];
    if (llvm::none_of(factors, [&](const Factor &factor) { return factor.has(solved); }))
      return std::nullopt;
    // solved = sign * (position - offset - the sum of the others)
    int64_t position = addDim(extent);
    AxisPositions source{-sign * positions.offset, {position}, {sign}};
    for (auto [dim, stride] : llvm::zip(positions.dims, positions.strides))
      if (dim != solved) {
        source.dims.push_back(dim);
        source.strides.push_back(-sign * stride);
      }
    for (const Factor &factor : factors)
      if (factor.has(solved) &&
          (!factor.isAlone(solved) || llvm::any_of(source.dims, [&](int64_t dim) { return factor.has(dim); })))
        return std::nullopt;
    for (Factor &factor : factors)
      if (factor.has(solved))
        factor.axes[factor.axisOf(solved)] = source;
    return position;
  }

  // Turns a value over the kept dimensions into the gradient of the whole input: merges divided axes, cuts what lies
  // behind the input, and places the rest between zeros.
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
      // Behind the last window a stride may make elements outside the input. They are 0 and are cut.
      int64_t made = shapeOf(value)[axis], taken = divided ? std::min(made, extent - positions.offset) : made;
      places |= offsets.back() != 0 || strides.back() != 1 || taken != extent;
      inside.push_back({0, {int64_t(axis)}, {1}});
      shape.push_back(taken);
    }
    if (shape != SmallVector<int64_t>(shapeOf(value)))
      value = ein::window(builder, loc, value, inside, shape);
    return places ? ein::insertSlice(builder, loc, value, offsets, strides, shapeOf(input)) : value;
  }

  // Scatters: adds each gradient at the position that it was read from.
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

  // The positions of an axis as a tensor: the offset plus strided indices.
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

  Value input;
  SmallVector<AxisPositions> axes; // of the input
  SmallVector<bool> whole;
  Value gradient;
  Dims rests;                  // of positions that are divided
  SmallVector<int64_t> merged; // for each axis, the first of its dimensions in the result
  SmallVector<int64_t> shape;  // of what is placed
};

/// The slice of a value at positions that have one dimension for each axis. Of a product that nothing else reads, it is
/// the product of the factors' slices: elements that are not read are not computed.
class PartOfProduct : Product {
public:
  PartOfProduct(OpBuilder &builder, ein::InsertSliceOp place, Value value)
      : Product(builder, place.getLoc(), value), value(value), positions(place.getPositions()),
        shape(shapeOf(place.getInput())) {}

  Value run() {
    Dims kept;
    bool isProduct = value.getDefiningOp<ein::ContractOp>() && value.use_empty();
    if (isProduct)
      factors = productOf(value);
    for (auto [axis, each] : llvm::enumerate(positions))
      kept.push_back(isProduct && !isWhole(each, extents[axis], shape[axis]) ? read(axis, each, isProduct) : axis);
    return isProduct ? multiplied(kept) : ein::window(builder, loc, value, positions, shape);
  }

private:
  int64_t read(int64_t dim, const AxisPositions &at, bool &isProduct) {
    int64_t part = addDim(shape[dim]);
    for (Factor &factor : factors)
      if (factor.has(dim)) {
        isProduct &= factor.isAlone(dim);
        factor.axes[factor.axisOf(dim)] = {at.offset, {part}, at.strides};
      }
    return part;
  }

  Value value;
  SmallVector<AxisPositions> positions;
  ArrayRef<int64_t> shape;
};

// Selects 0 where a guard is dead.
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
  return PartOfProduct(builder, cast<ein::InsertSliceOp>(op), value).run();
}
