//===- Elaborator.h - from syntax to equations ------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_ELABORATOR_H
#define PLC_LIB_LANGUAGE_ELABORATE_ELABORATOR_H

#include "Library.h"
#include "Scope.h"
#include "plc/Support/Diagnostics.h"
#include <map>

namespace plc::language {

/// A call of an fn or layer, with its arguments evaluated.
struct Call {
  const Function &callee;
  const Expr &expr;
  Scope &caller;
  Body &body;
  std::vector<Binding> arguments;
  /// The axes that `...` stands for. A call with brackets knows them before the callee's body is elaborated.
  std::optional<llvm::SmallVector<Axis, 4>> ellipsis;
  const Namespace *space = nullptr; // `in NAME`
  std::optional<View> guard = {};   // see `Scope`
};

/// The `pop` statements of a layer, in the order of the text (Skips.cpp).
std::vector<const Statement *> popsOf(const Function &layer);

/// Elaborates bodies. It inlines fns, makes an instance of each layer for each set of sizes, and unrolls `repeat`
/// unless its iterations are alike (`RollIterations.h`). Errors are in `diagnostics`; a value with an error is bound as
/// broken, so that its uses are not reported again. Methods are grouped by the file that defines them.
class Elaborator {
public:
  Elaborator(const Library &library, Program &program, Diagnostics &diagnostics)
      : diagnostics(diagnostics), library(library), program(program) {}

  // ElaborateModels.cpp
  /// Elaborates a model into `program`.
  void elaborateModel(const Function &model);
  /// Checks a layer that no model calls, if its header states all sizes.
  void checkUncalled(const Function &layer);
  /// Records the type of a name for editors, if `Library::facts` is set.
  void tell(SMLoc location, const Body &body, const Binding &binding) const;

  // ElaborateBodies.cpp
  /// The results of a call. Nullopt after an error.
  std::optional<std::vector<Binding>> call(const Call &call);
  /// Whether a value may be added. Reports an error if it is too large, or the program too long.
  bool checkStep(const Value &value);
  /// Counts an equation, a call or an iteration. False, after an error, if the program has too many of them.
  bool countStep(SMLoc location);

  // Headers.cpp
  /// The function that a call in the body of `caller` names. Null after an error.
  const Function *find(const Expr &call, const Function &caller);

  // Skips.cpp
  /// Records the skips that a call of a layer stashes and pops. A call with other errors is recorded too, so that its
  /// skips are not reported as missing.
  void enterSkips(const Function &layer, SMLoc call, const Namespace *space, const Scope &caller);
  /// Records a call whose skips are not known. From then on no skip is reported as missing, because this call may have
  /// it.
  void enterUnknownSkips() { skipsUnknown = true; }
  /// Reports errors about skips that can be seen in the layer alone, without a call.
  void checkLayerSkips(const Function &layer);

  Diagnostics &diagnostics;
  const Library &library;

private:
  // Headers.cpp
  /// Binds a call's arguments to the names, sizes and axes of the callee's header. False after an error.
  bool bindArguments(const Call &call, Scope &scope);
  bool bindTensor(const Call &call, Scope &scope, const Declarator &formal, const Binding &actual, SMLoc location,
                  StringRef noun = "argument");
  bool bindAxis(const Call &call, Scope &scope, const Declarator &formal, const IndexEntry &entry, Axis actual,
                unsigned position, SMLoc location, StringRef noun);
  bool bindGiven(const Call &call, Scope &scope);
  bool bindGivenValue(const NamedExpr &formal, const NamedExpr *actual, const Call &call, Scope &scope);
  /// The values that a body's results have, checked against its header. Nullopt after an error.
  std::optional<std::vector<Binding>> takeResults(const Function &function, Scope &scope, Body &body);
  std::optional<llvm::SmallVector<Axis, 4>> headerAxes(const Declarator &declarator, Scope &scope);

  // Extents.cpp
  bool checkResult(const Declarator &result, const Binding &binding, Scope &scope, const Body &body);
  bool conforms(const Declarator &said, llvm::ArrayRef<Axis> axes, const Binding &binding, const Body &body,
                StringRef noun = "");
  void elaborateExtents(const Statement &statement, Scope &scope, Body &body);
  void endExtents(const Statement &statement, Scope &scope, Body &body);
  bool checkDeclared(StringRef name, Binding &binding, Scope &scope, Body &body);

