//===- Canon.h - from a graph's operators to the net's ----------*- C++ -*-===//
#ifndef PLC_LIB_IMPORT_CANON_CANON_H
#define PLC_LIB_IMPORT_CANON_CANON_H

#include "Net/Net.h"

#include <functional>
#include <limits>

namespace plc::import {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Attributes of an operator that is made.
struct With {
  Shape ints{};
  int dim = 0;
  double number = 0;
  Windows windows{};
  bool isFromEnd = false, isCut = false;
};

/// Builds a net. Each operator is evaluated as soon as it is made, gets its formula, and is matched with what stands
/// before it, so that one pass over the graph is enough.
class Builder {
public:
  Net net;
  const Node *source = nullptr; // of the operators that are made next

  NetNode *make(Op op, Nodes operands, TensorType type, With with = {});
  /// Whether a value is kept that so many elements are read for. Files could ask for any number.
  bool keeps(double more);
  /// Throws if there are too many operators: loops in loops, and changes in place, could make any number.
  void spend(double more);

  NetNode *number(double value, ElementType type);
  /// n / (n - less), where n counts the elements of x along axes: the factor of a variance of samples.
  NetNode *correction(const NetNode *x, const Shape &dims, double less);
  NetNode *view(NetNode *x, Shape shape) { return make(Op::View, {x}, {x->type.type, std::move(shape)}); }
  NetNode *permute(NetNode *x, const Shape &dims);
  /// a / b, of numbers that a file may have as it likes.
  static int64_t ratio(int64_t a, int64_t b);
  /// Exchanges two axes.
  NetNode *transpose(NetNode *x, int a, int b);
  NetNode *unsqueeze(NetNode *x, int dim);
  /// `with` says how start and length follow the axis.
  NetNode *slice(NetNode *x, int dim, int64_t start, int64_t length, int64_t step = 1, With with = {});
  /// The elements from the end to the front.
  NetNode *flip(NetNode *x, int dim);
  NetNode *select(NetNode *x, int dim, int64_t index);
  NetNode *expand(NetNode *x, Shape shape);
  /// `pads` are pairs of numbers, of the last axis first; numbers less than 0 cut off.
  NetNode *pad(NetNode *x, Shape pads, double value);
  /// `count` windows of an axis, each of `size` elements.
  NetNode *unfold(NetNode *x, int dim, int64_t count, int64_t size, int64_t step, int64_t dilation);
  /// The slices at the positions that a vector has.
  NetNode *indexAlong(NetNode *x, int dim, NetNode *index);
  /// Elements are 0 with this probability, in training.
  NetNode *dropout(NetNode *x, double rate);
  /// In training a draw for each element, 0 or as large as the mean demands; else 1.
  NetNode *kept(TensorType type, double rate);
  /// x in training, else another value.
  NetNode *inTraining(NetNode *x, NetNode *otherwise);
  static int64_t count(const NetNode *x);
  NetNode *arange(int64_t count, int64_t start = 0, int64_t step = 1, ElementType type = ElementType::I64);
  /// A copy or a conversion.
  NetNode *convert(NetNode *x, ElementType type);
  /// An operator of elements; the shape is the broadcast one.
  NetNode *map(Op op, Nodes operands, ElementType type);
  NetNode *map(Op op, Nodes operands) { return map(op, operands, operands[0]->type.type); }
  NetNode *compare(Op op, NetNode *a, NetNode *b) { return map(op, {a, b}, boolType); }
  /// x y, of matrices in the last two axes.
  NetNode *matmul(NetNode *x, NetNode *y, Shape shape, NetNode *bias = nullptr);
  NetNode *cat(const Nodes &parts, int dim);
  NetNode *reduce(Op op, NetNode *x, Shape dims, TensorType type);

  static constexpr ElementType boolType = ElementType::Bool;

