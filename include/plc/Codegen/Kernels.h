//===- Kernels.h - compiles kernels to code ---------------------*- C++ -*-===//
#ifndef PLC_CODEGEN_KERNELS_H
#define PLC_CODEGEN_KERNELS_H

#include "plc/Codegen/KernelSet.h"
#include "plc/Module/Iterations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace plc::codegen {

/// What the runtime needs to know of a compiled kernel, beside its code. Costs are per call, `ns` predicted for one
/// thread.
struct KernelRecord {
  struct Gather {
    std::vector<std::string> where; // locations of the rule, see Locations.h
    int64_t extent;                 // of the indexed axis
  };
  struct RealOperand {
    int64_t operand;  // position among the kernel's operands
    std::string type; // name in the table of element types
    int64_t elements;
  };
  std::string name, symbol;
  std::vector<std::string> where; // locations of its main equation
  int64_t chunks = 1, flops = 0, bytes = 0, ns = 0;
  std::vector<Gather> gathers;
  std::vector<RealOperand> inputs, results;
  bool infinite = false;                // a rule contains `inf`, so results may be infinite
  std::optional<module::LoopInfo> loop; // a loop has no code and calls other kernels
};

/// How kernels are written, beside what each says itself. No option changes a bit of a result.
struct CodeOptions {
  int64_t vectorBits = 512; // bits of the registers of tiles: 256 or 512
  bool amx = false;         // whether products of bf16 may use the matrix unit
  bool emulatesAmx = false; // tiles as vectors, to test the code around them on other CPUs
};

/// Writes kernels, but for loops, as functions `<symbol>` of loops into a new module (see the pass
/// convert-kernels-to-loops) and fills in the records of all, in order. Symbols are `plc_kernel_<index>`. Fails with
/// diagnostics on a row too long for the stack, and on a kernel that its implementation cannot compute.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> writeKernels(const KernelSet &kernels, const CodeOptions &options,
                                                                std::vector<KernelRecord> &records);

/// Lowers such a module to the LLVM dialect in place. Adds, for each record, the exported entry with the ABI of
/// plc/Runtime/KernelABI.h under the record's symbol.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, llvm::ArrayRef<KernelRecord> records);

} // namespace plc::codegen

#endif
