//===- EinVerify.cpp - verification of equations --------------------------===//
#include "plc/Dialect/Ein/MicroBatches.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace plc::ein;

SmallVector<int64_t, 4> plc::ein::dimsOf(AffineMap map) {
  SmallVector<int64_t, 4> dims;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims.push_back(dim.getPosition());
    else
      dims.push_back(-1 - int64_t(cast<AffineSymbolExpr>(expr).getPosition()));
  }
  return dims;
}

std::optional<plc::ElementKind> plc::ein::findElementKind(Type type) {
  if (lacksPrecision(type))
    return ElementKind::Real;
  std::optional<ElementType> element = findElementType(type);
  return element ? std::optional(kindOf(*element)) : std::nullopt;
}

bool plc::ein::lacksPrecision(Type type) { return isa<RealType>(getElementTypeOrSelf(type)); }

Type plc::ein::sumTypeOf(Type element) {
  return lacksPrecision(element) ? element : irTypeOf(plc::sumTypeOf(elementTypeOf(element)), element.getContext());
}

bool plc::ein::isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (!tensor.getEncoding() || batchAxisOf(tensor) || isScratch(tensor)) &&
         llvm::none_of(tensor.getShape(), [](int64_t extent) { return extent <= 0; }) && findElementKind(tensor);
}

bool plc::ein::isNarrow(Type type) {
  std::optional<ElementType> element = findElementType(type);
  return element && plc::isNarrow(*element);
}

bool plc::ein::isTensorOf(Domain domain, Type type) {
  return isTensor(type) && plc::ein::accepts(domain, *findElementKind(type)) && !isNarrow(type);
}

RankedTensorType plc::ein::wideTypeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return isNarrow(type) ? tensor.clone(sumTypeOf(tensor.getElementType())) : tensor;
}

bool plc::ein::isSizedTensor(Type type) {
  if (!isTensor(type) || lacksPrecision(type))
    return false;
  int64_t elements = 1;
  return llvm::none_of(cast<RankedTensorType>(type).getShape(), [&](int64_t extent) {
    return llvm::MulOverflow(elements, extent, elements) || elements > int64_t(1) << 48;
  });
}

Reduction plc::ein::reductionOf(Operation *equation) {
  if (auto scatter = dyn_cast<ScatterAddOp>(equation))
    return scatter.getJoin();
  auto reduce = dyn_cast<ReduceOp>(equation);
  return reduce ? reduce.getReduction() : Reduction::sum;
}

ReductionAttr plc::ein::joinAttr(MLIRContext *context, Reduction join) {
  return join == Reduction::sum ? ReductionAttr() : ReductionAttr::get(context, join);
}

std::string plc::ein::listElementTypes(Domain domain, bool unchosen) {
  // Sorted by kind, then by width; a truth value is i1 in IR.
  SmallVector<ElementType> types = llvm::filter_to_vector(allElementTypes, [&](ElementType type) {
    return accepts(domain, kindOf(type)) && (domain == Domain::Any || !plc::isNarrow(type));
  });
  llvm::stable_sort(types, [](ElementType a, ElementType b) {
    return std::pair(kindOf(a), byteWidth(a)) < std::pair(kindOf(b), byteWidth(b));
  });
  SmallVector<StringRef> names;
  if (unchosen)
    names.push_back("real");
  for (ElementType type : types)
    names.push_back(type == ElementType::Bool ? StringRef("i1")
                    : type == ElementType::U8 ? StringRef("ui8")
                                              : StringRef(nameOf(type)));
  StringRef last = names.pop_back_val();
  return names.empty() ? last.str() : llvm::join(names, ", ") + " or " + last.str();
}

