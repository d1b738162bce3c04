//===- Contraction.h - what writers of contractions share -------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_CONTRACTION_H
#define PLC_LIB_CODEGEN_CONTRACTION_H

#include "KernelWriter.h"
#include "plc/Analysis/MatmulNest.h"

namespace plc::codegen {

using ein::LoopDim;
using ein::MatmulNest;
using ein::sumBlock;

/// Offsets of an element of a, b and c; null stands for 0.
struct Offsets {
  mlir::Value a, b, c;
};

/// A factor in memory, of elements that may be narrow, or that are rounded when they are read.
struct Factor {
  Factor(KernelWriter &writer, mlir::Value tensor);
  Factor(mlir::Value memory, mlir::Type element) : memory(memory), element(element), read(element) {}

  mlir::Value memory;
  mlir::Type element; // in memory
  mlir::Type read;    // what its numbers are of

  /// Whether its elements are not those that products are taken of.
  bool isConverted() const { return ein::isNarrow(read); }
  /// As KernelWriter::load, of another type: that of sums, or the one that its numbers are of.
  mlir::Value load(KernelWriter &writer, mlir::Type to, mlir::Value offset, int64_t stride, Lanes lanes) const;
  mlir::Value convert(KernelWriter &writer, mlir::Type to, mlir::Value loaded) const;
};

/// Where a, b and c begin.
Offsets firstOffsets(KernelWriter &writer, const MatmulNest &product);

/// `from` moved by `at[i]` steps of `runs[i]`.
Offsets moved(KernelWriter &writer, llvm::ArrayRef<LoopDim> runs, llvm::ArrayRef<mlir::Value> at, Offsets from = {});

llvm::SmallVector<int64_t> extentsOf(llvm::ArrayRef<LoopDim> runs);

/// A block of a product's sums.
struct SumBlock {
  Offsets at;
  int64_t size;
  mlir::Value adds;  // whether it adds (an i1) or stores
  mlir::Value first; // of its elements in k; `at` is moved there, unless k counts several loops
};

/// An i1: `adds`, or whether an index is not 0.
mlir::Value orNotFirst(KernelWriter &writer, mlir::Value adds, mlir::Value index);

/// The products of zeros that fill a block of pairs of which `count` exist: of a chain's -0 they make 0.
void endChains(KernelWriter &writer, llvm::MutableArrayRef<mlir::Value> even, llvm::MutableArrayRef<mlir::Value> odd,
               int64_t count);

/// The blocks of pairs of `size` elements: the first of each, how many it has, and whether it goes on from c, as the first does if it `adds`.
void forEachPairBlock(KernelWriter &writer, int64_t size, mlir::Value adds,
                      llvm::function_ref<void(mlir::Value first, int64_t count, mlir::Value goesOn)> block);

/// Every block of the product's sums in order; of pairs several together, as many as `length` has, the last ones of a run alone with fewer.
void forEachBlock(KernelWriter &writer, const MatmulNest &product, Offsets from,
                  llvm::function_ref<void(const SumBlock &)> block, int64_t length = sumBlock);

/// The contraction of a kernel, whose factors lie in memory, or are read where a table or a narrow tensor does: others that equations of the
/// kernel make are written to scratch first. Fails with a diagnostic on a kernel that `by` cannot compute.
mlir::FailureOr<ein::ContractOp> beginContraction(KernelWriter &writer);

} // namespace plc::codegen

#endif
