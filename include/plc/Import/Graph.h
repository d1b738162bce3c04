//===- Graph.h - an imported graph of operators -----------------*- C++ -*-===//
// What a reader makes of a file, and what the rules are made of. Plain data, independent of the file's format.
#ifndef PLC_IMPORT_GRAPH_H
#define PLC_IMPORT_GRAPH_H

#include "plc/Support/ElementType.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace plc::import {

/// A list that is as long as a file says, so a position outside throws std::out_of_range.
template <class T>
struct Checked : std::vector<T> {
  using std::vector<T>::vector;
  Checked(std::vector<T> list) : std::vector<T>(std::move(list)) {}
  T &operator[](size_t i) { return this->at(i); }
  const T &operator[](size_t i) const { return this->at(i); }
  T &front() { return this->at(0); }
  const T &front() const { return this->at(0); }
  T &back() { return this->at(this->size() - 1); }
  const T &back() const { return this->at(this->size() - 1); }
  /// Puts an element, or several, in front of position `i`.
  void put(size_t i, const T &element, size_t count = 1) { this->insert(checked(i, this->size()), count, element); }
  void drop(size_t i) { this->erase(checked(i, this->size() - 1)); }
  /// Positions `first` to before `last`.
  Checked part(size_t first, size_t last) const { return Checked(checked(first, last), checked(last, this->size())); }

private:
  typename std::vector<T>::const_iterator checked(size_t i, size_t most) const {
    if (i > most || most > this->size())
      throw std::out_of_range("a position outside of a list");
    return this->begin() + std::ptrdiff_t(i);
  }
};

/// Numbers by axis: extents, or arguments of an operator.
using Shape = Checked<int64_t>;

struct TensorType {
  ElementType type;
  Shape shape;
  bool operator==(const TensorType &) const = default;
};

/// The name of a value of the graph. Names are unique in a graph.
struct ValueName {
  std::string name;
  bool operator==(const ValueName &) const = default;
};

/// An argument of an operator. Lists of tensors may have holes (`index`), which are empty names.
using Argument = std::variant<std::monostate, bool, int64_t, double, std::string, ElementType, ValueName, Shape,
                              std::vector<double>, std::vector<ValueName>>;

/// A line of the user's program.
struct SourceLine {
  std::string file, text; // the text of the line, without indentation; may be empty
  int64_t line = 0;       // from 1; 0: unknown
};

/// A module that encloses an operator, the outermost first: its path in the model ("h.0.attn"), and its class.
struct ModuleFrame {
  std::string path, type;
  bool operator==(const ModuleFrame &) const = default;
};

struct Graph;

struct Node {
  std::string op;                                          // "linear" of torch.ops.aten.linear.default
  std::string overload;                                    // "default"
  std::string library;                                     // "aten"
  std::vector<std::pair<std::string, Argument>> arguments; // by the names of the operator's schema, in its order
  std::vector<std::string> results;                        // an empty name: a result that nothing uses
  std::vector<ModuleFrame> modules;
  SourceLine source;
  std::vector<std::pair<std::string, std::shared_ptr<Graph>>> bodies; // of loops and branches, by argument
};

/// A tensor that the file holds: where its bytes are is the reader's matter (`Weights`).
struct Input {
  enum class Kind : uint8_t { User, Parameter, Buffer, Constant } kind;
  std::string value;        // its name in the graph
  std::string path;         // in `state_dict`: "h.0.attn.weight"; of a user's input its name in the model's signature
  bool isPersistent = true; // a buffer that `state_dict` has
  bool isTrained = true;    // a parameter that requires a gradient
};

struct Output {
  enum class Kind : uint8_t { User, Loss, BufferMutation } kind;
  std::string value;
  std::string path; // of the buffer that is mutated; of a user's output its key, if the model returns a mapping
};

struct Graph {
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Node> nodes;                 // in an order in which each value is made before it is used
  std::map<std::string, TensorType> types; // of all values that are tensors
  /// Element types that plc lacks, of values within the graph: as the file names them, "ComplexFloat". These values are
  /// not in `types`.
  std::map<std::string, std::string> otherTypes;
  std::map<std::string, int64_t> numbers; // of values that are integers, at the exported sizes
};

/// The bytes of parameters, buffers and constants, dense and row-major in the value's type.
class Weights {
public:
  virtual ~Weights() = default;
  /// The bytes of an input that is not the user's. Throws `runtime`-style errors after damage of the file.
  virtual std::vector<std::byte> read(const Input &input) const = 0;
  /// The storage that an input is a view of; tied inputs have the same one and the same type.
  virtual std::string storageOf(const Input &input) const = 0;
};

struct ImportedModel {
  Graph graph;
  std::unique_ptr<Weights> weights;
};

} // namespace plc::import

#endif