namespace {

// Kinds of operands, which are known to be tensors.
bool acceptsElement(Domain domain, Type element) { return plc::ein::accepts(domain, *findElementKind(element)); }
bool isTruth(Type element) { return acceptsElement(Domain::Truth, element); }
Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

// (C2) A map's results are dimensions (or symbols) with the extents that the tensor has.
LogicalResult verifyMap(Equation op, AffineMap map, RankedTensorType type, StringRef what, unsigned symbols) {
  ArrayRef<int64_t> extents = op.getExtents();
  if (map.getNumDims() != extents.size() || map.getNumSymbols() != symbols)
    return op->emitOpError("map of ") << what << " has " << map.getNumDims() << " dimensions and "
                                      << map.getNumSymbols() << " symbols but the domain has " << extents.size()
                                      << " and " << symbols;
  if (map.getNumResults() != type.getRank())
    return op->emitOpError("map of ") << what << " has " << map.getNumResults() << " results but the tensor has rank "
                                      << type.getRank();
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    if (isa<AffineSymbolExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return op->emitOpError("map of ") << what << " has an expression that is no dimension as result #" << axis;
    if (extents[dim.getPosition()] != type.getDimSize(axis))
      return op->emitOpError("dimension d") << dim.getPosition() << " has extent " << type.getDimSize(axis) << " in "
                                            << what << " but " << extents[dim.getPosition()] << " in the domain";
  }
  return success();
}

// (C2) of batch axes.
LogicalResult verifyBatch(Equation op, AffineMap map, RankedTensorType type, StringRef what,
                          std::optional<int64_t> batch) {
  if (isScratch(type))
    return op->emitOpError(what) << " is " << type << ", scratch of a kernel, which no equation reads or makes";
  for (auto [axis, dim] : llvm::enumerate(dimsOf(map))) {
    bool isBatchAxis = int64_t(axis) == batchAxisOf(type);
    if (isBatchAxis == (dim == batch))
      continue;
    InFlightDiagnostic error = op->emitOpError("axis ") << axis << " of " << what << " is indexed by ";
    if (isBatchAxis)
      return error << (dim < 0 ? "s" : "d") << (dim < 0 ? -1 - dim : dim) << ", which is not the batch, but is "
                   << type;
    return error << "d" << dim << ", the batch, but is no batch axis of " << type;
  }
  return success();
}

// (C1), (C2); `indexed` is the number of the map that has a symbol for each of the `positions` index tensors, or -1.
LogicalResult verifyDomain(Equation op, int indexed = -1, unsigned positions = 0) {
  for (int64_t extent : op.getExtents())
    if (extent <= 0)
      return op->emitOpError("has extent ") << extent << " in its domain but needs 1 or more";
  OperandRange inputs = op.getInputs();
  if (op.getMaps().size() != inputs.size() + 1)
    return op->emitOpError("has ") << op.getMaps().size() << " maps but " << inputs.size() << " inputs and a result";
  unsigned symbols = indexed < 0 ? 0 : positions;
  auto typeOf = [](Value value) { return cast<RankedTensorType>(value.getType()); };
  auto nameOf = [](unsigned index) { return ("operand #" + Twine(index)).str(); };
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(verifyMap(op, op.getInputMap(index), typeOf(input), nameOf(index), int(index) == indexed ? symbols : 0)))
      return failure();
  if (failed(verifyMap(op, op.getResultMap(), typeOf(op->getResult(0)), "the result",
                       indexed == int(inputs.size()) ? symbols : 0)))
    return failure();
  std::optional<int64_t> batch = batchDimOf(op);
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(verifyBatch(op, op.getInputMap(index), typeOf(input), nameOf(index), batch)))
      return failure();
  return verifyBatch(op, op.getResultMap(), typeOf(op->getResult(0)), "the result", batch);
}

// (C3) of reductions.
LogicalResult verifyReducing(Equation op) {
  llvm::SmallBitVector read(op.getExtents().size()), written(op.getExtents().size());
  for (unsigned i = 0; i < op.getInputs().size(); ++i)
    for (AffineExpr expr : op.getInputMap(i).getResults())
      read.set(cast<AffineDimExpr>(expr).getPosition());
  for (AffineExpr expr : op.getResultMap().getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    if (written.test(dim))
      return op->emitOpError("result repeats dimension d") << dim;
    written.set(dim);
  }
  if (!read.all())
    return op->emitOpError("dimension d") << read.find_first_unset() << " occurs in no operand";
  return success();
}

