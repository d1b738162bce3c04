//===- EinVerify.cpp - what a valid equation is ----------------------------===//
#include "plc/Dialect/Ein/Ein.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace plc::ein;

bool plc::ein::isTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || llvm::any_of(tensor.getShape(), [](int64_t extent) { return extent <= 0; }))
    return false;
  Type element = tensor.getElementType();
  return isa<RealType>(element) || element.isF32() || element.isF64() || element.isSignlessInteger(1) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

bool plc::ein::isSizedTensor(Type type) {
  if (!isTensor(type) || isa<RealType>(cast<RankedTensorType>(type).getElementType()))
    return false;
  int64_t elements = 1;
  return llvm::none_of(cast<RankedTensorType>(type).getShape(), [&](int64_t extent) {
    return llvm::MulOverflow(elements, extent, elements) || elements > int64_t(1) << 48;
  });
}

namespace {

bool isReal(Type element) { return isa<RealType>(element) || element.isF32() || element.isF64(); }
bool isIndex(Type element) { return element.isInteger(32) || element.isInteger(64); }
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

// (C1), (C2); `indexed` is the number of the map that has a symbol per index tensor, or -1.
LogicalResult verifyDomain(Equation op, int indexed = -1) {
  for (int64_t extent : op.getExtents())
    if (extent <= 0)
      return op->emitOpError("has extent ") << extent << " in its domain but needs 1 or more";
  OperandRange inputs = op.getInputs();
  if (op.getMaps().size() != inputs.size() + 1)
    return op->emitOpError("has ") << op.getMaps().size() << " maps but " << inputs.size() << " inputs and a result";
  unsigned symbols = indexed < 0 || inputs.empty() ? 0 : inputs.size() - 1;
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(verifyMap(op, op.getInputMap(index), cast<RankedTensorType>(input.getType()),
                         ("operand #" + Twine(index)).str(), int(index) == indexed ? symbols : 0)))
      return failure();
  return verifyMap(op, op.getResultMap(), cast<RankedTensorType>(op->getResult(0).getType()), "the result",
                   indexed == int(inputs.size()) ? symbols : 0);
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

LogicalResult verifyOneElementType(Equation op, bool integers) {
  Type result = elementOf(op->getResult(0));
  if (!isReal(result) && !(integers && isIndex(result)))
    return op->emitOpError("has element type ")
           << result << " but needs " << (integers ? "real, f32, f64, i32 or i64" : "real, f32 or f64");
  for (auto [index, input] : llvm::enumerate(op.getInputs()))
    if (elementOf(input) != result)
      return op->emitOpError("operand #")
             << index << " has element type " << elementOf(input) << " but the result has " << result;
  return success();
}

// (C4) of gather and scatter_add.
LogicalResult verifyIndices(Equation op) {
  if (op.getInputs().empty())
    return op->emitOpError("has no operand");
  for (auto [index, input] : llvm::enumerate(op.getInputs().drop_front()))
    if (!isIndex(elementOf(input)))
      return op->emitOpError("index operand #")
             << index + 1 << " has element type " << elementOf(input) << " but needs i32 or i64";
  if (elementOf(op.getInputs().front()) != elementOf(op->getResult(0)))
    return op->emitOpError("operand #0 has element type ")
           << elementOf(op.getInputs().front()) << " but the result has " << elementOf(op->getResult(0));
  return success();
}

unsigned arity(Function function) {
  if (function == Function::select)
    return 3;
  bool unary = function <= Function::sign || function == Function::logical_not;
  return unary ? 1 : 2;
}

bool isComparison(Function function) { return function >= Function::eq && function <= Function::ge; }
// Which element types the operands may have; nothing if there is no condition.
StringRef requiredElementType(Function function, Type element) {
  bool rounds = function == Function::floor || function == Function::ceil || function == Function::round;
  if (rounds || isTranscendental(function) || function == Function::div)
    return isReal(element) ? "" : "real, f32 or f64";
  if (function == Function::floor_div || function == Function::floor_mod)
    return isIndex(element) ? "" : "i32 or i64";
  bool any =
      function == Function::id || function == Function::eq || function == Function::ne || function > Function::ge;
  return any || isReal(element) || isIndex(element) ? "" : "real, f32, f64, i32 or i64";
}

bool isLogical(Function function) { return function >= Function::logical_and && function <= Function::logical_not; }

} // namespace

