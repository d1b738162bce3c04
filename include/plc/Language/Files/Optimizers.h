//===- Optimizers.h - an optimizer's rules as programs ----------*- C++ -*-===//
#ifndef PLC_LANGUAGE_FILES_OPTIMIZERS_H
#define PLC_LANGUAGE_FILES_OPTIMIZERS_H

#include "plc/Module/OptimizerSettings.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace plc::language {

using module::OptimizerHeader;

/// The rules of a form of an optimizer as two models. Their arguments and results are named: the parameter, the
/// gradient and the states as the header names them, a scalar by its text.
struct OptimizerPrograms {
  /// From `rate`, `step`, settings and powers to the other scalars that tensors meet; null if there are none. In f64.
  mlir::OwningOpRef<mlir::ModuleOp> scalars;
  /// From the parameter, the gradient, states and scalars to the next values, on a parameter of one shape, or on
  /// `module::updateBlock` elements.
  mlir::OwningOpRef<mlir::ModuleOp> tensors;
};

/// The optimizers of std/optim.ein, in the order of the text.
const std::vector<OptimizerHeader> &standardOptimizers();

/// One optimizer of a file, in all of its forms.
class OptimizerRules {
public:
  /// Reads `name` in the file at `path`, or in std/optim.ein if that is empty. Null after an error: `error` then has
  /// what is wrong with the request, or is empty if errors in the file were printed to `errors`.
  static std::unique_ptr<OptimizerRules> read(llvm::StringRef path, llvm::StringRef name, std::string &error,
                                              llvm::raw_ostream &errors);
  ~OptimizerRules();

  const OptimizerHeader &header() const { return declared; }
  /// The programs of a form for parameters of a shape, which rules that work element by element do not use. Null
  /// `tensors` after an error, which is printed.
  OptimizerPrograms programs(size_t form, llvm::ArrayRef<int64_t> shape, mlir::MLIRContext &context,
                             llvm::raw_ostream &errors);
  /// The files of the rules, for errors of passes.
  llvm::SourceMgr &sources() { return *files; }

private:
  OptimizerRules();
  std::unique_ptr<llvm::SourceMgr> files;
  OptimizerHeader declared;
};

} // namespace plc::language

#endif
