//===- Kernels.h - compile kernels to code ----------------------*- C++ -*-===//
#ifndef PLC_CODEGEN_KERNELS_H
#define PLC_CODEGEN_KERNELS_H

#include "plc/Codegen/KernelSet.h"
#include "plc/Module/Turns.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace plc::codegen {

/// What the runtime needs to know of a compiled kernel besides its code.
struct KernelRecord {
  struct Gather {
    std::vector<std::string> where; // places of the rule, see Places.h
    int64_t extent;                 // of the indexed axis
  };
  struct RealOperand {
    int64_t operand;  // its place among the kernel's operands
    std::string type; // of the table of element types
    int64_t elements;
  };
  std::string name, symbol;
  std::vector<std::string> where; // places of its main equation
  int64_t chunks = 1, flops = 0, bytes = 0, ns = 0;
  std::vector<Gather> gathers;
  std::vector<RealOperand> inputs, results;
  bool infinite = false;                // a rule of it says `inf`, so a result may be
  std::optional<module::LoopInfo> loop; // it has no code, but calls others
};

/// How kernels are written, besides what each says itself. Bits of results do not depend on it.
struct CodeOptions {
  int64_t vectorBits = 512; // of the registers that tiles of contractions are made for: 256 or 512
  bool amx = false;         // whether products of bf16 may use the matrix unit
  bool emulatesAmx = false; // whose tiles are vectors then, for tests of the code around them
};

/// Writes kernels but for loops as functions `<symbol>` of loops (see the pass convert-kernels-to-loops) into a new module, and fills
/// in the records of all, in order; symbols are `plc_kernel_<index>`. Fails with diagnostics on what is
/// refused: a row too long for the stack, a kernel that its implementation cannot compute.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> writeKernels(const KernelSet &kernels, const CodeOptions &options,
                                                                std::vector<KernelRecord> &records);

/// Lowers such a module to the LLVM dialect in place and adds, for each record, the exported entry with the ABI of
/// plc/Runtime/KernelABI.h under the record's symbol.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module, llvm::ArrayRef<KernelRecord> records);

} // namespace plc::codegen

#endif
