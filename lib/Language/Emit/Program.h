//===- Program.h - resolved equations ---------------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_PROGRAM_H
#define PLC_LIB_LANGUAGE_EMIT_PROGRAM_H

#include "Syntax/Syntax.h"
#include "plc/Support/ElementType.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace plc::language {

/// The type of a value's elements: a type of the table, real with the precision left to the strategy, or `Number`. A
/// number is a literal, a size or an index used as a number; it takes the type of its neighbours.
enum class Element {
  Real,
#define PLC_ELEMENT_TYPE(ID, ...) ID,
#include "plc/Support/ElementTypes.def"
  Number
};

/// The row of the table; nullopt for Real and Number.
constexpr std::optional<ElementType> chosenType(Element element) {
  switch (element) {
#define PLC_ELEMENT_TYPE(ID, ...)                                                                                      \
  case Element::ID: return ElementType::ID;
#include "plc/Support/ElementTypes.def"
  case Element::Real:
  case Element::Number: break;
  }
  return std::nullopt;
}
/// The kind of elements; nullopt for a Number.
constexpr std::optional<ElementKind> kindOf(Element element) {
  std::optional<ElementType> type = chosenType(element);
  return type                       ? std::optional(kindOf(*type))
         : element == Element::Real ? std::optional(ElementKind::Real)
                                    : std::nullopt;
}
constexpr bool isInteger(Element element) { return kindOf(element) == ElementKind::Integer; }
constexpr bool isRealElement(Element element) { return kindOf(element) == ElementKind::Real; }
/// The type in which elements are computed: storage types (bf16, f16, i8, u8) only hold numbers, and are computed as
/// real or i32.
constexpr Element computedAs(Element element) {
  std::optional<ElementType> type = chosenType(element);
  if (!type || !isNarrow(*type))
    return element;
  return isReal(*type) ? Element::Real : Element::I32;
}
constexpr bool isNarrow(Element element) { return computedAs(element) != element; }
/// Whether a number is one of the integer type, or 0 or 1 of the truth values. Of i64, if all integers up to it are
/// doubles.
constexpr bool holdsNumber(Element element, double number) {
  bool isNatural = element == Element::U8 || element == Element::Bool;
  double largest = element == Element::I8     ? INT8_MAX
                   : element == Element::U8   ? UINT8_MAX
                   : element == Element::I32  ? INT32_MAX
                   : element == Element::Bool ? 1
                                              : 9007199254740992.0;
  return number >= (isNatural ? 0 : -largest) && number <= largest && number == static_cast<double>(int64_t(number));
}
StringRef nameOf(Element element);
/// The type that a declaration names; real if the name is empty.
Element elementNamed(StringRef name);

/// One axis of a tensor. `place` is the location that states its extent, for notes.
struct Axis {
  int64_t extent;
  SMLoc location;
};

/// The fn calls that an equation was inlined through, innermost first.
struct Frame {
  SMLoc call;
  const Frame *outer;
};

using ValueId = unsigned;
using IndexId = unsigned;

/// A tensor of a body.
struct Value {
  std::string name;
  Element element = Element::Real;
  llvm::SmallVector<Axis, 4> axes;
  SMLoc location;
};

/// A value seen with other axes: axis p of the value is the view's axis `dims[p]`. The value is broadcast along those
/// axes of the view that none of its own axes maps to.
struct View {
  ValueId value = 0;
  llvm::SmallVector<unsigned, 4> dims;
  llvm::SmallVector<Axis, 4> axes;

  bool isWhole() const {
    for (unsigned i = 0; i < dims.size(); ++i)
      if (dims[i] != i)
        return false;
    return dims.size() == axes.size();
  }
};

/// The meaning of a name in a body. Calls pass the same as their arguments.
struct Binding {
  enum Kind { Broken, Tensor, Number };
  Kind kind = Broken; // Broken: the definition had an error, so uses of the name are not reported again
  View view;
  double number = 0;
  SMLoc location;

  /// The number 0, to which clauses of any shape may be added.
  bool isEmptySum() const { return kind == Number && number == 0; }
};

