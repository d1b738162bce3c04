//===- Builtins.h - names that the language itself knows --------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_BUILTINS_H
#define PLC_LIB_LANGUAGE_BUILTINS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace plc::language {

enum class Builtin {
  None,
  Function,   // elementwise, of one argument, named as in the ein dialect
  Function2,  // of two: pow
  Reduction,  // sum, mean (max and min are both)
  Extremum,   // max, min
  Conversion, // real, i32
  Stop,
  Size,
  NotYet
};

/// Every built-in name.
inline const llvm::StringMap<Builtin> &builtins() {
  using enum Builtin;
  static const llvm::StringMap<Builtin> names = {
      {"exp", Function},   {"log", Function},  {"log1p", Function},   {"sin", Function},   {"cos", Function},
      {"tan", Function},   {"sqrt", Function}, {"rsqrt", Function},   {"tanh", Function},  {"erf", Function},
      {"floor", Function}, {"ceil", Function}, {"round", Function},   {"relu", Function},  {"abs", Function},
      {"sign", Function},  {"pow", Function2}, {"sigmoid", Function}, {"sum", Reduction},  {"mean", Reduction},
      {"max", Extremum},   {"min", Extremum},  {"real", Conversion},  {"i32", Conversion}, {"stop", Stop},
      {"size", Size},      {"prod", NotYet},   {"argmax", NotYet},    {"argmin", NotYet},  {"any", NotYet},
      {"all", NotYet},     {"topk", NotYet},   {"pad", NotYet},       {"random", NotYet}};
  return names;
}

inline Builtin builtinOf(llvm::StringRef name) { return builtins().lookup(name); }

} // namespace plc::language

#endif
