//===- ProgramKind.h - what a program of a model is for ---------*- C++ -*-===//
#ifndef PLC_SUPPORT_PROGRAMKIND_H
#define PLC_SUPPORT_PROGRAMKIND_H

#include "plc/Support/Choice.h"

namespace plc {

/// A step of training, the loss alone, or results.
enum class ProgramKind { train, eval, infer };

template <>
struct Choice<ProgramKind> {
  static constexpr const char *noun = "program";
  static constexpr NamedRow table[] = {{"train"}, {"eval"}, {"infer"}};
  static std::span<const NamedRow> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

} // namespace plc

#endif
