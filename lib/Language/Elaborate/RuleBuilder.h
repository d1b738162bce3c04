//===- RuleBuilder.h - elaborates one rule ----------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_ELABORATE_RULEBUILDER_H
#define PLC_LIB_LANGUAGE_ELABORATE_RULEBUILDER_H

#include "Elaborator.h"
#include "Scope.h"
#include "SumRule.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace mlir::presburger {
class PresburgerRelation;
} // namespace mlir::presburger

namespace plc::language {

/// Elaborates one rule in three passes over its expressions. It finds indices and extents (Indices.cpp,
/// AffineIndices.cpp, ElaborateWindows.cpp, Guards.cpp), places sums (SumRule.cpp), and resolves expressions to nodes
/// (Resolve.cpp, Calls.cpp). Left sides have files of their own: ElaborateSlices.cpp, Scatters.cpp, Collect.cpp. All
/// uses of a name as an index of the rule are one index. Methods are grouped by the file that defines them.
class RuleBuilder : private IndexNames {
public:
  RuleBuilder(Elaborator &elaborator, Scope &scope, Body &body)
      : elaborator(elaborator), diagnostics(elaborator.diagnostics), scope(scope), body(body),
        indices(std::make_shared<std::vector<Index>>()) {}

  /// Elaborates a whole statement and binds its left sides.
  void build(const Statement &rule);
  /// The value with the blocks side by side along `axis`. Each block has `inner` positions of the axis; 0: it lacks the
  /// axis.
  Binding join(StringRef name, SMLoc location, llvm::ArrayRef<Binding> blocks, unsigned axis, int64_t inner);
  /// The first `extent` positions of an axis.
  Binding cut(StringRef name, SMLoc location, const Binding &value, unsigned axis, Axis extent);
  /// The value of an expression of whole tensors without indices, as an argument of a call.
  std::optional<Binding> buildArgument(const Expr &expr);

private:
  /// The surroundings of an expression in the rule.
  struct Context {
    const Expr *term = nullptr;               // the innermost chain around it
    bool inPosition = false;                  // in index brackets, where nothing is summed
    llvm::SmallVector<IndexId, 2> bound = {}; // by the reductions around it
    const Node *guard = nullptr;              // the conditions of the branches around it; null: none
    std::optional<IndexId> hidden = {};       // bound around it, but in the conditions another index of that name
  };

  /// A condition of an `if` around an expression, and whether it holds there.
  struct Branch {
    const Expr *condition;
    bool holds;
  };
  using Branches = llvm::SmallVector<Branch, 2>;

  /// `coefficient * index`. `written`: the text has a coefficient, be it 1.
  struct AffineTerm {
    StringRef name;
    SMLoc location;
    int64_t coefficient;
    bool written;
  };

  /// An affine index expression: indices that count an axis, slowest first. Without indices it is a constant position.
  /// The first index counts `inner` elements at a time. On the right the indices move by `strides` from `start`, until
  /// `settlePositions` finds that they count the whole axis.
  struct Affine {
    llvm::SmallVector<IndexId, 1> indices;
    llvm::SmallVector<SMLoc, 1> locations;
    int64_t inner = 1;
    std::optional<int64_t> constant = {};
    const Expr *expr = nullptr;         // none: a plain index
    std::optional<int64_t> offset = {}; // on a left side: it gives a slice of an axis from here
    llvm::SmallVector<int64_t, 1> strides = {};
    int64_t start = 0;
    std::vector<AffineTerm> terms = {};
    bool guarded = false; // it is inside only where the conditions around it hold
    bool moves = false;   // with a loop, and conditions around it may exclude iterations
  };

  /// A position on the right that reads an axis of `tensor` with a known extent.
  struct Reading {
    Affine *affine;
    Axis axis;
    StringRef tensor;
    bool padded; // in `pad(..)`: it may fall outside
    Branches branches = {};
    bool settled = false;
  };

  // Rules.cpp
  std::optional<std::vector<Binding>> buildCall(const Statement &rule);
  std::optional<Binding> buildEquation(StringRef name, SMLoc location, const Declarator *left, const Expr &expr);
  void buildClause(const Statement &rule);
  bool joinEarlier(const Declarator &clause);
  const Node *addEarlier(const Node *node, SMLoc location);
  bool isEmptySum() const { return joiner == "add" && earlier->isEmptySum(); }
  void noteIndices(const Expr &expr) const;
  bool declareLeft(const Declarator &left);
  bool finishLeft(StringRef name);
  bool takeDeclaredExtents(StringRef name);
  void shapeBareLeft();
  bool takesPart() const {
    return llvm::any_of(leftAxes, [](const Affine &axis) { return axis.offset.has_value(); });
  }

