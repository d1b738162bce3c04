//===- Passes.h - the order of every sum ------------------------*- C++ -*-===//
#ifndef PLC_NUMERICS_PASSES_H
#define PLC_NUMERICS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace plc::numerics {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Numerics/Passes.h.inc"

} // namespace plc::numerics

#endif