// (C3) of maps, gathers and scatters.
LogicalResult verifyPermutation(Equation op, AffineMap map, StringRef what) {
  if (!map.isPermutation())
    return op->emitOpError("map of ") << what << " is no permutation of the domain";
  return success();
}

// (C4) Accumulators.
LogicalResult verifyAccumulator(Operation *op, Value accumulator) {
  if (accumulator && accumulator.getType() != op->getResult(0).getType())
    return op->emitOpError("accumulates ") << op->getResult(0).getType() << " into " << accumulator.getType();
  return success();
}

// (C4) Element types of contractions and reductions.
LogicalResult verifyOneElementType(Equation op) {
  Type result = elementOf(op->getResult(0));
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    if (elementOf(input) != result)
      return op->emitOpError("operand #")
             << index << " has element type " << elementOf(input) << " but the result has " << result;
  return success();
}

// (C6) of contract, (C5) of reduce.
LogicalResult verifySumType(Operation *op, std::optional<Type> sum) {
  Type element = elementOf(op->getResult(0));
  if (sum && isa<ReduceOp>(op) && sum->isF64() && isa<FloatType>(element))
    return success();
  if (sum && *sum != sumTypeOf(element))
    return op->emitOpError("takes sums of ")
           << element << " in " << *sum << " but they are taken in " << sumTypeOf(element);
  return success();
}

// (C4) of gather and scatter_add.
LogicalResult verifyMoved(Equation op) {
  if (elementOf(op.getInputs().front()) != elementOf(op->getResult(0)))
    return op->emitOpError("operand #0 has element type ")
           << elementOf(op.getInputs().front()) << " but the result has " << elementOf(op->getResult(0));
  return success();
}

} // namespace

LogicalResult ContractOp::verify() {
  Equation op = *this;
  if (getInputs().empty())
    return emitOpError("has no operand");
  if (failed(verifyDomain(op)) || failed(verifyReducing(op)) || failed(verifyOneElementType(op)) ||
      failed(verifyAccumulator(*this, getAccumulator())) || failed(verifySumType(*this, getSum())))
    return failure();
  // (C7)
  if ((getAnew() || getChain() || getPairs()) && (!getOrder() || getOrder()->empty()))
    return emitOpError("says '") << (getAnew()    ? "anew"
                                     : getChain() ? "chain"
                                                  : "pairs")
                                 << "' of a sum that has no order";
  if (getChain() && (getAnew() || getPairs()))
    return emitOpError("says '") << (getAnew() ? "anew" : "pairs") << "' of blocks and 'chain', which has none";
  // (C8)
  if (getPairs() && (getInputs().size() != 2 || !elementOf(getResult()).isF32()))
    return emitOpError("says 'pairs' of ")
           << getInputs().size() << " factors of " << elementOf(getResult()) << ", which two factors of f32 have";
  if (!getOrder())
    return success();
  // (C5)
  llvm::SmallBitVector left(getExtents().size(), true);
  for (AffineExpr expr : op.getResultMap().getResults())
    left.reset(cast<AffineDimExpr>(expr).getPosition());
  ArrayRef<int64_t> order = *getOrder();
  for (int64_t dim : order) {
    if (dim < 0 || dim >= int64_t(left.size()) || !left.test(dim))
      return emitOpError("order lists d") << dim << ", which is not summed or listed twice";
    left.reset(dim);
  }
  if (left.any())
    return emitOpError("order misses the summed dimension d") << left.find_first();
  if (std::optional<int64_t> anew = getAnew(); anew && (*anew < 1 || getExtents()[order.front()] % *anew)) // (C7)
    return emitOpError("begins blocks anew at every ")
           << *anew << " of d" << order.front() << ", which do not divide its extent " << getExtents()[order.front()];
  return success();
}

