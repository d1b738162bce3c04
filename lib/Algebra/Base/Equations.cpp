//===- Equations.cpp - reads and builds equations by dimensions -----------===//
#include "Equations.h"
#include "plc/Analysis/GatheredFactors.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Views.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

Access algebra::inputOf(ein::Equation op, unsigned index) {
  return {op.getInputs()[index], ein::dimsOf(op.getInputMap(index))};
}

SmallVector<Access> algebra::inputsOf(ein::Equation op) {
  SmallVector<Access> inputs;
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    inputs.push_back(inputOf(op, i));
  return inputs;
}

Access algebra::resultOf(ein::Equation op) { return {op->getResult(0), ein::dimsOf(op.getResultMap())}; }

bool algebra::contains(ArrayRef<int64_t> dims, int64_t dim) { return llvm::is_contained(dims, dim); }

bool algebra::containsAll(ArrayRef<int64_t> dims, ArrayRef<int64_t> others) {
  return llvm::all_of(others, [&](int64_t dim) { return contains(dims, dim); });
}

Dims algebra::distinct(ArrayRef<int64_t> dims) {
  Dims result;
  for (int64_t dim : dims)
    if (!contains(result, dim))
      result.push_back(dim);
  return result;
}

ArrayRef<int64_t> algebra::shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
Dimensions algebra::dimensionsOf(Type type) {
  return {cast<RankedTensorType>(type).getShape(), ein::batchAxisOf(type)};
}
Dimensions algebra::dimensionsOf(Value value) { return dimensionsOf(value.getType()); }
Dimensions algebra::domainOf(ein::Equation op) { return {op.getExtents(), ein::batchDimOf(op)}; }
Type algebra::elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

Dims algebra::axesOf(Type type) {
  return llvm::to_vector<4>(llvm::seq<int64_t>(0, cast<RankedTensorType>(type).getRank()));
}

Value algebra::copyOf(OpBuilder &builder, Value value) {
  Dims axes = axesOf(value.getType());
  return EquationBuilder(builder, value.getLoc(), dimensionsOf(value)).map(Function::id, Access{value, axes}, axes);
}

Value algebra::zerosOf(OpBuilder &builder, Location loc, Type type) {
  EquationBuilder build(builder, loc, dimensionsOf(type));
  return build.map(Function::id, build.constant(0, getElementTypeOrSelf(type)), axesOf(type));
}

std::optional<double> algebra::constantOf(Value value) {
  auto op = value.getDefiningOp<ein::ConstantOp>();
  return op ? std::optional(op.getValue().convertToDouble()) : std::nullopt;
}

RankedTensorType algebra::permuted(RankedTensorType type, ArrayRef<int64_t> order) {
  SmallVector<int64_t> shape;
  std::optional<int64_t> batch;
  for (auto [axis, from] : llvm::enumerate(order)) {
    shape.push_back(type.getDimSize(from));
    if (ein::batchAxisOf(type) == from)
      batch = axis;
  }
  return ein::tensorType(shape, type.getElementType(), batch);
}

// Rows, columns and depth of a matrix product. A dimension that one factor sums alone is none of them.
bool algebra::isMatrixLike(ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> result) {
  bool rows = llvm::any_of(a, [&](int64_t dim) { return contains(result, dim) && !contains(b, dim); });
  bool columns = llvm::any_of(b, [&](int64_t dim) { return contains(result, dim) && !contains(a, dim); });
  bool depth = llvm::any_of(a, [&](int64_t dim) { return !contains(result, dim) && contains(b, dim); });
  bool lone = llvm::any_of(a, [&](int64_t dim) { return !contains(result, dim) && !contains(b, dim); }) ||
              llvm::any_of(b, [&](int64_t dim) { return !contains(result, dim) && !contains(a, dim); });
  return rows && columns && depth && !lone && distinct(a).size() == a.size() && distinct(b).size() == b.size();
}

