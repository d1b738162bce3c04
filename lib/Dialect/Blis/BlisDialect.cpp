//===- BlisDialect.cpp - the blis dialect and its verifier -----------------===//
#include "plc/Dialect/Blis/Blis.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace plc::blis;

#include "dialects/Blis/BlisOpsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Blis/BlisOps.cpp.inc"

void BlisDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Blis/BlisOps.cpp.inc"
      >();
}

LogicalResult GemmOp::verify() {
  // (C1)
  if (getK() > 256 || int64_t(getK()) < 1)
    return emitOpError("sums ") << int64_t(getK()) << " elements but a block has 1 to 256";
  // (C2)
  Type element = cast<MemRefType>(getA().getType()).getElementType();
  for (Value other : {getB(), getC()})
    if (Type found = cast<MemRefType>(other.getType()).getElementType(); found != element)
      return emitOpError("has element type ") << found << " but 'a' has " << element;
  // (C3)
  struct {
    StringRef name;
    ArrayRef<int64_t> strides;
    int along;
  } const operands[] = {{"a", getAStrides(), 1}, {"b", getBStrides(), 0}, {"c", getCStrides(), -1}};
  for (auto [name, strides, along] : operands) {
    if (strides.size() != 2)
      return emitOpError("has ") << strides.size() << " strides for '" << name << "' but needs 2";
    if (along >= 0 && strides[along] == 0)
      return emitOpError("has stride 0 along k in '") << name << "'";
  }
  return success();
}
