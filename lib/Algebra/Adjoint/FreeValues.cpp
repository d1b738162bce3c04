//===- FreeValues.cpp - masks known at compile time -----------------------===//
#include "FreeValues.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

// The functions that masks are made of. Nullopt if the result does not fit 64 bits, or for other functions.
static std::optional<int64_t> apply(Function function, ArrayRef<int64_t> x) {
  int64_t value;
  switch (function) {
  case Function::id: return x[0];
  case Function::add: return llvm::AddOverflow(x[0], x[1], value) ? std::nullopt : std::optional(value);
  case Function::sub: return llvm::SubOverflow(x[0], x[1], value) ? std::nullopt : std::optional(value);
  case Function::mul: return llvm::MulOverflow(x[0], x[1], value) ? std::nullopt : std::optional(value);
  case Function::floor_div: return x[1] > 0 ? std::optional(llvm::divideFloorSigned(x[0], x[1])) : std::nullopt;
  case Function::floor_mod:
    return x[1] > 0 ? std::optional(x[0] - x[1] * llvm::divideFloorSigned(x[0], x[1])) : std::nullopt;
  case Function::eq: return x[0] == x[1];
  case Function::ne: return x[0] != x[1];
  case Function::lt: return x[0] < x[1];
  case Function::le: return x[0] <= x[1];
  case Function::gt: return x[0] > x[1];
  case Function::ge: return x[0] >= x[1];
  case Function::logical_and: return x[0] && x[1];
  case Function::logical_or: return x[0] || x[1];
  case Function::logical_not: return !x[0];
  case Function::bit_and: return x[0] & x[1];
  case Function::bit_or: return x[0] | x[1];
  case Function::bit_xor: return x[0] ^ x[1];
  // Masks do not use these, nor functions of reals.
  case Function::neg:
  case Function::abs:
  case Function::relu:
  case Function::sign:
  case Function::max:
  case Function::min:
  case Function::select:
  case Function::random:
  case Function::shift_left:
  case Function::shift_right:
#define PLC_DOMAIN_Real(ID) case Function::ID:
#define PLC_DOMAIN_Integer(ID)
#define PLC_DOMAIN_Number(ID)
#define PLC_DOMAIN_Truth(ID)
#define PLC_DOMAIN_Any(ID)
#define PLC_DOMAIN_Choice(ID)
#define PLC_FUNCTION(ID, WORD, ARITY, DOMAIN, ...) PLC_DOMAIN_##DOMAIN(ID)
#include "plc/Dialect/Ein/Functions.def"
    return std::nullopt;
  }
  llvm_unreachable("no row of the table");
}

// The value of a map at a point of its result: those of its operands, each at its own point.
std::optional<int64_t> FreeValues::ofMap(ein::MapOp map, ArrayRef<int64_t> point) {
  Access result = resultOf(map);
  SmallVector<int64_t, 4> operands, position;
  for (const Access &input : inputsOf(map)) {
    position.clear();
    for (int64_t dim : input.dims)
      position.push_back(point[llvm::find(result.dims, dim) - result.dims.begin()]);
    std::optional<int64_t> operand = at(input.value, position);
    if (!operand)
      return std::nullopt;
    operands.push_back(*operand);
  }
  return apply(map.getFunction(), operands);
}

std::optional<int64_t> FreeValues::at(Value value, ArrayRef<int64_t> point) {
  Operation *op = value.getDefiningOp();
  // `left` bounds the work over all points; a value that is too long to compute counts as unknown.
  if (!op || !elementOf(value).isInteger() || left-- <= 0)
    return std::nullopt;
  unsigned width = elementOf(value).getIntOrFloatBitWidth();
  std::optional<int64_t> found;
  if (isa<ein::IotaOp>(op))
    found = point[0];
  else if (std::optional<double> constant = constantOf(value))
    // Larger constants are stored as f64 and may not be exact.
    found = std::abs(*constant) < 0x1p53 ? std::optional(int64_t(*constant)) : std::nullopt;
  else if (auto cast = dyn_cast<ein::CastOp>(op); cast && width > 1)
    found = at(cast.getInput(), point);
  else if (auto map = dyn_cast<ein::MapOp>(op))
    found = ofMap(map, point);
  return found && width > 1 && !llvm::isIntN(width, *found) ? std::nullopt : found; // it would wrap
}
