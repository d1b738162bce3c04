// Where a file of weights has a model's parameters, if not under their own names and in their own shapes.
#ifndef PLC_RUNTIME_TENSORS_PARAMETERMAP_H
#define PLC_RUNTIME_TENSORS_PARAMETERMAP_H

#include "plc/Runtime/Base/Tensor.h"
#include "plc/Support/Choice.h"

#include <map>
#include <optional>

namespace plc::runtime {

/// A name with `{..}` in it, each of which stands for one or more characters other than '.'.
class NamePattern {
public:
  using Values = std::map<std::string, std::string>;

  NamePattern() = default;
  /// Throws std::invalid_argument, which says what is wrong, if a brace is open or has no name in it.
  explicit NamePattern(std::string text);

  const std::string &text() const { return whole; }
  bool isPlain() const { return names.empty(); }
  /// What the braces stand for in `name`, or nothing if it is not of this form. Equal names stand for equal text.
  std::optional<Values> match(std::string_view name) const;
  /// The name that the values give; every name in braces must be among them.
  std::string fill(const Values &values) const;
  bool has(std::string_view name) const;
  /// The first name in braces that is neither in another pattern nor `except`; empty if there is none.
  std::string firstNotIn(const NamePattern &other, std::string_view except = {}) const;

private:
  bool matchFrom(size_t piece, std::string_view rest, Values &values) const;

  std::string whole;
  std::vector<std::string> literals, names; // literal, name, literal, .., literal
};

/// What is done with a tensor of the file.
struct Turn {
  /// In the order of their names, see `Choice` below.
  enum class Kind { Reshape, Slice, Split, Transpose };
  Kind kind = Kind::Reshape;
  std::vector<int64_t> numbers; // empty: `true`
  int64_t line = 0, column = 0;
};

struct ParameterRule {
  NamePattern parameter;
  std::vector<NamePattern> from; // the first that the file has
  std::string stack;             // a name of `from`: 0, 1, .. of as many tensors as there are, one behind another
  std::vector<Turn> turns;
  bool frozen = false; // the model must not train it
  int64_t line = 0, column = 0;
};

struct ParameterMap {
  std::string file;
  std::vector<std::string> prefixes; // before each `from`, the first that gives a name of the file
  std::vector<ParameterRule> rules;
  std::vector<NamePattern> ignore;  // tensors of the file
  std::vector<NamePattern> initial; // parameters that keep their initial values

  std::string place(int64_t line, int64_t column) const;
  /// The rule for a parameter, or nullptr: one without braces, else the only one. Throws Error if there are several.
  const ParameterRule *find(const std::string &parameter) const;
};

/// Reads a map as docs/running.md describes it. Throws Error, at its place in the file.
ParameterMap readParameterMap(const std::string &file, const std::string &toml);
using ParameterMapReader = ParameterMap (*)(const std::string &file, const std::string &toml);

/// What a turn makes of a shape; `wanted` is what `true` stands for in a reshape. What is wrong, or nothing.
std::optional<std::string> turnShape(const Turn &turn, const std::vector<int64_t> &wanted, TensorInfo &info);

/// Carries out a turn that fits.
void turnTensor(const Turn &turn, const std::vector<int64_t> &wanted, Tensor &tensor);

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
      {"reshape", 0, true, "true or a list of extents, of which one may be -1"},
      {"slice", 3, false, "[axis, first, end]"},
      {"split", 3, false, "[axis, part, parts]"},
      {"transpose", 0, true, "true or a list of axes"},
  };
  static std::span<const Row> rows() { return table; }
  static std::span<const char *const> planned() { return {}; }
};

#endif
