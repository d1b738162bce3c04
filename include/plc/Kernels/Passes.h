//===- Passes.h - passes of the library Kernels -----------------*- C++ -*-===//
#ifndef PLC_KERNELS_PASSES_H
#define PLC_KERNELS_PASSES_H

#include "plc/Support/ChoiceOption.h"
#include "plc/Support/Contractions.h"
#include "plc/Support/ExactDouble.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace plc::kernels {
#define GEN_PASS_DECL
#include "lib/Kernels/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Kernels/Passes.h.inc"
} // namespace plc::kernels

#endif