  // NarrowTypes.cpp
  /// The tensor rounded to a storage type; itself if it has that type.
  Binding roundTo(Element element, const Binding &binding, StringRef name, const Scope &scope, Body &body);
  /// Rounds a name after a further clause, if a declaration states a storage type.
  void roundDeclared(StringRef name, Scope &scope, Body &body);

  // ElaborateBodies.cpp
  std::optional<std::vector<Binding>> inlineBody(const Call &call, Scope &scope);
  /// Binds a name to a value. False, after an error, if the name is taken.
  bool define(Scope &scope, Body &body, StringRef name, SMLoc location, Binding binding);
  bool refuseInside(const Statement &statement, StringRef what, Scope &scope, Body &body);
  std::unique_ptr<Instance> instantiate(const Function &layer, Scope &scope, llvm::ArrayRef<Value> arguments);
  void nameRules(const Scope &scope, Body &body);
  void elaborateBody(const std::vector<Statement *> &statements, Scope &scope, Body &body);
  bool checkParameter(const ParamName &param, const Initializer &initializer);
  void elaborateParams(const Statement &statement, Scope &scope, Body &body);
  void elaborateShare(const Statement &statement, Scope &scope, Body &body);
  std::optional<Initializer> initializerOf(const Statement &statement, const ParamName &param, Scope &scope);
  ValueId materialise(Body &body, const Binding &binding, StringRef name, Element element = Element::Real);
  bool enter(const Call &call);

  // Guards.cpp
  bool readsAtPositions(const Function &callee);

  // ElaborateModels.cpp
  std::optional<std::vector<Binding>> callLayer(const Call &call, Scope &scope);
  Instance &instanceFor(const Call &call, Scope &scope, llvm::ArrayRef<Value> types, const std::string &space);
  void enterPath(const Call &call, std::string &path);
  bool checkIteration(const Statement &repeat, Scope &scope);
  std::optional<std::string> namespaceOf(const Namespace *space, const Scope &scope);
  void elaborateRepeat(const Statement &statement, Scope &scope, Body &body);
  bool elaborateIteration(const Statement &repeat, int64_t iteration, int64_t count, Scope &scope, Body &body);
  void checkNext(const Call &call, const Instance &instance, const std::string &path);
  void addParameters(const Call &call, const Instance &instance, Step &step);
  void markBatch(const Function &model, Scope &scope);

  // States.cpp
  /// The axis of a header or state whose size is the batch's, by its name; -1 if there is none.
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
  /// A value that a call has stashed.
  struct Skip {
    Binding value;
    SMLoc call;
    const Statement *statement = nullptr;
    bool popped = false;
  };
  /// A pop whose stash was not known when it was called.
  struct EarlyPop {
    SkipKey key;
    SMLoc call;
    const Statement *statement;
  };
  void elaborateStash(const Statement &statement, Scope &scope, Body &body);
  void elaboratePop(const Statement &statement, Scope &scope, Body &body);
  void addStashes(Instance &instance);
  static SkipKey within(const Namespace *space, const std::string &name, SkipKey key);
  static SkipKey keyIn(const Scope &scope, StringRef skip);
  static std::string describe(const SkipKey &key);
  Diagnostic &skipError(SMLoc location, const llvm::Twine &text);
  void enterStash(const SkipKey &key, const Statement &stash, SMLoc call, bool popped);
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
  // By types of arguments; several differ in the types that nested layers pop.
  std::map<std::string, std::vector<Instance *>> instances;
  std::map<std::string, size_t> parameterByPath;
  /// The model's call whose body is being elaborated.
  struct Outside {
    const Call &call;
    const std::string &space;
  };
  const Outside *outside = nullptr;
  unsigned callsBegun = 0; // calls of layers by layers that have not ended without an error
  bool calledByModel = true;
  std::vector<const Function *> active; // fns and layers being elaborated
  llvm::DenseMap<const Function *, bool> readsComputedPositions;
  /// A short file can ask for a huge program, by nested repeats for example; these limits refuse it early. Not tuned:
  /// far more equations, iterations and nested calls than a model needs.
  static constexpr size_t stepLimit = 1 << 18, callDepthLimit = 64;
  size_t steps = 0;
  int64_t iterationsBegun = 0;
  friend class RuleBuilder;
  friend class IterationRoller;
};

} // namespace plc::language

#endif
