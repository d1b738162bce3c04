//===- Module.h - write a compiled module -----------------------*- C++ -*-===//
#ifndef PLC_CODEGEN_MODULE_H
#define PLC_CODEGEN_MODULE_H

#include "plc/Codegen/Kernels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace plc::codegen {

/// One way to run the model ("train", "eval", "infer", "infer.logits"): its module after planning.
struct ModuleEntry {
  std::string name;
  mlir::ModuleOp module;
};

/// A kernel's code, by position in the manifest's "kernels": for micro-batches with ceil(batch / micro-batches) samples
/// and for those with one less. The same if the cut is not ragged, or the kernel has no axis of the batch.
struct KernelVariants {
  int64_t full = 0, shorter = 0;
};

/// What a `.plcm` says besides its kernels and plans.
struct ModuleRequest {
  std::vector<ModuleEntry> entries; // in the order of the manifest; the first names kernels
  std::string model, source, numericsKey, real;
  int64_t threadsPerStage = 1;
  bool profiling = false;
  std::vector<std::string> features; // see featuresOf
  Contractions contractions = Contractions::blis;
  llvm::json::Value optimizer = nullptr, plan = nullptr;
};

/// The manifest and the code of all entries. Equal kernels of several entries are one.
class ModuleWriter {
public:
  explicit ModuleWriter(const ModuleRequest &request) : request(request) {}

  /// Lowers the kernels and builds the manifest's parts. Diagnostics go to the modules' context.
  mlir::LogicalResult compile();
  /// LLVM IR after optimisation, as text.
  mlir::LogicalResult printLLVM(llvm::raw_ostream &stream);
  /// Object code of the kernels alone.
  mlir::LogicalResult writeObject(llvm::raw_ostream &stream);
  /// The shared object with kernels and manifest.
  mlir::LogicalResult writeShared(llvm::StringRef path);

private:
  mlir::LogicalResult emitCode(llvm::SmallVectorImpl<char> &object, int64_t &codeBytes);
  std::string manifestText(int64_t codeBytes);

  const ModuleRequest &request;
  mlir::OwningOpRef<mlir::ModuleOp> code; // in the LLVM dialect
  llvm::json::Array kernels;
  std::vector<llvm::StringMap<KernelVariants>> kernelIndex; // per entry, by kernel symbol
};

/// compile() and writeShared().
mlir::LogicalResult writeModule(const ModuleRequest &request, llvm::StringRef path);

} // namespace plc::codegen

#endif