LogicalResult MapOp::verify() {
  Equation op = *this;
  Function function = getFunction();
  const FunctionInfo &info = infoOf(function);
  // (C4)
  if (getInputs().size() != info.arity)
    return emitOpError("has ") << getInputs().size() << " operands but '" << info.word << "' takes " << info.arity;
  if (failed(verifyDomain(op)) || failed(verifyPermutation(op, op.getResultMap(), "the result")))
    return failure();
  Type result = elementOf(getResult());
  Type first = elementOf(getInputs().front());
  bool chooses = info.domain == Domain::Choice;
  if ((chooses || info.domain == Domain::Truth) && !isTruth(first))
    return emitOpError("operand #0 has element type ") << first << " but '" << info.word << "' needs i1";
  Type expected = chooses ? elementOf(getInputs()[1]) : first;
  for (unsigned i = chooses ? 1 : 0; i < getInputs().size(); ++i)
    if (elementOf(getInputs()[i]) != expected)
      return emitOpError("operand #") << i << " has element type " << elementOf(getInputs()[i]) << " but '" << info.word
                                      << "' needs " << expected;
  if (info.result == ResultType::Truth)
    expected = irTypeOf(ElementType::Bool, getContext());
  if (result != expected)
    return emitOpError("result has element type ") << result << " but '" << info.word << "' gives " << expected;
  if (Type read = elementOf(getInputs().back()); isNarrow(read) && !onlyMoves(function))
    return emitOpError("operand #0 has element type ")
           << read << ", which only holds numbers; '" << info.word << "' takes a cast of it";
  if (!acceptsElement(info.domain, first))
    return emitOpError("operand #0 has element type ")
           << first << " but '" << info.word << "' needs "
           << listElementTypes(info.domain, /*unchosen=*/info.domain != Domain::Integer);
  return success();
}

LogicalResult ReduceOp::verify() {
  Equation op = *this;
  if (getAccumulator() && getReduction() != Reduction::sum)
    return emitOpError("a '") << stringifyReduction(getReduction()) << "' does not accumulate";
  if (failed(verifyDomain(op)) || failed(verifyReducing(op)) || failed(verifyOneElementType(op)))
    return failure();
  if (getSum() && getReduction() != Reduction::sum) // (C5)
    return emitOpError("a '") << stringifyReduction(getReduction()) << "' has no type of a sum";
  if (isOfTruth(getReduction()) != isTruth(elementOf(getInput()))) // (C6)
    return emitOpError("a '") << stringifyReduction(getReduction()) << "' is of "
                              << (isOfTruth(getReduction()) ? "i1" : "numbers") << ", found " << elementOf(getInput());
  return success(succeeded(verifySumType(*this, getSum())) && succeeded(verifyAccumulator(*this, getAccumulator())));
}

Type ContractOp::getSumType() { return getSum().value_or(sumTypeOf(getType().getElementType())); }

Type ReduceOp::getSumType() {
  Type element = getType().getElementType();
  switch (getReduction()) {
  case Reduction::sum: return getSum().value_or(sumTypeOf(element));
  case Reduction::prod: return sumTypeOf(element);
  case Reduction::max:
  case Reduction::min:
  case Reduction::any:
  case Reduction::all: return element;
  }
  llvm_unreachable("no reduction");
}

LogicalResult GatherOp::verify() {
  Equation op = *this;
  if (failed(verifyMoved(op)) || failed(verifyDomain(op, 0, getIndices().size())))
    return failure();
  return verifyPermutation(op, op.getResultMap(), "the result");
}

