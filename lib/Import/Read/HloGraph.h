//===- HloGraph.h - builds the graph of a StableHLO program -----*- C++ -*-===//
#ifndef PLC_IMPORT_READ_HLOGRAPH_H
#define PLC_IMPORT_READ_HLOGRAPH_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "plc/Import/Graph.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace plc::import {

/// A value of the graph as conversions see it.
struct Hlo {
  std::string name;
  ElementType type;
  Shape shape;
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
};

/// Adds nodes to a graph. Throws HloMisfit where arguments do not fit. Views that change nothing add no node.
class HloGraph {
public:
  Graph graph;
  std::map<std::string, std::vector<std::byte>> constants; // by path
  std::vector<ModuleFrame> modules;                        // of the next nodes
  SourceLine source;

  /// A name that no value has yet.
  std::string unique(llvm::StringRef wanted);
  void define(const std::string &name, mlir::Type type);
  Hlo value(const std::string &name) const;

  /// Adds an operator of ATen.
  Hlo add(const char *op, const char *overload, std::vector<std::pair<std::string, Argument>> arguments,
          ElementType type, Shape shape);
  Hlo view(const Hlo &x, Shape shape);
  Hlo permute(const Hlo &x, const Shape &dims);
  Hlo expand(const Hlo &x, const Shape &shape);
  Hlo slice(const Hlo &x, int64_t dim, int64_t start, int64_t end, int64_t step);
  Hlo convert(const Hlo &x, ElementType type);
  Hlo full(double value, ElementType type, const Shape &shape);
  Hlo constant(mlir::DenseElementsAttr elements);
  /// `x` with `part` at `first` on an axis. Updates that have given all of it, from the start to the end, are the
  /// parts in a row.
  Hlo update(const Hlo &x, const Hlo &part, size_t axis, int64_t first);
  /// The number that all elements of a value are, if it was made of one.
  std::optional<double> splat(const Hlo &x) const;

private:
  llvm::StringMap<unsigned> names;
  std::map<std::string, double> splats;
  /// Values of which a number of parts are given, from the start of an axis to an end.
  struct Filled {
    std::vector<ValueName> parts;
    size_t axis;
    int64_t end;
  };
  std::map<std::string, Filled> begun;
  std::map<std::string, Hlo> views; // results of `view`, and their operands
};

/// A conversion of one operation.
class HloOp {
public:
  HloOp(mlir::Operation *op, std::vector<Hlo> operands, HloGraph &to) : op(op), operands(std::move(operands)), to(to) {}

  /// The results as operators of ATen; nullopt if there are none for this operation, or for this form of it.
  std::optional<std::vector<Hlo>> convert();

private:
  using Result = std::optional<Hlo>;
  Result simple(llvm::StringRef name);
  Result structural(llvm::StringRef name);
  Result compare();
  Result broadcast();
  Result dot();
  Result reduce();
  Result window(llvm::StringRef reducer, const Hlo &x);
  Result gather();
  Result pad();
  Result pad(const Hlo &x, double value, const Shape &low, const Shape &high);
  Result dynamicSlice();
  Result updateSlice();
  Result scatter();
  Hlo positions(const Hlo &start, int64_t extent, int64_t count);
  Result convolution();
  std::optional<std::vector<Hlo>> topk();
  std::optional<std::vector<Hlo>> sort();
  std::vector<Hlo> withPositions(const char *name, const char *overload,
                                 std::vector<std::pair<std::string, Argument>> arguments, Shape shape);

  mlir::Attribute attribute(llvm::StringRef name) const;
  Shape integers(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  std::string text(llvm::StringRef name) const;
  llvm::StringRef reducer() const;
  ElementType type() const;
  Shape shape() const;

  mlir::Operation *op;
  std::vector<Hlo> operands;
  HloGraph &to;
};

/// Calls `visit` for each value that a node reads.
template <class Visit>
void forEachRead(Node &node, Visit visit) {
  for (auto &[name, argument] : node.arguments) {
    if (auto *value = std::get_if<ValueName>(&argument))
      visit(*value);
    if (auto *values = std::get_if<std::vector<ValueName>>(&argument))
      for (ValueName &each : *values)
        visit(each);
  }
}

/// Replaces what JAX's library functions have become by one node each: mean, softmax, log_softmax, gelu, layer_norm.
/// Equal nodes of one module become one. What is no longer needed stays.
void foldIdioms(Graph &graph);

/// An attribute of an operation of a dialect that is not loaded, whether it is written as a property or not.
mlir::Attribute attributeOf(mlir::Operation *op, llvm::StringRef name);
/// The list behind `key` in the text of an attribute: "[0, 1]" of "lhs_contracting_dimensions = [0, 1]".
Shape listIn(llvm::StringRef text, llvm::StringRef key);
/// The attributes of an operation do not fit its operands.
struct HloMisfit {};
inline void requireFit(bool fits) {
  if (!fits)
    throw HloMisfit();
}
/// The elements of a tensor. Throws HloMisfit if there are 2^45 or more.
int64_t countOf(const Shape &shape);

} // namespace plc::import

#endif
