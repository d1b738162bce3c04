//===- KernelWriter.h - writes the function of one kernel -------*- C++ -*-===//
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

/// Elements that loops of copies move at once: an AVX-512 register of f32. LLVM splits wider vectors into the CPU's.
inline constexpr int64_t copyLanes = 16;

/// Bytes of scratch that a kernel may have on a worker's stack. Not tuned: a sixteenth of the 8 MiB that Linux gives a
/// thread by default, and room for a row of 128 Ki f32 beside the panels of a tile.
inline constexpr int64_t stackLimit = 512 << 10;

/// A gather or scatter in a kernel: where the runtime reports an index outside [0, extent).
struct IndexedAccess {
  mlir::Location loc;
  int64_t extent;
};

using ein::stridesOf;
int64_t elementsOf(mlir::Type tensor);
/// The type of an element in memory. i1 takes a byte. A narrow real is an integer of its 16 bits, in registers too.
mlir::Type storedType(mlir::Type element);

/// A vector access: elements at offset + lane * stride, for `width` lanes of which the first `active` exist. Width 0 is
/// one element, no vector.
struct Lanes {
  int64_t width = 0, active = 0;
};

/// The buffer of a tensor's elements, row-major: an argument of the function, or scratch that lives as long as a call.
struct Memory {
  enum class Place { argument, scratch };
  mlir::Value buffer; // a flat memref
  Place place = Place::argument;
};

/// Writes `func.func @name(memrefs of inputs and outputs.., begin, end: index, accumulate: i1, context: !llvm.ptr) ->
/// i32` for a kernel. An accumulator and its result share one memref. The writer of a kind fills the body and sets
/// `chunks`, the number of parts that threads may compute independently; [begin, end) counts chunks. The result is 0,
/// or 1 if an index was out of range: then the context tells which.
class KernelWriter {
public:
  KernelWriter(plan::KernelOp kernel, llvm::StringRef name, const CodeOptions &options, mlir::OpBuilder &module);

  plan::KernelOp kernel;
  const CodeOptions &options;
  mlir::ImplicitLocOpBuilder b;
  mlir::Value begin, end, accumulate, context;
  int64_t chunks = 1;
  llvm::SmallVector<IndexedAccess> accesses;

  /// The flat memref of an argument or result of the kernel, of a value kept in scratch, or of the tensor behind a view
  /// of one of them. Null for other values.
  mlir::Value memoryOf(mlir::Value value) const { return memory.lookup(ein::viewed(value)).buffer; }
  /// Whether the kernel computes this value and stores it, as a result or in scratch.
  bool isStored(mlir::Value value) const { return stored.contains(value); }
  /// Gives a computed value memory of its own, unless it is a result. Its equations are written once for the whole
  /// kernel, so the kernel is one chunk from here on. Fails if the stack has no room.
  mlir::LogicalResult keepWhole(mlir::Value value);

  mlir::Value index(int64_t value);
  /// a + b, where null is 0; a * factor.
  mlir::Value plus(mlir::Value a, mlir::Value b);
  mlir::Value times(mlir::Value a, int64_t factor);

  /// Reads an element or a vector. With stride 0 one element stands for all lanes. Lanes that are not active hold
  /// anything.
  mlir::Value load(mlir::Value memory, mlir::Type element, mlir::Value offset, int64_t stride, Lanes lanes);
  void store(mlir::Value value, mlir::Value memory, mlir::Value offset, int64_t stride, Lanes lanes);
  /// The element in every lane. Vectors stay as they are.
  mlir::Value broadcast(mlir::Value value, Lanes lanes);
  /// Masks: true in the active lanes, or in those of [begin, end).
  mlir::Value mask(Lanes lanes);
  mlir::Value mask(int64_t width, mlir::Value begin, mlir::Value end);

  /// A buffer on the stack that lives as long as the call.
  mlir::Value scratch(int64_t elements, mlir::Type element);
  int64_t scratchBytes() const { return stackBytes; }

  /// The bounds of the outermost loop, for a kernel whose work splits in `units`: this call's chunks as a range of
  /// units. Sets `chunks` to what `chunksOf` asks for by the kernel's cost, at most one per unit; to 1 if the kernel
  /// keeps whole values.
  std::pair<mlir::Value, mlir::Value> cut(int64_t units);

  /// The index `found`, or 0 with a recorded fault if it is not below the extent of `access`. `position` is the offset
  /// of the index in its tensor, for the message.
  mlir::Value checkedIndex(mlir::Value found, unsigned access, mlir::Value position);
  /// Registers a gather or scatter. Returns its number for `checkedIndex`.
  unsigned addAccess(mlir::Operation *op, int64_t extent);

  /// From here on subnormal numbers, read or computed, count as zeros (MXCSR). `finish` restores the environment.
  void flushSubnormals();

  /// Ends the function: returns whether a fault was recorded.
  void finish();

  /// A loop from `lower` to `upper`. `body` gets the index and the carried values and returns the next ones.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange carried,
                                      LoopBody body);

  /// The offset of a tensor's element at a point of a domain: `index` by dimension (null: 0), `symbols` by position.
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

/// The equations of a kernel, without views and without free values that it does not return.
llvm::SmallVector<mlir::Operation *> equationsOf(plan::KernelOp kernel);

/// The writers of Implementations.def. Each fails with a diagnostic on kernels that it cannot write.
#define IMPLEMENTATION(NAME, KIND, WRITER) mlir::LogicalResult WRITER(KernelWriter &writer);
#include "plc/Dialect/Plan/Implementations.def"

/// Writes a kernel whose only equation is `op`.
mlir::LogicalResult writePut(KernelWriter &writer, ein::PutOp op);

/// Writes equations with a common domain, given in program order, with all stored values among them.
mlir::LogicalResult writeRows(KernelWriter &writer, llvm::ArrayRef<mlir::Operation *> equations);

} // namespace plc::codegen

#endif
