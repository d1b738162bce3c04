//===- LoopSteps.h - steps of a loop's iterations ---------------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_LOOPSTEPS_H
#define PLC_LIB_CODEGEN_LOOPSTEPS_H

#include "plc/Codegen/KernelSet.h"
#include "plc/Module/Iterations.h"

namespace plc::codegen {

/// The steps that the runtime executes in each iteration of a kernel of kind `loop`. Fails with a diagnostic if the
/// loop reads or writes anything but operands of the kernel, each in one piece.
mlir::FailureOr<module::LoopInfo> stepsOf(plan::KernelOp kernel, const KernelSet &set);

} // namespace plc::codegen

#endif
