//===- Functions.h - the scalar functions of maps ---------------*- C++ -*-===//
//
// The enum and all facts come from Functions.def. It uses no LLVM but for the words that IR prints.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_DIALECT_EIN_FUNCTIONS_H
#define PLC_DIALECT_EIN_FUNCTIONS_H

#include "plc/Support/ElementType.h"

#include "llvm/ADT/StringRef.h"

namespace plc::ein {

enum class Function : uint32_t {
#define PLC_FUNCTION(ID, ...) ID,
#include "plc/Dialect/Ein/Functions.def"
};

/// What the operands of a function may be.
enum class Domain : uint8_t { Real, Integer, Number, Truth, Any, Choice };
/// What the result is.
enum class ResultType : uint8_t { Same, Truth };
/// The cost of one point: a copy, one operation, a division, an integer division, or about that of the named function.
enum class CostClass : uint8_t { Copy, Element, Divide, IntegerDivide, Exp, Log, Tanh, Power };
enum class Derivative : uint8_t { Rule, Zero };
enum class Spelling : uint8_t { Name, Form };

/// One row of the table.
struct FunctionInfo {
  llvm::StringLiteral word;
  unsigned arity;
  Domain domain;
  ResultType result;
  CostClass cost;
  bool transcendental;
  Derivative derivative;
  Spelling spelling;
};

inline constexpr FunctionInfo functionTable[] = {
#define PLC_FUNCTION(ID, WORD, ARITY, DOMAIN, RESULT, COST, TRANSCENDENTAL, DERIVATIVE, SPELLING)                      \
  {WORD,                                                                                                               \
   ARITY,                                                                                                              \
   Domain::DOMAIN,                                                                                                     \
   ResultType::RESULT,                                                                                                 \
   CostClass::COST,                                                                                                    \
   TRANSCENDENTAL,                                                                                                     \
   Derivative::DERIVATIVE,                                                                                             \
   Spelling::SPELLING},
#include "plc/Dialect/Ein/Functions.def"
};
inline constexpr uint32_t numFunctions = std::size(functionTable);

constexpr const FunctionInfo &infoOf(Function function) { return functionTable[uint32_t(function)]; }

/// Whether elements of a kind may be operands; for a Choice, the operands chosen from.
constexpr bool accepts(Domain domain, ElementKind kind) {
  switch (domain) {
  case Domain::Real: return kind == ElementKind::Real;
  case Domain::Integer: return kind == ElementKind::Integer;
  case Domain::Number: return kind != ElementKind::Truth;
  case Domain::Truth: return kind == ElementKind::Truth;
  case Domain::Any:
  case Domain::Choice: return true;
  }
  return false;
}

/// Whether a function returns one of its operands unchanged. Only these take elements of narrow types.
constexpr bool onlyMoves(Function function) { return function == Function::id || function == Function::select; }
/// Whether elements of a type, known as its traits, may be operands.
template <typename Traits>
constexpr bool acceptsType(Function function) {
  return accepts(infoOf(function).domain, Traits::kind) && (!Traits::isNarrow || onlyMoves(function));
}

/// Whether a function of reals costs several times an addition, so that its result is kept rather than computed again.
constexpr bool isTranscendental(Function function) { return infoOf(function).transcendental; }

// The functions that mlir-tblgen generates for the enums in EinDialect.td.
constexpr llvm::StringRef stringifyFunction(Function function) {
  return uint32_t(function) < numFunctions ? llvm::StringRef(infoOf(function).word) : llvm::StringRef();
}
inline llvm::StringRef stringifyEnum(Function function) { return stringifyFunction(function); }
inline std::optional<Function> symbolizeFunction(llvm::StringRef word) {
  for (uint32_t each = 0; each < numFunctions; ++each)
    if (functionTable[each].word == word)
      return Function(each);
  return std::nullopt;
}

} // namespace plc::ein

#endif
