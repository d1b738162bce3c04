//===- Builtins.h - built-in names ------------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_BUILTINS_H
#define PLC_LIB_LANGUAGE_ELABORATE_BUILTINS_H

#include "plc/Dialect/Ein/Functions.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace plc::language {

/// What a built-in name is. Each kind is resolved in its own way (Calls.cpp).
enum class Builtin {
  None,
  Function,   // elementwise, of one argument, named as in the ein dialect
  Function2,  // of two: pow
  Reduction,  // sum, mean, prod, any, all (max and min are both)
  Extremum,   // max, min
  Positions,  // argmax, argmin, topk
  Draw,       // random, normal, training, step
  Conversion, // real, i32, i64
  Stop,
  Size,
  Pad
};

/// Every built-in name: the functions of the ein dialect that the language calls by their words, and its own.
inline const llvm::StringMap<Builtin> &builtins() {
  using enum Builtin;
  static const llvm::StringMap<Builtin> names = [] {
    llvm::StringMap<Builtin> names = {
        {"sum", Reduction},  {"mean", Reduction}, {"max", Extremum},     {"min", Extremum},     {"real", Conversion},
        {"i32", Conversion}, {"i64", Conversion}, {"stop", Stop},        {"size", Size},        {"prod", Reduction},
        {"any", Reduction},  {"all", Reduction},  {"argmax", Positions}, {"argmin", Positions}, {"topk", Positions},
        {"pad", Pad},        {"random", Draw},    {"normal", Draw},      {"training", Draw},    {"step", Draw}};
    for (const ein::FunctionInfo &info : ein::functionTable)
      if (info.spelling == ein::Spelling::Name)
        names[info.word] = info.arity == 1 ? Function : Function2;
    return names;
  }();
  return names;
}

inline Builtin builtinOf(llvm::StringRef name) { return builtins().lookup(name); }

} // namespace plc::language

#endif
