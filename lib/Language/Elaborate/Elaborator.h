//===- Elaborator.h - from syntax to a program of equations -----*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_ELABORATOR_H
#define PLC_LIB_LANGUAGE_ELABORATE_ELABORATOR_H

#include "Library.h"
#include "Scope.h"
#include "plc/Support/Diagnostics.h"
#include <map>

namespace plc::language {

/// A call of an fn or layer with its arguments evaluated.
struct Call {
  const Function &callee;
  const Expr &expr;
  Scope &caller;
  Body &body;
  std::vector<Binding> arguments;
  /// The axes that `...` stands for. A call with brackets knows them before the callee's body is elaborated.
  std::optional<llvm::SmallVector<Axis, 4>> ellipsis;
  const Namespace *space = nullptr; // `in NAME`
};

std::vector<const Statement *> popsOf(const Function &layer);

/// Elaborates bodies: inlines fns, makes an instance of each layer for each set of sizes, unrolls `repeat` unless its
/// turns are alike (RollTurns.h).
class Elaborator {
public:
  Elaborator(const Library &library, Program &program, Diagnostics &diagnostics)
      : diagnostics(diagnostics), library(library), program(program) {}

  void elaborateModel(const Function &model);
  /// Checks a layer that no model calls, if its header tells all sizes.
  void checkUncalled(const Function &layer);

  /// The results of a call; none after an error.
  std::optional<std::vector<Binding>> call(const Call &call);
  /// The function that a call in the body of `caller` names; null after an error.
  const Function *find(const Expr &call, const Function &caller);
  /// Whether a value may be added. Reports an error if it is too large, or the program too long.
  bool checkStep(const Value &value);
  /// Counts an equation, a call or a turn. Returns false, after an error, if the program has too many of them.
  bool countStep(SMLoc place);
  /// Records the skips that a call of a layer stashes and pops. A call with other errors is recorded too, so that its
  /// skips are not reported as missing.
  void enterSkips(const Function &layer, SMLoc call, const Namespace *space, const Scope &caller);
  /// Records a call whose skips are not known. From then on no skip is reported as missing, because this call may have
  /// it.
  void enterUnknownSkips() { skipsUnknown = true; }
  /// Reports errors about skips that can be seen in the layer alone, without a call.
  void checkLayerSkips(const Function &layer);

  /// Tells whoever asked what a name stands for.
  void tell(SMLoc place, const Body &body, const Binding &binding) const;

  Diagnostics &diagnostics;
  const Library &library;

private:
  // Headers.cpp
  bool bindArguments(const Call &call, Scope &scope);
  bool bindTensor(const Call &call, Scope &scope, const Declarator &formal, const Binding &actual, SMLoc place,
                  StringRef noun = "argument");
  bool bindAxis(const Call &call, Scope &scope, const Declarator &formal, const IndexEntry &entry, Axis actual,
                unsigned position, SMLoc place, StringRef noun);
  bool bindGiven(const Call &call, Scope &scope);
  bool bindGivenValue(const NamedExpr &formal, const NamedExpr *actual, const Call &call, Scope &scope);
  std::optional<std::vector<Binding>> takeResults(const Function &function, Scope &scope, Body &body);
  bool checkResult(const Declarator &result, const Binding &binding, Scope &scope, const Body &body);
  bool conforms(const Declarator &said, llvm::ArrayRef<Axis> axes, const Binding &binding, const Body &body,
                StringRef noun = "");
  std::optional<llvm::SmallVector<Axis, 4>> headerAxes(const Declarator &declarator, Scope &scope);

  // Extents.cpp
  void elaborateExtents(const Statement &statement, Scope &scope, Body &body);
  void endExtents(const Statement &statement, Scope &scope, Body &body);
  bool checkDeclared(StringRef name, Binding &binding, Scope &scope, Body &body);

  // NarrowTypes.cpp
  /// The tensor rounded to a narrow type, unless it is of that.
  Binding roundTo(Element element, const Binding &binding, StringRef name, const Scope &scope, Body &body);
  /// Rounds a name behind a further clause, as a line says its type.
  void roundDeclared(StringRef name, Scope &scope, Body &body);

