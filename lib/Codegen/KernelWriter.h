//===- KernelWriter.h - the function of one kernel, being written -*- C++ -*-===//
#ifndef PLC_LIB_CODEGEN_KERNELWRITER_H
#define PLC_LIB_CODEGEN_KERNELWRITER_H

#include "plc/Analysis/IterationSpace.h"
#include "plc/Analysis/Layout.h"
#include "plc/Codegen/Kernels.h"
#include "plc/Dialect/Ein/Views.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Support/Chunks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace plc::codegen {

/// Elements that loops of copies move at once; LLVM splits such a vector into those of the CPU.
inline constexpr int64_t copyLanes = 16;

/// Bytes of scratch that a kernel may have on a worker's stack.
inline constexpr int64_t stackLimit = 512 << 10;

/// A gather or scatter in a kernel: what the runtime says when an index is outside [0, extent).
struct IndexedAccess {
  mlir::Location loc;
  int64_t extent;
};

using ein::stridesOf;
int64_t elementsOf(mlir::Type tensor);
/// Type of an element in memory: i1 takes a byte, and a narrow real is its 16 bits, as which registers hold it, too.
mlir::Type storedType(mlir::Type element);

/// Elements at offset + lane * stride, of `width` lanes the first `active`; width 0 is one element, no vector.
struct Lanes {
  int64_t width = 0, active = 0;
};

/// Where a tensor's elements lie, row-major: an argument of the function, or scratch that lives as long as a call.
struct Memory {
  enum class Place { argument, scratch };
  mlir::Value buffer; // a flat memref
  Place place = Place::argument;
};

/// Builds `func.func @name(memrefs of inputs and outputs.., begin, end: index, accumulate: i1, context: !llvm.ptr) ->
/// i32` from a kernel. An accumulator is one memref with its result. The writer of a kind fills the body and sets
/// `chunks`, the number of parts in which the work may be cut; begin and end count them.
class KernelWriter {
public:
  KernelWriter(plan::KernelOp kernel, llvm::StringRef name, const CodeOptions &options, mlir::OpBuilder &module);

  plan::KernelOp kernel;
  const CodeOptions &options;
  mlir::ImplicitLocOpBuilder b;
  mlir::Value begin, end, accumulate, context;
  int64_t chunks = 1;
  llvm::SmallVector<IndexedAccess> accesses;

  /// The flat memref of an argument or result of the kernel, of a value kept in scratch, or of what a view of one of them
  /// shows; null for other values.
  mlir::Value memoryOf(mlir::Value value) const { return memory.lookup(ein::viewed(value)).buffer; }
  /// Whether the kernel makes a value and stores it: a result, or one kept in scratch.
  bool isStored(mlir::Value value) const { return stored.contains(value); }
  /// Gives a value that the kernel makes memory of its own, unless it is a result. Its equations are written once for the
  /// whole kernel, so the kernel is one chunk from here on. Fails if the stack has no room.
  mlir::LogicalResult keepWhole(mlir::Value value);

  mlir::Value index(int64_t value);
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, int64_t factor);

  /// Reads an element or lanes; with stride 0 one element stands for all, other lanes than the active hold anything.
  mlir::Value load(mlir::Value memory, mlir::Type element, mlir::Value offset, int64_t stride, Lanes lanes);
  void store(mlir::Value value, mlir::Value memory, mlir::Value offset, int64_t stride, Lanes lanes);
  /// An element in every lane; vectors stay as they are.
  mlir::Value broadcast(mlir::Value value, Lanes lanes);
  /// True in the active lanes; in those of [begin, end).
  mlir::Value mask(Lanes lanes);
  mlir::Value mask(int64_t width, mlir::Value begin, mlir::Value end);

  /// A buffer on the stack that lives as long as the call.
  mlir::Value scratch(int64_t elements, mlir::Type element);
  int64_t scratchBytes() const { return stackBytes; }

  /// [begin, end) in units of which the kernel has `units`: the bounds of the outermost loop. Sets `chunks`, at most
  /// one per unit, as many as `chunksOf` the kernel's cost; one chunk if the kernel keeps whole values.
  std::pair<mlir::Value, mlir::Value> cut(int64_t units);

  /// `found`, or 0 and a recorded fault if it is not below the extent of `access`.
  mlir::Value checkedIndex(mlir::Value found, unsigned access, mlir::Value position);
  unsigned addAccess(mlir::Operation *op, int64_t extent);

  /// From here on subnormal numbers count as zeros, read or computed; `finish` restores the environment.
  void flushSubnormals();

  /// Ends the function: returns whether a fault was recorded.
  void finish();

  /// A loop from `lower` to `upper`; `body` gets the index and the carried values and gives the next ones.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange carried,
                                      LoopBody body);

  /// Where a tensor has the point of a domain: `index` by dimension, null for one that stands at 0, `symbols` by position.
  mlir::Value offsetOf(mlir::Value tensor, mlir::AffineMap map, llvm::ArrayRef<mlir::Value> index,
                       llvm::ArrayRef<mlir::Value> symbols = {});

  /// Splits a flat index over extents, the last one fastest.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value flat, llvm::ArrayRef<int64_t> extents);

private:
  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, Memory> memory;
  llvm::SmallPtrSet<mlir::Value, 4> stored;
  bool keepsWhole = false;
  mlir::Value fault, environment;
  int64_t stackBytes = 0;
};

/// The equations of a kernel but for views and free values that it does not give.
llvm::SmallVector<mlir::Operation *> equationsOf(plan::KernelOp kernel);

/// The writers of Implementations.def; each fails with a diagnostic on what it refuses.
#define IMPLEMENTATION(NAME, KIND, WRITER) mlir::LogicalResult WRITER(KernelWriter &writer);
#include "plc/Dialect/Plan/Implementations.def"

/// Writes a kernel that is this one equation.
mlir::LogicalResult writePut(KernelWriter &writer, ein::PutOp op);

/// Writes equations with a common domain, given in program order: all stored values among them.
mlir::LogicalResult writeRows(KernelWriter &writer, llvm::ArrayRef<mlir::Operation *> equations);

} // namespace plc::codegen

#endif