/// A resolved expression. `dims` are its free indices: those of the left side first, then by first occurrence.
struct Node {
  enum Kind {
    Number,    // number
    Iota,      // index; with `function`, the number of the iteration of this name, of a loop
    Read,      // value at positions
    Map,       // function of operands, elementwise
    Term,      // chain of operands (operators * / // %; signs), summed over `summed`
    Reduce,    // function: mean, or a reduction of the ein dialect, over `summed`
    Positions, // function: argmax, argmin, topk over `summed`; topk brings `index`
    Draw,      // function: random or normal, over the indices of the left side; training or step, over none
    Cast,      // to `element`
    Stop
  };
  /// The position at which an axis is read: an index; several that split it, slowest first; a constant; or an integer
  /// tensor. With `strides`: at `start` plus the sum of the indices, each times its stride.
  struct Position {
    llvm::SmallVector<IndexId, 1> indices;
    std::optional<int64_t> constant = {};
    const Node *gathered = nullptr;
    llvm::SmallVector<int64_t, 1> strides = {};
    int64_t start = 0;

    bool isIndex() const { return indices.size() == 1 && strides.empty(); }
  };

  Kind kind;
  Element element = Element::Number;
  SMLoc location;
  StringRef function;
  double number = 0;
  IndexId index = 0;
  ValueId value = 0;
  llvm::SmallVector<Position, 4> positions;
  std::optional<double> padding; // of a Read: the number outside of the value
  std::vector<const Node *> operands;
  std::vector<BinaryOp> operators;
  std::vector<bool> negated;
  llvm::SmallVector<IndexId, 4> summed;
  llvm::SmallVector<IndexId, 4> dims;
};

/// An index of a rule.
struct Index {
  std::string name;
  int64_t extent = 0; // 0: not known
  SMLoc extentLocation;
  std::string extentOwner; // "'x'" or "the bracket"
  int left = -1;           // position on the left side
  SMLoc location;          // on the left side or in brackets
};

struct Instance;
struct Loop;

/// `result[left] = value`, a call of a layer, or a loop.
struct Step {
  SMLoc location;
  const Frame *frame = nullptr;
  // Equations.
  ValueId result = 0;
  llvm::SmallVector<IndexId, 4> left;
  llvm::SmallVector<unsigned, 4> parts; // for each axis of the result: how many indices of `left`, in order, it merges
  llvm::SmallVector<std::optional<int64_t>, 4> offsets; // offset of `left` in each axis; nullopt: it is the whole axis
  /// An axis of the result of a scatter: an index of `left`, or a computed position.
  struct Target {
    std::optional<IndexId> index;
    const Node *position;
  };
  std::vector<Target> targets; // of a scatter; empty: `left` counts the elements of the result
  StringRef join = "add";      // of a scatter: the function that joins values at one position
  const Node *value = nullptr;
  std::shared_ptr<std::vector<Index>> indices;
  // Calls.
  const Instance *callee = nullptr;
  std::vector<ValueId> arguments;
  std::vector<ValueId> results;
  std::vector<std::string> parameters; // paths, in the callee's order
  std::string path;
  int64_t iteration = -1; // iteration of the innermost `repeat`, numbered over the model; -1 outside
  // Loops.
  std::shared_ptr<const Loop> loop;
};

/// Iterations of a `repeat` that differ in numbers alone: the first one, and each number as a function of the
/// iteration.
struct Loop {
  /// `first` in the first iteration, and `step` more in each further one.
  struct Linear {
    int64_t first = 0, step = 0;
  };
  /// A value that an iteration passes to the next one: before, in and after an iteration, and after the last one.
  struct Carry {
    ValueId init, argument, next, last;
  };
  /// A value of each iteration, which is one position along `axis` of `whole`. `reverse`: the first iteration's is the
  /// last position.
  struct Element {
    ValueId value, whole;
    unsigned axis;
    bool reverse;
  };

  StringRef iteration; // name of the index, or empty
  int64_t first = 0, iterations = 0;
  std::vector<Step> steps;
  std::vector<Carry> carries;
  std::vector<Element> elements;
  std::map<const Node *, Linear> numbers;             // nodes that are numbers
  std::map<const Node::Position *, Linear> positions; // constant, or the start of a window
};

struct Initializer {
  StringRef kind = "constant";
  double a = 0, b = 0;
};

