//===- InterpretedRules.h - an optimizer's rules, interpreted ---*- C++ -*-===//
#ifndef PLC_TOOLS_INTERPRET_INTERPRETEDRULES_H
#define PLC_TOOLS_INTERPRET_INTERPRETEDRULES_H

#include "Settings.h"

#include "plc/Language/Files/Optimizers.h"
#include "plc/Reference/Interpreter.h"
#include "plc/Runtime/Base/Optimizer.h"

#include "mlir/IR/MLIRContext.h"

#include <list>

namespace plc::interpret {

/// Runs the rules of optimizers by the interpreter, on the programs that the compiler makes kernels of.
class InterpretedRules : public runtime::UpdateRunner {
public:
  /// Throws `runtime::Error` with an empty text after an error in the rules, which is printed.
  explicit InterpretedRules(const Settings &settings);

  /// The rules of a form, with a program for a shape. They live as long as this.
  const runtime::UpdateRules &rules(size_t form, const std::vector<int64_t> &shape);
  void run(const runtime::UpdateProgram &program, void *const *ports, int64_t count,
           runtime::UpdateWorkspace &workspace) const override;

private:
  /// The rules of a form for some shape. An address of a program in `described` is its name.
  struct Opened {
    size_t form;
    language::OptimizerPrograms programs;
    runtime::UpdateRules described;
    std::unique_ptr<reference::Interpreter> scalars, tensors;
  };
  /// Lowers a module of the rules, and describes its ports.
  std::unique_ptr<reference::Interpreter> open(language::OptimizerRules &rules, mlir::ModuleOp module,
                                               Precision precision, runtime::UpdateProgram &ports);

  const Settings &settings;
  mlir::MLIRContext context;
  std::vector<std::unique_ptr<language::OptimizerRules>> sources;
  std::vector<std::pair<language::OptimizerRules *, size_t>> forms; // as those of the settings: where they stand
  std::list<Opened> opened;
};

} // namespace plc::interpret

#endif