// Whether `factor` shows windows and the product sums within one window alone, as a depthwise convolution does. Results
// next to each other then have sums next to each other, each shorter than a vector.
static bool sumsWithinWindows(const Access &factor, const Access &other, ArrayRef<int64_t> result) {
  // Not tuned. Large enough for depthwise windows (7 x 7 = 49, measured by bench/convolutions.py), small enough that a
  // sum stays short: long sums gain nothing from this form.
  constexpr int64_t mostSummed = 128;
  Value shown = factor.value;
  // Splits and merges do not move elements, so a window shows through them.
  while (ein::isRegrouping(shown.getDefiningOp()))
    shown = shown.getDefiningOp()->getOperand(0);
  if (!shown.getDefiningOp<ein::WindowOp>() || distinct(factor.dims).size() != factor.dims.size() ||
      distinct(other.dims).size() != other.dims.size())
    return false;
  int64_t summed = 1;
  bool keepsOwn = false;
  // Each dimension must be kept or shared: a lone one would be summed apart. A kept one that the other lacks is a row.
  for (auto [dim, extent] : llvm::zip(factor.dims, shapeOf(factor.value))) {
    bool isKept = contains(result, dim), isShared = contains(other.dims, dim);
    if (!isKept && !isShared)
      return false;
    keepsOwn |= isKept && !isShared;
    summed *= isKept ? 1 : extent;
  }
  auto isKnown = [&](int64_t dim) { return contains(factor.dims, dim) || contains(result, dim); };
  return keepsOwn && summed > 1 && summed <= mostSummed && llvm::all_of(other.dims, isKnown);
}

bool algebra::isOneContraction(const Access &a, const Access &b, ArrayRef<int64_t> result) {
  auto takes = [&](const Access &factor, const Access &other) {
    return factor.value && (ein::takesMatrices(factor.value, factor.dims, other.dims, result) ||
                            sumsWithinWindows(factor, other, result));
  };
  return isMatrixLike(a.dims, b.dims, result) || takes(a, b) || takes(b, a);
}

// The dimensions of a product that takes matrices from a table, before the sum over positions: the result's, with the
// summed position dimensions inserted before the columns. So each contraction sums over one matrix only.
static Dims ofOnePosition(ArrayRef<Access> inputs, ArrayRef<int64_t> result) {
  Dims dims(result);
  for (unsigned i : {0u, 1u}) {
    const Access &factor = inputs[i], &other = inputs[1 - i];
    if (!ein::takesMatrices(factor.value, factor.dims, other.dims, result))
      continue;
    SmallVector<int64_t> counting = ein::countPositions(factor.value, factor.dims);
    auto isColumn = [&](int64_t dim) { return !contains(other.dims, dim) && !contains(counting, dim); };
    for (int64_t dim : counting)
      if (!contains(dims, dim))
        dims.insert(llvm::find_if(dims, isColumn), dim);
    break;
  }
  return dims;
}

/// The caller's dimensions, renumbered by their index in `dims`.
struct EquationBuilder::Domain {
  MLIRContext *context;
  Dims dims;
  SmallVector<int64_t> extents;

  AffineMapAttr map(ArrayRef<int64_t> access, unsigned symbols = 0) const {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : access)
      exprs.push_back(dim < 0 ? getAffineSymbolExpr(-1 - dim, context)
                              : getAffineDimExpr(std::distance(dims.begin(), llvm::find(dims, dim)), context));
    return AffineMapAttr::get(AffineMap::get(dims.size(), symbols, exprs, context));
  }
  ArrayAttr maps(ArrayRef<Access> inputs, ArrayRef<int64_t> result) const {
    SmallVector<Attribute> maps;
    for (const Access &input : inputs)
      maps.push_back(map(input.dims));
    maps.push_back(map(result));
    return ArrayAttr::get(context, maps);
  }
};

EquationBuilder::Domain EquationBuilder::domain(ArrayRef<int64_t> dims) const {
  Domain domain{builder.getContext(), distinct(dims), {}};
  for (int64_t dim : domain.dims)
    domain.extents.push_back(extents[dim]);
  return domain;
}

RankedTensorType EquationBuilder::type(ArrayRef<int64_t> dims, Type element) const {
  SmallVector<int64_t> shape;
  std::optional<int64_t> batchAxis;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    shape.push_back(extents[dim]);
    if (dim == batch)
      batchAxis = axis;
  }
  return ein::tensorType(shape, element, batchAxis);
}

static SmallVector<Value> valuesOf(ArrayRef<Access> inputs) {
  SmallVector<Value> values;
  for (const Access &input : inputs)
    values.push_back(input.value);
  return values;
}

// Comparisons give truth values; other functions give the element type of their last operand, since a select's first
// one is its condition.
static Type resultElement(Function function, ArrayRef<Access> inputs) {
  Type element = elementOf(inputs.back().value);
  return ein::infoOf(function).result == ein::ResultType::Truth ? irTypeOf(ElementType::Bool, element.getContext())
                                                                : element;
}

Value EquationBuilder::map(Function function, ArrayRef<Access> inputs, ArrayRef<int64_t> dims) {
  Domain over = domain(dims);
  return ein::MapOp::create(builder, loc, type(dims, resultElement(function, inputs)), function, valuesOf(inputs),
                            over.extents, over.maps(inputs, dims));
}

