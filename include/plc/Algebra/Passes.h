//===- Passes.h - ein to ein ------------------------------------*- C++ -*-===//
#ifndef PLC_ALGEBRA_PASSES_H
#define PLC_ALGEBRA_PASSES_H

#include "mlir/Pass/Pass.h"

namespace plc::algebra {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Algebra/Passes.h.inc"

} // namespace plc::algebra

#endif
