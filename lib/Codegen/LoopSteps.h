//===- LoopSteps.h - what the runtime does in each turn of a loop -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_LOOPSTEPS_H
#define PLC_LIB_CODEGEN_LOOPSTEPS_H

#include "plc/Codegen/KernelSet.h"
#include "plc/Module/Turns.h"

namespace plc::codegen {

/// The steps of a kernel of kind `loop` of the set. Fails with a diagnostic if it reads or writes what is no operand.
mlir::FailureOr<module::LoopInfo> stepsOf(plan::KernelOp kernel, const KernelSet &set);

} // namespace plc::codegen

#endif
