//===- Builtins.h - names that the language itself knows --------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_BUILTINS_H
#define PLC_LIB_LANGUAGE_BUILTINS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace plc::language {

enum class Builtin {
  None,
  Function,   // elementwise, named as in the ein dialect
  Reduction,  // sum, mean (max and min are both)
  Extremum,   // max, min
  Conversion, // real, i32
  Stop,
  Size,
  NotYet
};

inline Builtin builtinOf(llvm::StringRef name) {
  return llvm::StringSwitch<Builtin>(name)
      .Cases({"exp", "log", "sqrt", "rsqrt", "tanh", "erf", "sigmoid", "relu", "abs", "sign"}, Builtin::Function)
      .Cases({"sum", "mean"}, Builtin::Reduction)
      .Cases({"max", "min"}, Builtin::Extremum)
      .Cases({"real", "i32"}, Builtin::Conversion)
      .Case("stop", Builtin::Stop)
      .Case("size", Builtin::Size)
      .Cases({"log1p", "floor", "ceil", "round", "sin", "cos", "tan", "pow"}, Builtin::NotYet)
      .Cases({"prod", "argmax", "argmin", "any", "all", "topk", "pad", "random"}, Builtin::NotYet)
      .Default(Builtin::None);
}

} // namespace plc::language

#endif