  // Rules.cpp
  std::optional<llvm::SmallVector<Axis, 4>> wholeAxes(StringRef name);
  Binding addEquation(StringRef name, SMLoc location, const Node *node, llvm::ArrayRef<IndexId> left,
                      llvm::ArrayRef<unsigned> parts, Element element);
  Element elementOf(const Node &node, StringRef name) const;

  // ElaborateSlices.cpp
  std::optional<Binding> addPart(StringRef name, SMLoc location, const Node *node);
  std::optional<Binding> addWholes(StringRef name, SMLoc location, const Binding &part);

  // Scatters.cpp
  /// An axis of a left side with computed positions.
  struct LeftAxis {
    std::optional<IndexId> index;
    const Expr *expr; // otherwise the position
    SMLoc location;
  };
  std::optional<bool> scatters(const Declarator &left, const Expr &right);
  bool checkTargets(llvm::ArrayRef<LeftAxis> targets, llvm::ArrayRef<Axis> axes, StringRef name);
  std::optional<std::vector<LeftAxis>> collectTargets(const Declarator &left);
  std::optional<llvm::SmallVector<Axis, 4>> axesOfTargets(StringRef name, SMLoc location,
                                                          llvm::ArrayRef<LeftAxis> targets);
  bool resolveTargets(llvm::ArrayRef<LeftAxis> targets, llvm::ArrayRef<Axis> axes, StringRef name,
                      std::vector<Step::Target> &resolved);
  std::optional<Binding> buildScatter(StringRef name, SMLoc location, const Declarator &left, const Expr &expr);

  // Collect.cpp
  std::optional<unsigned> iterationEntryOf(const Statement &rule) const;
  unsigned axisOfEntry(const Declarator &left, unsigned entry) const;
  void buildIteration(const Statement &rule, unsigned entry);
  Scope::Collected *collectedOf(const Declarator &left, unsigned entry);
  Axis collectedAxis(const Declarator &left, unsigned entry);
  void addSlice(const Declarator &left, const Expr &position, Scope::Collected &collected, const Binding &slice);
  void noteCollected(Diagnostic &error, StringRef name) const;
  IndexId addLeft(const llvm::Twine &name, Axis axis);

  // Indices.cpp
  IndexId indexNamed(StringRef name);
  IndexId ellipsisIndex(unsigned position);
  bool setExtent(IndexId id, Axis axis, SMLoc location, const llvm::Twine &owner);
  bool declareEntries(const std::vector<IndexEntry> &entries, llvm::SmallVectorImpl<IndexId> &ids,
                      llvm::SmallVectorImpl<Affine> *axes = nullptr);
  bool declareAffine(const IndexEntry &entry, llvm::SmallVectorImpl<IndexId> &ids, llvm::SmallVectorImpl<Affine> &axes);
  bool declareIndex(const IndexEntry &entry, SMLoc location, StringRef name, llvm::SmallVectorImpl<IndexId> &ids);
  bool collect(const Expr &expr);
  bool collectOnce(const Expr &right);
  bool collectRight(const Expr &right);
  bool collectAccess(const Expr &expr, bool padded = false);
  bool isSliceHere(const Expr &slice);
  bool collectCall(const Expr &expr);
  bool collectBare(const Expr &expr, const Binding &binding);
  bool isPlainIndex(const Expr &expr);
  bool checkClashes();
  bool stateExtent(IndexId id, const Expr &expr, const Sizes &sizes);
  bool stateSizedExtents();
  bool collectAll(const std::vector<const Expr *> &exprs);

  std::optional<IndexId> indexOf(StringRef name) const override;
  llvm::SmallVector<IndexId, 4> ellipsis() const override;
  bool keeps(const Expr &call, size_t position) const override;
  bool takesIndices(const Expr &call) const override;