  // Bodies.cpp
  std::optional<std::vector<Binding>> inlineBody(const Call &call, Scope &scope);
  bool refuseInside(const Statement &statement, StringRef what, Scope &scope, Body &body);
  std::optional<std::vector<Binding>> callLayer(const Call &call, Scope &scope);
  Instance &instanceFor(const Call &call, Scope &scope, llvm::ArrayRef<Value> types, const std::string &space);
  void enterPath(const Call &call, std::string &path);
  std::unique_ptr<Instance> instantiate(const Function &layer, Scope &scope, llvm::ArrayRef<Value> arguments);
  void nameRules(const Scope &scope, Body &body);
  void elaborateBody(const std::vector<Statement *> &statements, Scope &scope, Body &body);
  bool checkParameter(const ParamName &param, const Initialiser &initialiser);
  void elaborateParams(const Statement &statement, Scope &scope, Body &body);
  void elaborateShare(const Statement &statement, Scope &scope, Body &body);
  bool checkTurn(const Statement &repeat, Scope &scope);
  std::optional<std::string> namespaceOf(const Namespace *space, const Scope &scope);
  void elaborateRepeat(const Statement &statement, Scope &scope, Body &body);
  bool elaborateTurn(const Statement &repeat, int64_t turn, int64_t count, Scope &scope, Body &body);
  std::optional<Initialiser> initialiserOf(const Statement &statement, const ParamName &param, Scope &scope);
  void addParameters(const Call &call, const Instance &instance, Step &step);
  ValueId materialise(Body &body, const Binding &binding, StringRef name, Element element = Element::Real);
  void markBatch(const Function &model, Scope &scope);
  bool enter(const Call &call);
  bool define(Scope &scope, Body &body, StringRef name, SMLoc place, Binding binding);

  // States.cpp
  /// The axis of a header or state that is the batch, by its name; -1: none.
  int64_t batchAxis(const Declarator &declarator) const;
  void elaborateStates(const Statement &statement, Scope &scope, Body &body);
  void elaborateNext(const Statement &statement, Scope &scope, Body &body);
  void takeNextValues(Scope &scope, Body &body);
  static void addStates(Instance &instance);
  void passStates(const Call &call, const Instance &instance, Step &step);
  void takeStates(const Instance &instance, llvm::ArrayRef<Binding> results);
  void finishStates(const Function &model);

  // NestedLayers.cpp
  std::optional<std::vector<Binding>> inlineLayer(const Call &call, Scope &scope, const std::string &space,
                                                  const std::string &path);
  Binding popNested(const Call &call, Scope &scope, const Statement &pop);
  Binding importSkip(const Call &call, Scope &scope, const Statement &pop, const SkipKey &key);
  bool importsFit(const Instance &instance, const Call &call, const std::string &space) const;
  void takeImports(const Call &call, const Instance &instance, const std::string &space, Step &step);
  void enterNestedPaths(const Call &call, const Instance &instance, const std::string &path);
  std::vector<const Function *> layersOf(const Function &layer) const;

  // Skips.cpp
  struct Skip {
    Binding value;
    SMLoc call;
    const Statement *statement = nullptr;
    bool popped = false;
  };
  struct EarlyPop {
    SkipKey key;
    SMLoc call;
    const Statement *statement;
  };
  static SkipKey within(const Namespace *space, const std::string &name, SkipKey key);
  static SkipKey keyIn(const Scope &scope, StringRef skip);
  void enterStash(const SkipKey &key, const Statement &stash, SMLoc call, bool popped);
  static std::string describe(const SkipKey &key);
  Diagnostic &skipError(SMLoc place, const llvm::Twine &text);
  void elaborateStash(const Statement &statement, Scope &scope, Body &body);
  void elaboratePop(const Statement &statement, Scope &scope, Body &body);
  void addStashes(Instance &instance);
  bool bindPops(const Call &call, Scope &scope, const std::string &space, Step &step, std::vector<Value> &types);
  static bool sizesKnown(const Declarator &declarator, const Scope &scope);
  void takeStashes(const Call &call, const Instance &instance, const std::string &space, const Step &step,
                   llvm::ArrayRef<Binding> results);
  void checkSkips(const Function &model);

  Program &program;
  std::map<SkipKey, Skip> skips;
  std::vector<EarlyPop> earlyPops;
  std::vector<Diagnostic> skipErrors;
  bool skipsUnknown = false;
  std::map<std::string, std::vector<Instance *>> instances; // by types; several differ in what nested layers pop
  std::map<std::string, size_t> parameterByPath;
  /// The model's call whose body is elaborated.
  struct Outside {
    const Call &call;
    const std::string &space;
  };
  const Outside *outside = nullptr;
  unsigned callsBegun = 0; // calls of layers by layers that have begun and have not ended without an error
  bool calledByModel = true;
  std::vector<const Function *> active; // fns and layers being elaborated
  /// A short file can ask for a huge program, by nested repeats for example; these limits refuse it early.
  static constexpr size_t stepLimit = 1 << 18, callDepthLimit = 64;
  size_t steps = 0;
  int64_t turnsBegun = 0;
  friend class RuleBuilder;
  friend class TurnRoller;
};

} // namespace plc::language

#endif
