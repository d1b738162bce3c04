//===- CompileUpdate.h - an optimizer's rules as kernels --------*- C++ -*-===//
#ifndef PLC_LIB_DRIVER_COMPILEUPDATE_H
#define PLC_LIB_DRIVER_COMPILEUPDATE_H

#include "plc/Codegen/WriteModule.h"
#include "plc/Language/Files/Optimizers.h"
#include "plc/Strategy/Strategy.h"

#include <optional>

namespace plc::driver {

/// The rules of a strategy's optimizer on their way to kernels. They are small programs of their own, which the
/// strategy neither cuts nor schedules: each is planned for one rank.
class UpdateCompiler {
public:
  UpdateCompiler(const strategy::Strategy &strategy, mlir::MLIRContext &context);

  /// The rules up to a phase, all if it is empty. False after an error, which is printed.
  bool lower(llvm::StringRef last);
  /// Both programs as text: first the scalars, if there are any.
  void print(llvm::raw_ostream &stream) const;
  /// The calls and the modules of their kernels, after all phases. False after an error.
  bool addTo(codegen::ModuleRequest &request);

  int exitCode() const { return code; }

private:
  bool lowerOne(mlir::OwningOpRef<mlir::ModuleOp> &module, ElementType real, llvm::StringRef last);

  const strategy::Strategy &strategy;
  mlir::MLIRContext &context;
  std::unique_ptr<language::OptimizerRules> rules;
  language::OptimizerPrograms programs;
  int code = 0;
};

} // namespace plc::driver

#endif
