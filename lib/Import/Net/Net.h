//===- Net.h - the net of an imported model ---------------------*- C++ -*-===//
// One operator, one result: what readers give is brought to few operators (Canon), and values that depend on sizes
// alone are known (Evaluate) and have formulas (Fit).
#ifndef PLC_LIB_IMPORT_NET_NET_H
#define PLC_LIB_IMPORT_NET_NET_H

#include "Net/Atom.h"

#include "plc/Import/Graph.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace plc::import {

/// How rules are made of an operator.
enum class OpClass : uint8_t {
  Leaf,
  Map, // a change of indices
  Infix,
  Function,
  Element,
  Contraction,
  Reduction,
  Gather,
  Whole, // always a rule
  Other
};

enum class Op : uint8_t {
#define PLC_OP(ID, CLASS, TEXT) ID,
#include "Net/Ops.def"
};

OpClass classOf(Op op);
/// The operator's word or sign in the language.
const char *textOf(Op op);

/// A tensor in memory. Elements of all types are doubles, rounded as their type rounds.
struct Dense {
  Shape shape;
  std::vector<double> elements;
};

/// What the elements of a tensor are, as a function of their indices.
struct Formula {
  enum Kind : uint8_t {
    Number,    // value
    Affine,    // value + the sum of factors times indices
    Band,      // low <= j - i <= high
    Mask,      // 0 in the band, else -inf
    Geometric, // value to the power of -(index / extent)
    Table      // numbers along one axis
  } kind;
  double value = 0;
  std::vector<std::pair<int, int64_t>> factors{};
  int row = 0, column = 0; // i and j of a band; the axis of a geometric row or of a table
  std::optional<int64_t> low{}, high{};
  std::vector<double> table{};
};

/// The windows of a convolution or pool, by axis.
struct Windows {
  Shape kernel, stride, pad, dilation;
  int64_t groups = 1;
};

/// How the axis of a slice or of a concatenation is read.
struct Tile {
  enum Kind : uint8_t {
    None,
    Whole,  // the slice is all of the axis
    Part,   // one of equal parts: a number in front of the axis's atoms
    Last,   // each n-th element: a number behind them
    Offset, // a start and a step
    Merge,  // a view that counts several axes by one: a rule with a merged left side
    Stack,  // a concatenation of equal parts: a number chooses
    One     // a concatenation of one part
  } kind = None;
  int dim = 0;
  int64_t start = 0, step = 1;
  Axis merged{}; // of Merge: the atoms that its axis counts
};

struct NetNode;
using Nodes = Checked<NetNode *>;

struct NetNode {
  Op op = Op::Number;
  Nodes operands; // null: an optional one is absent
  TensorType type{};
  int id = 0; // position in the net
  // Attributes: which of them an operator has is said where `Canon` makes it.
  Shape ints;
  int dim = 0;
  double number = 0;
  Windows windows;
  bool isFromEnd = false;           // of a slice or a selected element: its start is counted from the end of the axis
  bool isCut = false;               // of a slice: its length follows that of the axis
  const NetNode *counted = nullptr; // of a number n / (n - dim): n counts the elements of this value along `ints`
  // Where it is from.
  const Node *source = nullptr;
  const Input *input = nullptr; // of leaves
  std::string name;
  // What is known of its value.
  bool isConstant = false; // it depends on sizes and constants alone
  bool isSized = false;    // it depends on the size of some axis
  bool isUnproven = false; // its value may have another form at other sizes: it is built from its definition
  std::shared_ptr<const Dense> value;
  std::optional<Formula> formula;
  // Axes.
  std::vector<Axis> axes;
  Axis domain; // the axis whose positions the value holds, if it holds positions
  Tile tile;
  // Rules.
  std::vector<NetNode *> users; // that compute; each once
  bool isLive = false, isRule = false, isHeavy = false, isFloating = false;
  bool isOutput = false, isResult = false; // a result of the model; the rule that is one
  bool isNext = false;                     // the value of a state after the run
  int weight = 0, cost = -1;               // operators in its expression; of conditions on integer inputs
  int segment = -1;

