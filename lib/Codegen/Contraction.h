//===- Contraction.h - what writers of contractions share -------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_CONTRACTION_H
#define PLC_LIB_CODEGEN_CONTRACTION_H

#include "KernelWriter.h"
#include "plc/Analysis/MatmulNest.h"

namespace plc::codegen {

using ein::LoopDim;
using ein::MatmulNest;
using ein::sumBlock;

/// Element offsets into the memory of a, b and c. A null value is 0.
struct Offsets {
  mlir::Value a, b, c;
};

/// A factor in memory. Its elements may be of a storage type (`element`), or be rounded to another type (`read`) on the
/// way.
struct Factor {
  Factor(KernelWriter &writer, mlir::Value tensor);
  Factor(mlir::Value memory, mlir::Type element) : memory(memory), element(element), read(element) {}

  mlir::Value memory;
  mlir::Type element; // type in memory
  mlir::Type read;    // type of the factor's values

  /// Whether values are converted before they are multiplied.
  bool isConverted() const { return ein::isNarrow(read); }
  /// As KernelWriter::load, converted to `to`: the type of the sums, or `read`.
  mlir::Value load(KernelWriter &writer, mlir::Type to, mlir::Value offset, int64_t stride, Lanes lanes) const;
  mlir::Value convert(KernelWriter &writer, mlir::Type to, mlir::Value loaded) const;
};

/// Offsets of the first elements of a, b and c.
Offsets firstOffsets(KernelWriter &writer, const MatmulNest &product);

/// `from` advanced by `at[i]` steps of each loop `runs[i]`.
Offsets moved(KernelWriter &writer, llvm::ArrayRef<LoopDim> runs, llvm::ArrayRef<mlir::Value> at, Offsets from = {});

llvm::SmallVector<int64_t> extentsOf(llvm::ArrayRef<LoopDim> runs);

/// A block of summed elements: at most `length` of forEachBlock, consecutive in the order of the sum.
struct SumBlock {
  Offsets at;
  int64_t size;
  mlir::Value adds;  // i1: whether the block adds to c; else it stores
  mlir::Value first; // index in k of its first element; `at` includes it, unless k counts several loops (`depth`)
};

/// An i1: `adds` or `index` != 0. Blocks after the first one always add.
mlir::Value orNotFirst(KernelWriter &writer, mlir::Value adds, mlir::Value index);

/// Adds the products of zeros that fill a block of pairs with `count` elements: they iteration a chain's -0 into 0.
void endChains(KernelWriter &writer, llvm::MutableArrayRef<mlir::Value> even, llvm::MutableArrayRef<mlir::Value> odd,
               int64_t count);

/// Calls `block` for each block of pairs of `size` elements: with its first element, its number of elements, and an i1
/// whether it continues from c. The first block does so if `adds`.
void forEachPairBlock(KernelWriter &writer, int64_t size, mlir::Value adds,
                      llvm::function_ref<void(mlir::Value first, int64_t count, mlir::Value goesOn)> block);

/// Calls `block` for all blocks of the product's sums, in order, each of `length` elements but for the last of a run.
/// `length` is a multiple of the numerics' block: 256, or 32 for pairs.
void forEachBlock(KernelWriter &writer, const MatmulNest &product, Offsets from,
                  llvm::function_ref<void(const SumBlock &)> block, int64_t length = sumBlock);

/// The contraction of a kernel. Afterwards its factors are in memory: arguments, tables and narrow tensors are read
/// there, and factors that equations of the kernel make have been written to scratch. Fails with a diagnostic if the
/// kernel's `by` cannot compute it.
mlir::FailureOr<ein::ContractOp> beginContraction(KernelWriter &writer);

} // namespace plc::codegen

#endif