  // Guards.cpp
  bool collectIf(const Expr &expr);
  bool addLinear(const Expr &expr, int64_t factor, llvm::MutableArrayRef<int64_t> row) const;
  bool addLinearProduct(const Expr &expr, int64_t factor, llvm::MutableArrayRef<int64_t> row) const;
  mlir::presburger::PresburgerRelation factsOf(const Expr &condition, bool holds) const;
  mlir::presburger::PresburgerRelation comparisonFacts(const Expr &compare, bool holds) const;
  std::pair<bool, bool> excludes(const Reading &reading) const;
  void noteMissing(Diagnostic &error, const Reading &reading) const;
  Context outermost();
  Context within(const Context &outer, const Node *test, bool holds);
  static Context hiding(const Context &outer, llvm::ArrayRef<IndexId> ids);
  bool refuseHidden(SMLoc location, const Context &context);
  const Node *guardOver(const Node *guard, llvm::ArrayRef<IndexId> dims);
  bool guardPositions(llvm::MutableArrayRef<Node::Position> entries, llvm::ArrayRef<Axis> axes, const Context &context);

  // AffineIndices.cpp
  void markParts(const Declarator &left);
  bool addTerms(const Expr &expr, int64_t factor, bool written, std::vector<AffineTerm> &terms, int64_t &constant);
  bool addProduct(const Expr &expr, int64_t factor, std::vector<AffineTerm> &terms, int64_t &constant);
  std::optional<Affine> affineOf(const Expr &expr);
  std::optional<Affine> partOf(const Expr &expr);
  static void sortTerms(std::vector<AffineTerm> &terms);
  static bool divides(const AffineTerm &slow, const AffineTerm &fast);
  bool countsOnce(const Affine &affine) const;
  bool setParts(Affine &affine);
  bool isPartOrSplit(const Affine &affine) const;
  bool setAxis(const Affine &affine, Axis axis, const llvm::Twine &owner);
  bool checkConstant(int64_t constant, const Expr &expr, const Axis &axis, StringRef tensor,
                     const Reading *reading = nullptr);
  bool refuseAffine(const Expr &expr, const llvm::Twine &why);

  // ElaborateWindows.cpp
  bool movesUnderGuard(const Expr &position, StringRef tensor) const;
  bool collectAffine(const Expr &expr, const Axis *axis, StringRef tensor, bool padded);
  bool collectPad(const Expr &call);
  bool settlePositions();
  bool isComplete(const Affine &affine) const;
  bool isSplit(const Reading &reading) const;
  bool deduceParts(Reading &reading);
  bool refuseOpen(const Reading &reading);
  bool checkInside(const Reading &reading, bool onLeft = false);
  const Node *resolvePad(const Expr &call, const Context &context);
  const Node *padGathers(const Node *read, const Node *outside);

  // Nodes.cpp
  const Node *wantNumber(const Node *node);
  const Node *wantReal(const Node *node, StringRef user);
  const Node *wantCondition(const Node *node);
  const Node *makeNumber(double value, SMLoc location);
  const Node *makeMap(StringRef function, SMLoc location, std::vector<const Node *> operands);
  const Node *makeRead(const View &view, llvm::ArrayRef<Node::Position> entries, SMLoc location);
  const Node *finish(Node node);
  void setDims(Node &node) const;
  std::optional<Element> unify(llvm::ArrayRef<const Node *> operands, SMLoc location);

  // Resolve.cpp
  const Node *resolve(const Expr &expr, const Context &context);
  const Node *resolveSum(const Expr &expr, const Context &context);
  const Node *resolveCompare(const Expr &expr, const Context &context);
  const Node *resolveLogic(const Expr &expr, const Context &context);
  const Node *resolveIf(const Expr &expr, const Context &context);
  const Node *resolveTerm(const Expr &expr, const Context &context);
  const Node *resolveFactor(const Expr &expr, const Context &context);
  const Node *resolveBits(const Expr &expr, const Context &context);
  const Node *resolveName(const Expr &expr, const Context &context);
  const Node *resolveAccess(const Expr &expr, const Context &context);
  const Node *resolveGathered(const Expr &expr, const Context &context);
  bool checkFactors(const Node &term);
  bool bindsDropped(const Context &context, const Node &dropped, const Node &kept) const;
  const Node *foldTerm(const Node &term, SMLoc location);
  std::string nearestName(StringRef name) const;