Value EquationBuilder::copy(Access input, ArrayRef<int64_t> dims) {
  // Same axes in the same order: no equation is needed.
  if (ArrayRef<int64_t>(input.dims) == dims)
    return input.value;
  return map(Function::id, input, dims);
}

Value EquationBuilder::reduce(ein::Reduction reduction, Access input, ArrayRef<int64_t> dims, Value into) {
  // The domain has the operand's own order, because it defines the order of the sum.
  Domain over = domain(input.dims);
  return ein::ReduceOp::create(builder, loc, type(dims, elementOf(input.value)), reduction, input.value, into,
                               over.extents, over.maps(input, dims), ein::OrderAttr(), TypeAttr());
}

Value EquationBuilder::contract(ArrayRef<Access> inputs, ArrayRef<int64_t> dims, Value into) {
  // The result's dimensions first: the canonical order of a contraction.
  Dims all(dims);
  for (const Access &input : inputs)
    all.append(input.dims.begin(), input.dims.end());
  Domain over = domain(all);
  return ein::ContractOp::create(builder, loc, type(dims, elementOf(inputs.front().value)), valuesOf(inputs), into,
                                 over.extents, over.maps(inputs, dims), DenseI64ArrayAttr(), TypeAttr(), IntegerAttr());
}

Access EquationBuilder::withoutRepeats(const Access &input) {
  Dims dims = distinct(input.dims);
  return {copy(input, dims), dims};
}

Access EquationBuilder::sumLone(const Access &input, ArrayRef<int64_t> needed) {
  Dims kept;
  for (int64_t dim : input.dims)
    if (contains(needed, dim))
      kept.push_back(dim);
  // Nothing is summed, so no reduction is made.
  if (kept.size() == input.dims.size())
    return input;
  return {reduce(ein::Reduction::sum, input, kept), kept};
}

Value EquationBuilder::product(ArrayRef<Access> factors, ArrayRef<int64_t> dims, Value into) {
  SmallVector<Access> inputs;
  for (const Access &factor : factors)
    inputs.push_back(withoutRepeats(factor));
  if (inputs.size() == 2) {
    // What only one factor has is summed before the product.
    for (unsigned i : {0u, 1u}) {
      Dims needed(dims);
      needed.append(inputs[1 - i].dims.begin(), inputs[1 - i].dims.end());
      inputs[i] = sumLone(inputs[i], needed);
    }
    // A contraction, over the dimensions that the factors have. A copy repeats it along the others.
    if (isOneContraction(inputs[0], inputs[1], dims)) {
      // A contraction over each matrix of the table, then a sum over positions.
      if (Dims single = ofOnePosition(inputs, dims); single.size() > dims.size())
        return reduce(ein::Reduction::sum, {contract(inputs, single), single}, dims, into);
      Dims present;
      for (int64_t dim : dims)
        if (contains(inputs[0].dims, dim) || contains(inputs[1].dims, dim))
          present.push_back(dim);
      if (present.size() == dims.size())
        return contract(inputs, dims, into);
      return copy({contract(inputs, present), present}, dims);
    }
    Dims all(inputs[0].dims);
    all.append(inputs[1].dims.begin(), inputs[1].dims.end());
    all = distinct(all);
    // Not a contraction, and nothing is summed: an elementwise product.
    if (containsAll(dims, all)) {
      Value result = map(Function::mul, inputs, dims);
      return into ? reduce(ein::Reduction::sum, {result, Dims(dims)}, dims, into) : result;
    }
    // The product takes the axis order of a factor that has all dimensions, so that this factor is read in its own
    // order.
    if (inputs[1].dims.size() == all.size())
      all = inputs[1].dims;
    inputs = {Access{map(Function::mul, inputs, all), all}};
  }
  Access input = inputs.front();
  Dims present;
  for (int64_t dim : dims)
    if (contains(input.dims, dim))
      present.push_back(dim);
  // One input is left. A reduction sums it, and a copy repeats it along dimensions that it lacks.
  bool sums = present.size() < input.dims.size(), repeats = present.size() < dims.size();
  if (repeats || (!sums && !into)) {
    Access sum = sums ? Access{reduce(ein::Reduction::sum, input, present), present} : input;
    Value result = copy(sum, dims);
    return into ? reduce(ein::Reduction::sum, {result, Dims(dims)}, dims, into) : result;
  }
  return reduce(ein::Reduction::sum, input, dims, into);
}

Value EquationBuilder::gather(ArrayRef<Access> inputs, ArrayRef<int64_t> dims) {
  Domain over = domain(dims);
  SmallVector<Attribute> maps{over.map(inputs.front().dims, inputs.size() - 1)};
  for (const Access &input : inputs.drop_front())
    maps.push_back(over.map(input.dims));
  maps.push_back(over.map(dims));
  return ein::GatherOp::create(builder, loc, type(dims, elementOf(inputs.front().value)), inputs.front().value,
                               valuesOf(inputs.drop_front()), over.extents, builder.getArrayAttr(maps));
}

