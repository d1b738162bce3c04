//===- KernelSet.h - kernels that a module's code is written for *- C++ -*-===//
#ifndef PLC_CODEGEN_KERNELSET_H
#define PLC_CODEGEN_KERNELSET_H

#include "plc/Analysis/IterationMemory.h"
#include "plc/Dialect/Plan/Plan.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace plc::codegen {

/// The code of a kernel, by position among the manifest's kernels: `full` for micro-batches of ceil(batch /
/// micro-batches) samples, `shorter` for those with one less. Both are equal if the cut is not ragged or the kernel has
/// no batch axis.
struct KernelVariants {
  int64_t full = 0, shorter = 0;
};

/// Kernels by number. A loop comes after the kernels that its iterations call.
class KernelSet {
public:
  /// Adds a kernel, whether or not an equal one is there.
  int64_t append(plan::KernelOp kernel);
  /// The number of an equal kernel, which is added if there is none; of both variants under a ragged cut.
  KernelVariants find(plan::KernelOp kernel, ein::MicroBatches cut);

  llvm::ArrayRef<plan::KernelOp> all() const { return kernels; }
  /// The number of a kernel that an iteration of a loop calls.
  int64_t numberOf(plan::KernelOp called) const { return numbers.lookup(called); }
  /// The memory of a kernel of kind `loop` in its scratch, at offsets that are the same in all micro-batches.
  const plan::IterationMemory &iterationOf(plan::KernelOp kernel) const { return iterations.find(kernel)->second; }

private:
  int64_t find(plan::KernelOp kernel);
  plan::KernelOp variant(plan::KernelOp kernel, ein::MicroBatches cut, int64_t microBatch);

  llvm::SmallVector<plan::KernelOp> kernels;
  llvm::StringMap<int64_t> byText;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
  llvm::DenseMap<mlir::Operation *, plan::IterationMemory> iterations;
  std::vector<mlir::OwningOpRef<plan::KernelOp>> made;
};

} // namespace plc::codegen

#endif