LogicalResult ScatterAddOp::verify() {
  Equation op = *this;
  if (isTruth(elementOf(getUpdates()))) // (C5)
    return emitOpError("adds numbers, found ") << elementOf(getUpdates());
  // (C6)
  if (getReduction() && !llvm::is_contained({Reduction::max, Reduction::min, Reduction::prod}, *getReduction()))
    return emitOpError("joins by '") << stringifyReduction(*getReduction()) << "', expected max, min or prod";
  if (getReduction() && (getFactor() || getAccumulator()))
    return emitOpError("joins by '") << stringifyReduction(*getReduction()) << "' and has "
                                     << (getFactor() ? "a factor" : "an accumulator") << ", which only a sum may have";
  if (failed(verifyMoved(op)) || failed(verifyDomain(op, getInputs().size(), getIndices().size())) ||
      failed(verifyAccumulator(*this, getAccumulator())))
    return failure();
  if (!getFactor())
    return verifyPermutation(op, op.getInputMap(0), "the updates");
  // (C4), (C3)
  if (elementOf(getFactor()) != elementOf(getUpdates()))
    return emitOpError("has updates of ") << elementOf(getUpdates()) << " but a factor of " << elementOf(getFactor());
  llvm::SmallBitVector covered(getExtents().size());
  for (AffineMap map : {op.getInputMap(0), op.getInputMap(getInputs().size() - 1)}) {
    llvm::SmallBitVector own(getExtents().size());
    for (int64_t dim : dimsOf(map)) {
      if (own.test(dim))
        return emitOpError("reads d") << dim << " twice in the updates or the factor";
      own.set(dim);
    }
    covered |= own;
  }
  if (!covered.all())
    return emitOpError("has no d") << covered.find_first_unset() << " in the updates or the factor";
  return success();
}

LogicalResult PutOp::verify() {
  Equation op = *this;
  if (failed(verifyMoved(op)) || failed(verifyDomain(op, getInputs().size(), getIndices().size())) ||
      failed(verifyAccumulator(*this, getAccumulator())))
    return failure();
  return verifyPermutation(op, op.getInputMap(0), "the updates");
}

int64_t PutOp::countPositions() {
  int64_t least = 0;
  for (auto [axis, expr] : llvm::enumerate(cast<Equation>(getOperation()).getResultMap().getResults()))
    if (isa<AffineSymbolExpr>(expr))
      least = std::min(least ? least : INT64_MAX, cast<RankedTensorType>(getResult().getType()).getDimSize(axis));
  return least;
}

LogicalResult TrainingOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 0 || !isTruth(type.getElementType())) // (C1)
    return emitOpError("has type ") << type << " but needs rank 0 and i1";
  return success();
}

LogicalResult StepOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 0 || !type.getElementType().isInteger(32)) // (C1)
    return emitOpError("has type ") << type << " but needs rank 0 and i32";
  return success();
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // (C1)
  if (type.getRank() != 1 || !isTensorOf(Domain::Integer, type))
    return emitOpError("has type ") << type << " but needs rank 1 and " << listElementTypes(Domain::Integer, false);
  if (batchAxisOf(type))
    return emitOpError("has type ") << type << " but no index counts the samples of a batch";
  return success();
}

LogicalResult ConstantOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 0) // (C1)
    return emitOpError("has type ") << type << " but needs rank 0";
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return success();
  // (C2)
  APSInt value(integer.getWidth(), /*isUnsigned=*/integer.getWidth() == 1);
  bool exact = false;
  if (getValue().convertToInteger(value, APFloat::rmTowardZero, &exact) != APFloat::opOK || !exact)
    return emitOpError("value ") << getValueAttr() << " does not fit " << integer;
  return success();
}

LogicalResult NextOp::verify() {
  if (!isTensorOf(Domain::Real, getInput().getType()) || !isTensorOf(Domain::Real, getParam().getType())) // (C1)
    return emitOpError("has input ") << getInput().getType() << " and parameter " << getParam().getType()
                                     << ", expected tensors of reals";
  auto argument = dyn_cast<BlockArgument>(getParam());
  auto body = argument ? dyn_cast<FuncOp>(argument.getOwner()->getParentOp()) : FuncOp();
  if (!body || int64_t(argument.getArgNumber()) < int64_t(body.getNumData())) // (C2)
    return emitOpError("gives a next value to what is no parameter of a body");
  return success();
}

LogicalResult CastOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()), result = cast<RankedTensorType>(getType());
  if (input.getShape() != result.getShape() || input.getEncoding() != result.getEncoding()) // (C1)
    return emitOpError("has input ") << input << " but result " << result;
  return success();
}
