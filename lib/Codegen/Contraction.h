//===- Contraction.h - a contraction as strided loops -----------*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_CONTRACTION_H
#define PLC_LIB_CODEGEN_CONTRACTION_H

#include "KernelWriter.h"

namespace plc::codegen {

/// Dimensions that are one loop in a, b and c: an extent and the step in elements of each.
struct LoopDim {
  int64_t extent = 1;
  int64_t a = 0, b = 0, c = 0;
};

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n]; runs of each class, slowest first (k: in the order
/// of the summation). Neighbours whose steps compose in all three tensors are one run.
struct Contraction {
  llvm::SmallVector<LoopDim> batch, m, n, k;
  mlir::Value a, b, c; // kernel arguments and result
  mlir::Type sum;      // what products and sums are taken in
  bool accumulates = false;
};

Contraction analyse(ein::ContractOp op);

/// Blocks of summed elements, as numerics fixes them.
inline constexpr int64_t sumBlock = 256;

/// A matrix product with one run each of m, n and k, in loops over what does not fit: `outer` (any order) and `slow`,
/// summed dimensions outside k (slowest first; then k is a multiple of sumBlock). If c is contiguous along a run, that
/// is n.
struct MatmulNest {
  LoopDim m, n, k;
  llvm::SmallVector<LoopDim> outer, slow;
  mlir::Value a, b, c;
  bool accumulates = false;

  int64_t units() const;
  int64_t slowSteps() const;
};

/// Nothing if a class has no run, blocks of sums would lie across runs, or sums are in another type than c.
std::optional<MatmulNest> asProduct(Contraction contraction);

/// Offsets of an element of a, b and c; null stands for 0.
struct Offsets {
  mlir::Value a, b, c;
};

/// `from` moved by `at[i]` steps of `runs[i]`.
Offsets moved(KernelWriter &writer, llvm::ArrayRef<LoopDim> runs, llvm::ArrayRef<mlir::Value> at, Offsets from = {});

llvm::SmallVector<int64_t> extentsOf(llvm::ArrayRef<LoopDim> runs);

/// Every block of the product's sums in order: its offsets, its length, and whether it adds (an i1) or stores.
void forEachBlock(KernelWriter &writer, const MatmulNest &product, Offsets from,
                  llvm::function_ref<void(Offsets, int64_t size, mlir::Value adds)> block);

/// Calls of the library, one per block. False, and nothing written, if the product is too small to be worth them.
bool writeLibraryCalls(KernelWriter &writer, const MatmulNest &product);
/// Our own tiles of registers. False, and nothing written, if c is not contiguous along n, or the product is small.
bool writeTiles(KernelWriter &writer, const MatmulNest &product);
/// The definition itself, vectorised along the contiguous run of c if there is one: any contraction.
void writeChains(KernelWriter &writer, Contraction contraction);

} // namespace plc::codegen

#endif