  /// What numbers of elements, and running sums of these, count.
  std::map<const NetNode *, NetNode *> counted;

private:
  /// Of one value that is kept: no table of sizes alone is that large.
  static constexpr int64_t mostElements = int64_t(1) << 24;
  double work = 0;      // of all values that are kept
  double operators = 0; // made, and taken from the graph
  void fold(NetNode &node);
};

/// Replaces an operator by a known function that it ends, as x * sigmoid(x) is silu.
void match(NetNode &node);
/// Below copies that change nothing. A conversion between reals is one: the model's precision is the strategy's.
NetNode *belowCopies(NetNode *node);
/// Whether a sum is the end of rotary positions, which it becomes.
bool matchRope(NetNode &node);
/// Slices of joined tensors become slices of a part, where they lie in one.
void matchJoins(Net &net);

/// One operator of the graph: its arguments by name.
class Call {
public:
  Call(Builder &builder, const Graph &graph, const std::map<std::string, NetNode *> &values, const Node &node)
      : build(builder), graph(graph), values(values), node(node) {}

  Builder &build;

  bool has(const char *name) const { return find(name) != nullptr; }
  int64_t integer(const char *name, int64_t otherwise = 0) const;
  double real(const char *name, double otherwise = 0) const;
  bool truth(const char *name, bool otherwise = false) const;
  std::string text(const char *name) const;
  /// A list, or one number as a list of one.
  Shape integers(const char *name) const;
  std::vector<double> reals(const char *name) const;
  /// A list of one for each of `count` axes; one number stands for all.
  Shape perAxis(const char *name, size_t count, int64_t otherwise) const;
  /// The name of an argument's value in the graph.
  std::string nameOf(const char *name) const {
    const auto *value = find(name) ? std::get_if<ValueName>(find(name)) : nullptr;
    return value ? value->name : "";
  }
  /// A tensor, or a number as a constant. Throws if it is absent; `tensorIf` gives null.
  NetNode *tensor(const char *name) const;
  NetNode *tensorIf(const char *name) const;
  Nodes tensors(const char *name) const;
  /// The same, and null for each that is absent.
  Nodes tensorsIf(const char *name) const;
  /// An axis counted from the front.
  int dim(const char *name, int rank, int64_t otherwise = 0) const;
  /// Axes counted from the front; those outside stay so, and fail where they are used.
  Shape dims(const char *name, const NetNode *x) const;
  const TensorType &type(size_t result = 0) const;
  const Shape &shape() const { return type().shape; }
  /// Whether some operator reads a result.
  bool isUsed(size_t result) const { return result < node.results.size() && !node.results[result].empty(); }
  /// Whether the operator's name begins so.
  bool isNamed(const char *prefix) const { return node.op.starts_with(prefix); }

  /// What each result is; the operator's table entry gives one or fills in all.
  Nodes results;
  /// New values of arguments that the operator changes in place.
  std::vector<std::pair<std::string, NetNode *>> changed;

private:
  const Argument *find(const char *name) const;
  std::optional<int64_t> numberNamed(const std::string &name) const;
  NetNode *tensorNamed(const std::string &name) const;

  const Graph &graph;
  const std::map<std::string, NetNode *> &values;
  const Node &node;
};

/// Makes an operator of the net; null: the entry filled in `results`.
using Handler = std::function<NetNode *(Call &call)>;
/// The entry of an operator's name; empty if it is unknown.
Handler findHandler(const std::string &name);
Handler findFormula(const std::string &name);
Handler findShapeHandler(const std::string &name);
Handler findLayerHandler(const std::string &name);
Handler findLossHandler(const std::string &name);
Handler findWindowHandler(const std::string &name);
Handler findRecurrentHandler(const std::string &name);
Handler findScatterHandler(const std::string &name);
Handler findSortHandler(const std::string &name);

/// None, the mean or the sum of a loss's elements, as the operator's `reduction` says.
NetNode *reduced(Call &call, NetNode *loss);
/// The rows of x that an index chooses, where it turns back rows that were sorted: as they were before the sort. Null
/// if it does not, or if what is computed in between is more than rows by themselves.
NetNode *turnedBack(Builder &build, NetNode *x, NetNode *index);

} // namespace plc::import

#endif
