//===- ProgramKind.h - the purposes of a model's programs -------*- C++ -*-===//
#ifndef PLC_SUPPORT_PROGRAMKIND_H
#define PLC_SUPPORT_PROGRAMKIND_H

#include "plc/Support/Choice.h"

namespace plc {

/// A training step, the loss alone, or results.
enum class ProgramKind { train, eval, infer };

template <>
struct Choice<ProgramKind> {
  static constexpr const char *noun = "program";
  static constexpr NamedRow table[] = {{"train"}, {"eval"}, {"infer"}};
  static std::span<const NamedRow> rows() { return table; }
};

} // namespace plc

#endif
