//===- CompileUpdate.h - an optimizer's rules as kernels --------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_COMPILEUPDATE_H
#define PLC_LIB_DRIVER_COMPILEUPDATE_H

#include "plc/Codegen/WriteModule.h"
#include "plc/Language/Files/Optimizers.h"
#include "plc/Strategy/Strategy.h"

#include <optional>
#include <set>

namespace plc::driver {

/// The rules of a strategy's optimizers on their way to kernels. They are small programs of their own, which the
/// strategy neither cuts nor schedules: each is planned for one rank.
class UpdateCompiler {
public:
  UpdateCompiler(const strategy::Strategy &strategy, mlir::MLIRContext &context);

  /// The rules of a form for parameters of a shape, up to a phase, all if it is empty; once for each. False after an
  /// error, which is printed.
  bool lower(size_t form, llvm::ArrayRef<int64_t> shape, llvm::StringRef last);
  /// Notes what the parameters of models keep and need for an update; for the latter the rules on whole tensors are
  /// lowered. False after an error.
  bool prepare(llvm::ArrayRef<mlir::ModuleOp> models, llvm::SourceMgr &sources);
  /// All programs as text; of each form the scalars first, if there are any.
  void print(llvm::raw_ostream &stream) const;
  /// The calls and the modules of their kernels, after all phases. False after an error.
  bool addTo(codegen::ModuleRequest &request);

  int exitCode() const { return code; }
  const module::OptimizerSettings &optimizer() const { return settings; }

private:
  using OwningModule = mlir::OwningOpRef<mlir::ModuleOp>;
  /// The rules of a form, as far as parameters need them.
  struct Form {
    language::OptimizerRules *rules = nullptr;
    size_t number = 0; // among the forms of its optimizer
    OwningModule scalars{};
    std::vector<std::pair<std::vector<int64_t>, OwningModule>> tensors{}; // by shape, which is empty for all
  };
  bool lowerOne(Form &form, OwningModule &module, ElementType real, llvm::StringRef last);
  ElementType real() const;
  /// The calls of lowered rules. Nullopt after an error.
  std::optional<module::UpdateProgram> programOf(Form &form, mlir::ModuleOp lowered);
  /// Bytes that the update of a parameter needs beside the tensors that it keeps, by rules on whole tensors.
  int64_t workspaceOf(size_t form, llvm::ArrayRef<int64_t> shape, bool inShards);

  const strategy::Strategy &strategy;
  mlir::MLIRContext &context;
  const module::OptimizerSettings settings;
  std::vector<std::unique_ptr<language::OptimizerRules>> rules; // of each optimizer
  std::vector<Form> forms;                                      // as those of `settings`
  std::set<size_t> needed;                                      // forms that work element by element
  int code = 0;
};

} // namespace plc::driver

#endif