  // Calls.cpp
  const Node *resolveCall(const Expr &expr, const Context &context);
  const Node *resolveBuiltin(const Expr &expr, const Context &context, unsigned least, unsigned most);
  const Node *resolveReduction(const Expr &expr, const Context &context);
  std::optional<llvm::SmallVector<IndexId, 4>> boundBy(const Expr &expr);
  const Node *resolvePositions(const Expr &expr, const Context &context);
  const Node *resolveDraw(const Expr &expr);
  bool bindsUnder(const Expr &expr, IndexId id, const Node &operand);
  const Node *resolveConversion(const Expr &expr, const Context &context);
  const Node *resolveFn(const Expr &expr, const Function &callee, const Context &context);
  /// The indices that a call binds to the axes that a header names; several count one axis together.
  using BoundAxes = llvm::MapVector<StringRef, llvm::SmallVector<IndexId, 1>>;
  /// The indices of a tensor's axes, and how many of them, in order, count each axis.
  struct CallAxes {
    llvm::SmallVector<IndexId, 4> ids;
    llvm::SmallVector<unsigned, 4> parts;
    void add(llvm::ArrayRef<IndexId> axis) {
      ids.append(axis.begin(), axis.end());
      parts.push_back(axis.size());
    }
  };
  bool bindHeader(const Expr &expr, const Function &callee, BoundAxes &header);
  std::optional<Binding> argumentOf(const Node *node, const CallAxes &axes, const Declarator &formal, SMLoc location);
  bool passArguments(Call &call, llvm::ArrayRef<const Node *> nodes, llvm::ArrayRef<IndexId> rest,
                     const BoundAxes &header);
  const Node *readResult(const Binding &result, llvm::ArrayRef<IndexId> rest, const BoundAxes &header,
                         const Call &call);
  std::optional<std::vector<Binding>> callWhole(const Expr &expr, const Namespace *where);
  std::optional<CallAxes> logicalAxes(const Declarator &formal, llvm::ArrayRef<IndexId> rest, const BoundAxes &header,
                                      const Expr &call);

  Elaborator &elaborator;
  Diagnostics &diagnostics;
  Scope &scope;
  Body &body;
  std::shared_ptr<std::vector<Index>> indices;
  llvm::StringMap<IndexId> byName;
  llvm::StringMap<SMLoc> tensorNames;                  // tensors that occur in the rule
  llvm::StringMap<SMLoc> scalarNames;                  // tensors without axes among them
  std::vector<const Expr *> bareTensors;               // with axes, without brackets; an index may have the name, too
  std::vector<std::pair<IndexId, const Expr *>> sized; // `i: size(j)`
  llvm::SmallVector<IndexId, 4> left;
  llvm::SmallVector<Affine, 4> leftAxes; // the same indices, by axes
  SMLoc leftLocation;
  std::optional<unsigned> iterationAxis; // the axis of which the rule gives one position
  bool bare = false;                     // no index on the right
  std::optional<Binding> earlier;        // a clause: the sum of those before, or what they are joined to
  StringRef joiner = "add";              // a clause: the function that joins it
  const Expr *whole = nullptr;           // `y += f(x) in NAME`
  const Namespace *space = nullptr;
  bool badIndices = false;
  std::optional<llvm::SmallVector<Axis, 4>> bareAxes;
  std::string bareOwner;
  SMLoc bareLocation;
  llvm::DenseMap<const Expr *, Binding> bareCalls;
  std::map<const Expr *, Affine> affines; // index expressions that are no plain index
  std::optional<bool> rightIsGood;        // result of `collectOnce`
  std::vector<Reading> readings;          // affine positions that have indices
  Branches branches;                      // around the expression whose indices are collected
  SumLocations sums;
};

/// The axes that a header names, in order: those of the first argument, then those that others add. The brackets of a
/// call bind those of the first argument, and may bind more.
llvm::SmallVector<const IndexEntry *> namedAxes(const Function &callee);
/// Whether a call may have `count` bracketed indices.
bool bindsIndices(const Function &callee, size_t count);
/// Whether an index occurs in the expression, arguments of calls included.
bool hasIndex(const Expr &expr);
/// The value of a condition of numbers alone; nullopt for others.
std::optional<bool> constantCondition(const Node &node);
/// Whether an index expression contains a tensor, or a floor or bit operation. The access is then a gather.
bool readsTensor(const Expr &expr, const Scope &scope);

} // namespace plc::language

#endif
