//===- BlisRoutines.h - BLIS functions that kernels may call ----*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_BLISROUTINES_H
#define PLC_LIB_CODEGEN_BLISROUTINES_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace plc::codegen {

inline constexpr llvm::StringLiteral gemmOfF32 = "bli_sgemm_ex", gemmOfF64 = "bli_dgemm_ex";

/// Whether the library has a function of that name that kernels call; they call no other.
inline bool isBlisRoutine(llvm::StringRef name) { return llvm::is_contained({gemmOfF32, gemmOfF64}, name); }

} // namespace plc::codegen

#endif
