// Maps the tensors of a file of weights to the parameters of a model.
#ifndef PLC_RUNTIME_TENSORS_PARAMETERMAP_H
#define PLC_RUNTIME_TENSORS_PARAMETERMAP_H

#include "plc/Runtime/Base/Tensor.h"
#include "plc/Support/Choice.h"

#include <map>
#include <optional>

namespace plc::runtime {

/// A name with placeholders `{x}`, each of which stands for one or more characters other than '.'.
class NamePattern {
public:
  using Values = std::map<std::string, std::string>;

  NamePattern() = default;
  /// Throws std::invalid_argument, with the reason, if a brace is not closed or has no name.
  explicit NamePattern(std::string text);

  const std::string &text() const { return whole; }
  /// Whether there are no placeholders.
  bool isPlain() const { return names.empty(); }
  /// The values of the placeholders in `name`; nullopt if it does not match. Equal placeholders have equal values.
  std::optional<Values> match(std::string_view name) const;
  /// The name with these values; each placeholder must have one.
  std::string fill(const Values &values) const;
  /// Whether this placeholder occurs.
  bool has(std::string_view name) const;
  /// The first placeholder that is neither in another pattern nor `except`; empty if there is none.
  std::string firstNotIn(const NamePattern &other, std::string_view except = {}) const;

private:
  bool matchFrom(size_t piece, std::string_view rest, Values &values) const;

  std::string whole;
  std::vector<std::string> literals, names; // alternating: literal, name, literal, .., literal
};

/// One transformation of a tensor of the file.
struct Turn {
  /// In the order of their names, see `Choice` below.
  enum class Kind { Reshape, Slice, Split, Transpose };
  Kind kind = Kind::Reshape;
  std::vector<int64_t> numbers; // arguments; empty: `true`, or `groups`
  int64_t line = 0, column = 0;
  /// Of a reshape: for each axis before it, the axes that it becomes. They say the shape on either side.
  std::vector<std::vector<int64_t>> groups{};
};

/// How parameters whose path matches a pattern are found in the file. Names in `from` are tried in order.
struct ParameterRule {
  NamePattern parameter;
  std::vector<NamePattern> from; // the first one that the file has
  std::string stack;             // a placeholder of `from` that counts 0, 1, ..: all such tensors are stacked
  std::vector<Turn> turns;
  bool frozen = false; // an error if the model trains it
  int64_t line = 0, column = 0;

  /// For each transformation the meaning of a reshape's `true` or `groups`: the shape of the parameter, or the one that
  /// the transformations behind it turn into that. An extent that they do not say is -1.
  std::vector<std::vector<int64_t>> wantedShapes(const TensorInfo &parameter) const;
};

/// A map as a file, with the order of its rules.
struct ParameterMap {
  std::string file;
  std::vector<std::string> prefixes; // tried before each `from`, in order
  std::vector<ParameterRule> rules;
  std::vector<NamePattern> ignore;  // tensors of the file that need no parameter
  std::vector<NamePattern> bare;    // names in the file that have no prefix
  std::vector<NamePattern> initial; // parameters that keep their initial values

  /// `FILE:LINE:COLUMN`, for errors.
  std::string location(int64_t line, int64_t column) const;
  /// The rule of a parameter: a plain one, else the only one that matches; nullptr if there is none. Throws Error if
  /// several match.
  const ParameterRule *find(const std::string &parameter) const;
  /// The names that the file may have for a parameter, in order of preference: each `from` with each prefix.
  std::vector<std::string> namesOf(const ParameterRule &rule, const NamePattern::Values &values) const;
};

/// Reads a map as docs/running.md describes it. Throws Error at its position in the file.
ParameterMap readParameterMap(const std::string &file, const std::string &toml);
using ParameterMapReader = ParameterMap (*)(const std::string &file, const std::string &toml);

/// Applies a transformation to a shape. `wanted` is the meaning of `true` or of groups in a reshape. Returns the reason
/// if it does not fit.
std::optional<std::string> turnShape(const Turn &turn, const std::vector<int64_t> &wanted, TensorInfo &info);

/// Applies a transformation that fits to a tensor.
void turnTensor(const Turn &turn, const std::vector<int64_t> &wanted, Tensor &tensor);

/// Makes a shape the one before a transformation. The axis of a slice had the extent `sliced`. Returns the reason if no
/// shape is known that becomes this one.
std::optional<std::string> unturnShape(const Turn &turn, int64_t sliced, TensorInfo &info);

/// Makes a tensor the one of shape `before` that a transformation turns into it. Elements that a slice or a split does
/// not keep are 0.
void unturnTensor(const Turn &turn, const std::vector<int64_t> &before, Tensor &tensor);

} // namespace plc::runtime

template <>
struct plc::Choice<plc::runtime::Turn::Kind> {
  struct Row {
    const char *name;
    size_t numbers;   // how many it needs; 0: any
    bool takesTrue;   // instead of numbers
    const char *form; // for messages
  };
  static constexpr const char *noun = "turn";
  static constexpr Row table[] = {
      {"reshape", 0, true, "true, a list of extents, of which one may be -1, or lists of axes"},
      {"slice", 3, false, "[axis, first, end]"},
      {"split", 3, false, "[axis, part, parts]"},
      {"transpose", 0, true, "true or a list of axes"},
  };
  static std::span<const Row> rows() { return table; }
};

#endif
