//===- WriteModule.h - writes a compiled module -----------------*- C++ -*-===//
#ifndef PLC_CODEGEN_WRITEMODULE_H
#define PLC_CODEGEN_WRITEMODULE_H

#include "plc/Codegen/Kernels.h"
#include "plc/Module/Manifest.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace plc::codegen {

/// One way to run the model ("train", "eval", "infer", "infer.logits"): its action table, and the planned module whose
/// kernels its calls refer to. The writer fills in the numbers of their code.
struct ModuleEntry {
  module::EntryPlan table;
  mlir::ModuleOp module;
};

/// Lowered rules of a form of an optimizer, with the kernels that its `module::UpdateRules` calls, by their numbers
/// here.
struct UpdateModules {
  mlir::ModuleOp scalars; // may be null
  std::vector<mlir::ModuleOp> tensors;
};

/// What a `.plcm` contains beside its kernels and plans.
struct ModuleRequest {
  std::vector<ModuleEntry> entries;   // in the order of the manifest; names of the first one's kernels win
  std::vector<UpdateModules> updates; // by form, as `manifest.updates`
  module::Manifest manifest;          // the writer adds parameters, kernels, entries and bytes of code
  std::vector<std::string> features;  // see featuresOf
  std::string objectFolder;           // folder of the ObjectCache; empty: none
};

/// The manifest and the code of all entries. Equal kernels of several entries are one.
class ModuleWriter {
public:
  explicit ModuleWriter(const ModuleRequest &request) : request(request) {}

  /// Writes the kernels as loops and builds the manifest. Call it before the others. Diagnostics go to the modules'
  /// context.
  mlir::LogicalResult compile();
  /// LLVM IR after optimisation, as text.
  mlir::LogicalResult printLLVM(llvm::raw_ostream &stream);
  /// Object code of the kernels alone.
  mlir::LogicalResult writeObject(llvm::raw_ostream &stream);
  /// The shared object with kernels and manifest.
  mlir::LogicalResult writeShared(llvm::StringRef path);

private:
  /// Adds the kernels of the optimizer's rules, and lets their calls count the module's.
  void addUpdates(KernelSet &kernels);
  std::unique_ptr<llvm::Module> lower(llvm::LLVMContext &context);
  mlir::LogicalResult emitCode(llvm::SmallVectorImpl<char> &object, int64_t &codeBytes);

  const ModuleRequest &request;
  mlir::OwningOpRef<mlir::ModuleOp> code; // functions of loops, until it is lowered
  std::vector<KernelRecord> records;
  module::Manifest manifest;
};

} // namespace plc::codegen

#endif
