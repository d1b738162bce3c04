//===- Passes.h - ein to ein ------------------------------------*- C++ -*-===//
#ifndef PLC_ALGEBRA_PASSES_H
#define PLC_ALGEBRA_PASSES_H

#include "plc/Support/ChoiceOption.h"
#include "plc/Support/Precisions.h"
#include "plc/Support/ProgramKind.h"

#include "mlir/Pass/Pass.h"

namespace plc::algebra {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Algebra/Passes.h.inc"

} // namespace plc::algebra

#endif