/// A skip is identified by its namespace and its name.
using SkipKey = std::pair<std::string, std::string>;

/// A parameter of a body: its own, one of a layer that it calls (`attention.wq`), or one that it shares.
struct BodyParameter {
  ValueId value;
  std::string name;
  Initializer initializer;
  bool frozen = false;
  std::string sharedPath;         // path at the owner; empty: its own
  std::vector<std::string> sizes; // names of sizes in the declaration, one for each axis; empty: none
  std::optional<ValueId> next;    // what a training step replaces it by, if it is frozen
};

/// A state of a body, or of a layer that it calls (`attention.k`).
struct BodyState {
  std::string name;
  ValueId old;
  std::optional<ValueId> next; // none: there was an error
  double init = 0;
  SMLoc location;
  int64_t batch = -1; // the axis whose size is the batch's by name; rules decide about others
};

/// The equations and calls of a layer or a model. Fns are inlined.
struct Body {
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<ValueId> arguments, results;
  std::vector<BodyParameter> parameters;
  std::vector<BodyState> states;
  /// A skip that the body's layer, or a layer that it calls, stashes.
  struct Stash {
    SkipKey key;
    Binding value;
    const Statement *statement;
    SMLoc call;          // of the nested layer; not valid for the body's own
    bool popped = false; // by a nested layer
  };
  std::vector<Stash> stashes;
  /// A skip that a nested layer pops and nothing in the body stashes. It becomes an argument of the body if its type
  /// is known.
  struct Import {
    SkipKey key;
    const Statement *pop;
    std::optional<ValueId> value;
  };
  std::vector<Import> imports;
  std::map<std::string, SMLoc> calls; // of layers, by path
  std::deque<Node> nodes;
  std::deque<Frame> frames;
  llvm::DenseMap<ValueId, Binding> rounded; // values of storage types, and the exact values that were rounded to them
  bool broken = false;                      // an error was reported in the body
  /// The value of each name at the end of the body, without arguments and parameters.
  llvm::StringMap<ValueId> rules;

  ValueId add(Value value) {
    values.push_back(std::move(value));
    return values.size() - 1;
  }
  View whole(ValueId id) const {
    View view;
    view.value = id;
    view.axes = values[id].axes;
    for (unsigned i = 0; i < view.axes.size(); ++i)
      view.dims.push_back(i);
    return view;
  }
};

/// A layer's body for one set of sizes.
struct Instance {
  /// A skip that a call of the instance stashes: its argument at `position` (the header's, then the popped ones), or
  /// its result.
  struct Stash {
    const Body::Stash *stash;
    bool isKnown = false; // false: there was an error, and nothing is known of the value
    bool isArgument = false;
    size_t position = 0;
  };
  const Function *layer;
  std::string symbol;
  /// The elaborated body. Its pops are arguments behind the header's, its stashes are results. Behind them come its
  /// states, as arguments and as results. The bodies of layers that it calls are inlined in it.
  Body body;
  std::vector<Stash> stashes;
  bool hasErrors = false; // reported in its body
  /// Types of the results: as computed, or as the header states if the body is broken; nullopt if it does not state
  /// them.
  std::vector<std::optional<Value>> results;
};

/// A parameter of the program.
struct Parameter {
  std::string path;
  Value value;
  Initializer initializer;
  bool frozen, replaced;          // by a next value
  std::vector<std::string> sizes; // as in BodyParameter; none if it is replaced: it is not divided
  SMLoc call;                     // the call of the layer that owns it
};

/// A state of the program: an argument and a result of the model, behind its own.
struct State {
  std::string path;
  double init;
  ValueId old, next;
  int64_t batch;
  SMLoc location;
  SMLoc call; // the call of the layer that has it
};

/// A model with everything that it calls, ready to be emitted.
struct Program {
  const Function *model = nullptr;
  Body body;
  std::vector<std::unique_ptr<Instance>> instances;
  std::vector<Parameter> parameters;       // in order of the calls
  std::vector<State> states;               // likewise
  llvm::DenseSet<const Function *> called; // layers
  int64_t batch = 0;
  std::vector<int64_t> argumentBatch, resultBatch; // axis, or -1
  std::vector<std::string> exposed;                // names of the results behind the model's own
};

} // namespace plc::language

#endif