  const Shape &shape() const { return type.shape; }
  int rank() const { return int(type.shape.size()); }
  int64_t extent(int dim) const { return type.shape.at(dim); }
  NetNode *operand(size_t i) const { return i < operands.size() ? operands[i] : nullptr; }
  bool isReal() const { return plc::isReal(type.type); }
  bool isBool() const { return kindOf(type.type) == ElementKind::Truth; }
  bool is(OpClass opClass) const { return classOf(op) == opClass; }
  bool isMap() const { return is(OpClass::Map); }
  /// Whether its value is another one in each run.
  bool isDraw() const { return op == Op::Random || op == Op::Normal || op == Op::Dropout || op == Op::Training; }
  bool isElementwise() const { return is(OpClass::Infix) || is(OpClass::Function) || is(OpClass::Element); }
  /// Whether it is a number, a formula or a leaf: nothing below it is read.
  bool isLeaf() const { return is(OpClass::Leaf) || formula; }
};

/// States with their values after the run, or parameters that a step of training replaces.
using States = std::vector<std::pair<NetNode *, NetNode *>>;
inline bool isAmong(const States &states, const NetNode *node) {
  return std::any_of(states.begin(), states.end(), [&](const auto &each) { return each.first == node; });
}

/// A net in the order of its computation.
struct Net {
  std::deque<NetNode> nodes;
  std::vector<NetNode *> inputs;  // the user's
  std::vector<NetNode *> outputs; // in the order of the model's results
  std::vector<std::string> outputNames;
  States states;
  std::vector<NetNode *> order; // what outputs depend on
};

/// What cannot be imported: the operator, and its line of Python.
struct CannotImport : std::runtime_error {
  CannotImport(const std::string &text, const NetNode *node = nullptr)
      : std::runtime_error(text), source(node ? node->source : nullptr) {}
  const Node *source;
};

/// Brings the graph to the net's operators, with values and formulas; throws `CannotImport` with all operators that
/// are unknown. `addsLoss`: the model gets a loss that it does not return.
Net makeNet(const ImportedModel &model, bool addsLoss);
/// The result that is the loss: the one that the graph calls so, or the only one, if it is a scalar.
std::optional<size_t> findLoss(const Net &net);

/// Throws `CannotImport` unless the operands and attributes of an operator fit its shape. Values and types of elements
/// are not looked at, but that indices are integers.
void verify(const NetNode &node);
/// The number of elements. Throws `CannotImport` for shapes that no tensor has.
int64_t elementsOf(const Shape &shape);

/// The value of an operator whose operands have values; null if this operator is not evaluated.
std::shared_ptr<const Dense> evaluate(const NetNode &node);
/// The value of elementwise operators on one element, where `x` has the value `at`; nullopt if there are others.
std::optional<double> evaluateAt(const NetNode *node, const NetNode *x, double at);
/// Rounds elements as a type stores them.
void roundTo(ElementType type, std::vector<double> &elements);
/// A formula for a value; `isSized`: no table, for it would hold at the exported size alone.
std::optional<Formula> fitFormula(const Dense &value, ElementType type, bool isSized);

/// The axes that have an index, of an operator by indices: neighbours from `first` to before `last`. The axes of the
/// indices stand in their place; `rank` is the number of these.
struct IndexedAxes {
  size_t first, last;
  int rank;
};
IndexedAxes indexedAxes(const NetNode &node);

/// The number that a value is everywhere.
std::optional<double> numberOf(const NetNode *node);

/// "add(x: f32[2, 3], ..) at model.py:12: 'x = a + b'".
std::string describe(const Node &node, const Graph &graph);
std::string placeOf(const SourceLine &line);
/// "f32[2, 3]".
std::string typeText(const TensorType &type);

} // namespace plc::import

#endif
