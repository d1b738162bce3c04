//===- Elaborator.h - from syntax to a program of equations -----*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATOR_H
#define PLC_LIB_LANGUAGE_ELABORATOR_H

#include "Scope.h"
#include "plc/Language/Diagnostics.h"
#include <map>

namespace plc::language {

/// The files of a program: the user's, then those that it uses.
struct Library {
  const File *main = nullptr;
  llvm::StringMap<const Function *> functions;
  /// Functions of the standard library that no `use` brings in, for the message.
  llvm::StringMap<const Function *> unused;
  llvm::DenseMap<const Function *, const Sizes *> sizes; // dims of the function's file
};

/// A call of an fn or layer with its arguments evaluated.
struct Call {
  const Function &callee;
  const Expr &expr;
  Scope &caller;
  Body &body;
  std::vector<Binding> arguments;
  /// The axes of `...`, if the caller knows them already (calls with brackets).
  std::optional<llvm::SmallVector<Axis, 4>> ellipsis;
  StringRef prefix; // `in NAME`
};

/// Elaborates bodies: inlines fns, makes an instance of each layer for each set of sizes, unrolls `repeat`.
class Elaborator {
public:
  Elaborator(const Library &library, Program &program, Diagnostics &diagnostics)
      : diagnostics(diagnostics), library(library), program(program) {}

  void elaborateModel(const Function &model);
  /// Checks a layer that no model calls, if its header tells all sizes.
  void checkUncalled(const Function &layer);

  /// The results of a call; none after an error.
  std::optional<std::vector<Binding>> call(const Call &call);
  /// The function that a call names; null after an error.
  const Function *find(const Expr &call);
  /// Whether a value may be added: it is not too large, the program not too long. Reports.
  bool checkStep(const Value &value);

  Diagnostics &diagnostics;
  const Library &library;

private:
  // Headers.cpp
  bool bindArguments(const Call &call, Scope &scope);
  bool bindTensor(const Call &call, Scope &scope, const Declarator &formal, const Binding &actual, SMLoc place);
  bool bindAxis(const Call &call, Scope &scope, const Declarator &formal, const IndexEntry &entry, Axis actual,
                unsigned position, SMLoc place);
  bool bindGiven(const Call &call, Scope &scope);
  bool bindGivenValue(const NamedExpr &formal, const NamedExpr *actual, const Call &call, Scope &scope);
  std::optional<std::vector<Binding>> takeResults(const Function &function, Scope &scope, Body &body);
  bool checkResult(const Declarator &result, const Binding &binding, Scope &scope, const Value &value);
  std::optional<llvm::SmallVector<Axis, 4>> headerAxes(const Declarator &declarator, Scope &scope);

  // Bodies.cpp
  std::optional<std::vector<Binding>> inlineFn(const Call &call, Scope &scope);
  std::optional<std::vector<Binding>> callLayer(const Call &call, Scope &scope);
  std::unique_ptr<Instance> instantiate(const Function &layer, Scope &scope, llvm::ArrayRef<Value> arguments);
  void elaborateBody(const std::vector<Statement *> &statements, Scope &scope, Body &body);
  void elaborateParams(const Statement &statement, Scope &scope, Body &body);
  void elaborateShare(const Statement &statement, Scope &scope, Body &body);
  void elaborateRepeat(const Statement &statement, Scope &scope, Body &body);
  std::optional<Initialiser> initialiserOf(const Statement &statement, const ParamName &param, Scope &scope);
  void addParameters(const Call &call, const Instance &instance, Step &step);
  ValueId materialise(Body &body, const Binding &binding, StringRef name);
  void markBatch(const Function &model, Scope &scope);
  bool enter(const Call &call);
  bool define(Scope &scope, Body &body, StringRef name, SMLoc place, const Binding &binding);

  Program &program;
  std::map<std::string, Instance *> instances;
  std::map<std::string, size_t> parameterByPath;
  std::map<std::string, SMLoc> calls; // by path
  bool calledByModel = true;
  std::vector<const Function *> active; // fns and layers being elaborated
  /// Limits on what a short file may ask for.
  static constexpr size_t stepLimit = 1 << 18, callDepthLimit = 64;
  size_t steps = 0;
  friend class RuleBuilder;
};

} // namespace plc::language

#endif