LogicalResult ContractOp::verify() {
  Equation op = *this;
  if (getInputs().empty())
    return emitOpError("has no operand");
  if (failed(verifyDomain(op)) || failed(verifyReducing(op)) || failed(verifyOneElementType(op, /*integers=*/false)) ||
      failed(verifyAccumulator(*this, getAccumulator())))
    return failure();
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
  return success();
}

LogicalResult MapOp::verify() {
  Equation op = *this;
  Function function = getFunction();
  // (C4)
  if (getInputs().size() != arity(function))
    return emitOpError("has ") << getInputs().size() << " operands but '" << stringifyFunction(function) << "' takes "
                               << arity(function);
  if (failed(verifyDomain(op)) || failed(verifyPermutation(op, op.getResultMap(), "the result")))
    return failure();
  Type result = elementOf(getResult());
  Type first = elementOf(getInputs().front());
  bool wantsBool = isLogical(function) || function == Function::select;
  if (wantsBool && !first.isInteger(1))
    return emitOpError("operand #0 has element type ")
           << first << " but '" << stringifyFunction(function) << "' needs i1";
  Type expected = function == Function::select ? elementOf(getInputs()[1]) : first;
  for (unsigned i = function == Function::select ? 1 : 0; i < getInputs().size(); ++i)
    if (elementOf(getInputs()[i]) != expected)
      return emitOpError("operand #") << i << " has element type " << elementOf(getInputs()[i]) << " but '"
                                      << stringifyFunction(function) << "' needs " << expected;
  if (isComparison(function))
    expected = IntegerType::get(getContext(), 1);
  if (result != expected)
    return emitOpError("result has element type ")
           << result << " but '" << stringifyFunction(function) << "' gives " << expected;
  if (StringRef needed = requiredElementType(function, first); !needed.empty())
    return emitOpError("operand #0 has element type ")
           << first << " but '" << stringifyFunction(function) << "' needs " << needed;
  return success();
}

LogicalResult ReduceOp::verify() {
  Equation op = *this;
  if (getInputs().size() != 1)
    return emitOpError("has ") << getInputs().size() << " operands but takes one";
  if (getAccumulator() && getReduction() != Reduction::sum)
    return emitOpError("a '") << stringifyReduction(getReduction()) << "' does not accumulate";
  if (failed(verifyDomain(op)) || failed(verifyReducing(op)) || failed(verifyOneElementType(op, /*integers=*/true)))
    return failure();
  return verifyAccumulator(*this, getAccumulator());
}

LogicalResult GatherOp::verify() {
  Equation op = *this;
  if (failed(verifyIndices(op)) || failed(verifyDomain(op, 0)))
    return failure();
  return verifyPermutation(op, op.getResultMap(), "the result");
}

LogicalResult ScatterAddOp::verify() {
  Equation op = *this;
  if (failed(verifyIndices(op)) || failed(verifyDomain(op, getInputs().size())) ||
      failed(verifyAccumulator(*this, getAccumulator())))
    return failure();
  return verifyPermutation(op, op.getInputMap(0), "the updates");
}

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || !isIndex(type.getElementType()))
    return emitOpError("has type ") << type << " but needs rank 1 and i32 or i64";
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

LogicalResult CastOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType()), result = cast<RankedTensorType>(getType());
  if (input.getShape() != result.getShape())
    return emitOpError("has input ") << input << " but result " << result;
  return success();
}

LogicalResult ParamOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!isReal(type.getElementType()))
    return emitOpError("has element type ") << type.getElementType() << " but needs real, f32 or f64";
  return success();
}
