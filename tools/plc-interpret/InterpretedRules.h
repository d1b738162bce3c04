//===- InterpretedRules.h - an optimizer's rules, interpreted ---*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_INTERPRETEDRULES_H
#define PLC_TOOLS_INTERPRET_INTERPRETEDRULES_H

#include "Settings.h"

#include "plc/Language/Files/Optimizers.h"
#include "plc/Reference/Interpreter.h"
#include "plc/Runtime/Base/Optimizer.h"

#include "mlir/IR/MLIRContext.h"

namespace plc::interpret {

/// Runs the rules of an optimizer by the interpreter, on the programs that the compiler makes kernels of.
class InterpretedRules : public runtime::UpdateRunner {
public:
  /// Throws `runtime::Error` with an empty text after an error in the rules, which is printed.
  explicit InterpretedRules(const Settings &settings);

  const runtime::UpdateRules &rules() const { return described; }
  void run(const runtime::UpdateProgram &program, void *const *ports, int64_t count,
           runtime::UpdateWorkspace &workspace) const override;

private:
  /// Lowers a module of the rules, and describes its ports.
  std::unique_ptr<reference::Interpreter> open(mlir::ModuleOp module, Precision precision, const Settings &settings,
                                               runtime::UpdateProgram &ports);

  mlir::MLIRContext context;
  std::unique_ptr<language::OptimizerRules> source;
  language::OptimizerPrograms programs;
  runtime::UpdateRules described;
  std::unique_ptr<reference::Interpreter> scalars, elements;
};

} // namespace plc::interpret

#endif
