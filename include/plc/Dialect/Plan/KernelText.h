//===- KernelText.h - when two kernels are equal ----------------*- C++ -*-===//
#ifndef PLC_DIALECT_PLAN_KERNELTEXT_H
#define PLC_DIALECT_PLAN_KERNELTEXT_H

#include <string>

namespace plc::plan {
class KernelOp;

/// The kernel as text without its name, cost and locations. Two kernels of one text compute the same by the same code.
std::string kernelText(KernelOp kernel);

} // namespace plc::plan

#endif