Value EquationBuilder::scatterAdd(ArrayRef<Access> inputs, Access resultLike, Value into, ein::Reduction join) {
  // The domain is the updates' own order: positions are added in it.
  Domain over = domain(inputs.front().dims);
  SmallVector<Attribute> maps;
  for (const Access &input : inputs)
    maps.push_back(over.map(input.dims));
  maps.push_back(over.map(resultLike.dims, inputs.size() - 1));
  auto table = cast<RankedTensorType>(resultLike.value.getType()).clone(elementOf(inputs.front().value));
  return ein::ScatterAddOp::create(builder, loc, table, inputs.front().value, valuesOf(inputs.drop_front()),
                                   /*factor=*/Value(), into, over.extents, builder.getArrayAttr(maps),
                                   ein::joinAttr(builder.getContext(), join));
}

Value EquationBuilder::put(ArrayRef<Access> inputs, Access resultLike, ValueRange after, Value into) {
  // The domain has the order of the updates: they are written in it, and the last one stays.
  Domain over = domain(inputs.front().dims);
  SmallVector<Attribute> maps;
  for (const Access &input : inputs)
    maps.push_back(over.map(input.dims));
  maps.push_back(over.map(resultLike.dims, inputs.size() - 1));
  return ein::PutOp::create(builder, loc, into.getType(), inputs.front().value, valuesOf(inputs.drop_front()), after,
                            into, over.extents, builder.getArrayAttr(maps));
}

Access EquationBuilder::constant(double value, Type element) {
  return {ein::ConstantOp::create(builder, loc, type({}, element), builder.getF64FloatAttr(value)), {}};
}

Access EquationBuilder::iota(int64_t dim, Type element) {
  return {ein::IotaOp::create(builder, loc, type(dim, element)), {dim}};
}

// The dimensions of an equation in canonical order; empty for equations that keep their numbers.
static Dims canonicalOrder(ein::Equation op) {
  Dims order;
  if (isa<ein::MapOp, ein::ContractOp>(op))
    order = resultOf(op).dims;
  else if (!isa<ein::ReduceOp>(op))
    return {};
  for (const Access &input : inputsOf(op))
    llvm::append_range(order, input.dims);
  return distinct(order);
}

bool algebra::isNormalized(ein::Equation op) { return llvm::is_sorted(canonicalOrder(op)); }

void algebra::normalizeDomain(ein::Equation op) {
  Dims order = canonicalOrder(op);
  if (llvm::is_sorted(order))
    return;
  SmallVector<AffineExpr> renumbered(order.size());
  SmallVector<int64_t> extents;
  for (auto [position, dim] : llvm::enumerate(order)) {
    renumbered[dim] = getAffineDimExpr(position, op.getContext());
    extents.push_back(op.getExtents()[dim]);
  }
  SmallVector<AffineMap> maps;
  for (unsigned i = 0; i < op.getMaps().size(); ++i)
    maps.push_back(op.getInputMap(i).replaceDimsAndSymbols(renumbered, {}, order.size(), 0));
  // The order of a sum names dimensions, so it is renumbered too.
  if (auto contract = dyn_cast<ein::ContractOp>(op.getOperation()); contract && contract.getOrderAttr()) {
    SmallVector<int64_t> summed;
    ArrayRef<int64_t> old = contract.getOrderAttr().asArrayRef();
    for (int64_t dim : old)
      summed.push_back(llvm::find(order, dim) - order.begin());
    contract.setOrder(summed);
  }
  op.setExtents(extents);
  op.setMaps(maps);
}

bool algebra::isCheap(Operation *op) {
  if (!op)
    return false;
  // Casts, gathers and views cost about what reading a saved value costs.
  auto map = dyn_cast<ein::MapOp>(op);
  if (!map)
    return isa<ein::CastOp, ein::GatherOp>(op) || ein::isView(op);
  // Functions of many instructions are not cheap.
  return !ein::isTranscendental(map.getFunction());
}

Value algebra::sumTree(OpBuilder &builder, Location loc, ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  // Balanced: the rounding error grows with the depth, and the order depends on the number of values alone.
  size_t half = (values.size() + 1) / 2;
  Value left = sumTree(builder, loc, values.take_front(half)), right = sumTree(builder, loc, values.drop_front(half));
  Dims dims = axesOf(left.getType());
  EquationBuilder build(builder, loc, dimensionsOf(left));
  return build.map(Function::add, {{left, dims}, {right, dims}}, dims);
}
