//===- InstructionSets.h - which instructions code may use ------*- C++ -*-===//
#ifndef PLC_SUPPORT_INSTRUCTIONSETS_H
#define PLC_SUPPORT_INSTRUCTIONSETS_H

#include "plc/Support/Choice.h"

namespace plc {

/// AVX2 with FMA; also AVX-512 (f, dq, bw, vl); also AMX (tile, bf16); or whichever of these this machine has. Bits do
/// not depend on it.
enum class InstructionSet { native, avx2, avx512, avx512Amx };

struct InstructionSetRow {
  const char *name;
  bool asHost; ///< leaves out what this machine lacks
  bool wide;   ///< has AVX-512
  bool matrix; ///< has AMX
};

template <>
struct Choice<InstructionSet> {
  static constexpr const char *noun = "instruction set";
  static constexpr InstructionSetRow table[] = {{"native", true, true, true},
                                                {"avx2", false, false, false},
                                                {"avx512", false, true, false},
                                                {"avx512-amx", false, true, true}};
  static std::span<const InstructionSetRow> rows() { return table; }
};

} // namespace plc

#endif
