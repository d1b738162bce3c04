// What numpy.einsum means by its subscripts, as a rule of the language.
#ifndef PLC_LIB_COMMANDS_EINSUM_H
#define PLC_LIB_COMMANDS_EINSUM_H

#include "plc/Runtime/Base/Tensor.h"

namespace plc::runtime {

/// `ij,jk->ik`: what is wrong with it is at a place in the string, from 0.
class Subscripts {
public:
  /// Throws Error (a bad command line) with the place.
  explicit Subscripts(const std::string &text);

  size_t numOperands() const { return operands.size(); }

  /// The extents of the result, for operands of these shapes, which `names` names in messages. Throws Error (bad input) if
  /// they are not of one form with the subscripts, or disagree.
  std::vector<int64_t> resultShape(const std::vector<TensorInfo> &shapes);

  /// The model `einsum` that gives `result` of `x0`, `x1`, .. with the shapes that `resultShape` was asked for. No
  /// extent may be 0. `type` is that of all; reals are of the model's precision.
  std::string program(ElementType type) const;

private:
  /// A letter; or of `...`, from its last axis: -1, -2, ..
  using Label = int;
  static constexpr Label ellipsis = 0;

  struct Subscript {
    Label label;
    size_t at; // its place in the text
  };
  using Term = std::vector<Subscript>;
  struct Extent {
    int64_t extent = 1;
    size_t operand = 0; // that gives it
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
  size_t arrow = 0; // its place
  std::vector<TensorInfo> shapes;
  std::vector<std::pair<Label, Extent>> extents; // in the order in which labels are met
  Extent *find(Label label);
  const Extent *find(Label label) const { return const_cast<Subscripts *>(this)->find(label); }
  size_t numEllipsisAxes = 0; // the most of any operand
};

} // namespace plc::runtime

#endif
