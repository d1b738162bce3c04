// Parses numpy.einsum's subscripts, and writes them as a model.
#ifndef PLC_LIB_COMMANDS_EINSUM_H
#define PLC_LIB_COMMANDS_EINSUM_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// Subscripts such as `ij,jk->ik`. Errors show the byte of the text that is wrong.
class Subscripts {
public:
  /// Throws Error (exit code 2) if the text is malformed.
  explicit Subscripts(const std::string &text);

  size_t numOperands() const { return operands.size(); }

  /// The extents of the result for operands of these shapes, whose names stand in messages. Throws Error (exit code 1)
  /// if shapes do not fit the subscripts, or extents disagree.
  std::vector<int64_t> resultShape(const std::vector<TensorInfo> &shapes);

  /// The text of a model `einsum` that computes `result` of `x0`, `x1`, .., for the shapes that resultShape() was
  /// given. No extent may be 0. `type` is that of all tensors; reals have the precision of the compiled model.
  std::string program(ElementType type) const;

private:
  /// A letter; or an axis of `...`, counted from its last one: -1, -2, ..
  using Label = int;
  static constexpr Label ellipsis = 0;

  struct Subscript {
    Label label;
    size_t at; // byte in the text
  };
  using Term = std::vector<Subscript>;
  struct Extent {
    int64_t extent = 1;
    size_t operand = 0; // the one that has this extent
  };

  Term parseTerm(size_t &at, bool isOutput) const;
  void impliedOutput();
  void expand(size_t operand);
  void bind(size_t operand);
  void checkOutput() const;
  std::string access(size_t operand) const;
  std::string extentsOf(const std::vector<int64_t> &shape, ElementType type) const;

  std::string text;
  std::vector<Term> operands;
  Term output;
  bool isExplicit = false;
  size_t arrow = 0; // byte in the text
  std::vector<TensorInfo> shapes;
  std::vector<std::pair<Label, Extent>> extents; // in the order of their first occurrence
  Extent *find(Label label);
  const Extent *find(Label label) const { return const_cast<Subscripts *>(this)->find(label); }
  size_t numEllipsisAxes = 0; // the most of any operand
};

} // namespace plc::runtime

#endif
