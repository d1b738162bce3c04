// Reads a map of parameters backwards.
#include "plc/Runtime/Tensors/ExportParameters.h"

#include "plc/Runtime/Base/Error.h"
#include "plc/Runtime/Tensors/Safetensors.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {

/// A parameter that a tensor holds, whole or beside others.
struct Piece {
  size_t parameter = 0;
  const ParameterRule *rule = nullptr; // nullptr: it has its own name and layout
  NamePattern::Values values{};        // of the rule's placeholders
  std::vector<TensorInfo> shapes{};    // before each transformation of the rule, and behind the last
  int64_t index = 0;                   // of the tensor among those that are stacked
};

/// A tensor of the file.
struct Target {
  TensorInfo info;
  std::vector<Piece> pieces;
};

class Exporter {
public:
  Exporter(const std::string &file, Engine &engine, const ParameterMap *map) : file(file), engine(engine), map(map) {}

  Exported run() {
    plan();
    Exported exported;
    exported.tied = dropTied();
    exported.tensors = targets.size();
    Safetensors out;
    // Readers of Hugging Face's refuse files without it.
    out.metadata["format"] = "pt";
    for (const auto &[name, target] : targets)
      out.add(target.info, [&, target = &target](std::byte *to) {
        Bytes data = compose(*target);
        std::copy(data.begin(), data.end(), to);
      });
    out.write(file);
    if (map)
      for (const ParameterRule &rule : map->rules)
        if (!isUsed(rule))
          exported.idle.push_back(&rule);
    return exported;
  }

private:
  const ParameterInfo &infoOf(const Piece &piece) const { return engine.parameters()[piece.parameter]; }

  std::string locationOf(const Piece &piece) const {
    return piece.rule ? map->location(piece.rule->line, piece.rule->column) : file;
  }

  bool isUsed(const ParameterRule &rule) const {
    return std::any_of(engine.parameters().begin(), engine.parameters().end(),
                       [&](const ParameterInfo &each) { return map->find(each.path) == &rule; });
  }

  // Finds the tensors with their shapes. The number of stacked ones is known when the shapes are.
  void plan() {
    std::map<std::string, std::vector<Piece>> named;
    for (size_t i = 0; i < engine.parameters().size(); ++i) {
      Piece piece{i};
      std::string name = infoOf(piece).path;
      if ((piece.rule = map ? map->find(name) : nullptr)) {
        piece.values = *piece.rule->parameter.match(name);
        if (!piece.rule->stack.empty())
          piece.values[piece.rule->stack] = "0";
        name = map->namesOf(*piece.rule, piece.values).front();
      }
      named[name].push_back(piece);
    }
    for (auto &[name, pieces] : named)
      for (Piece &piece : pieces) {
        setShapes(name, pieces, piece);
        place(name, piece);
      }
    for (const auto &[name, target] : targets)
      checkSize(target);
  }

  // The shapes of a piece, from the last one to that of the tensor `name`. The slices of one axis together make it.
  void setShapes(const std::string &name, const std::vector<Piece> &pieces, Piece &piece) const {
    piece.shapes = {infoOf(piece).tensor()};
    if (!piece.rule)
      return;
    for (size_t i = piece.rule->turns.size(); i-- > 0;) {
      const Turn &turn = piece.rule->turns[i];
      TensorInfo before = piece.shapes.front();
      if (auto wrong = unturnShape(turn, sliceEnd(turn, pieces), before))
        throw Error(BadInput, map->location(turn.line, turn.column),
                    "'" + std::string(nameOfChoice(turn.kind)) + "' of parameter '" + infoOf(piece).path + "', " +
                        infoOf(piece).tensor().typeText() + ", cannot be read backwards to tensor '" + name +
                        "': " + *wrong);
      piece.shapes.insert(piece.shapes.begin(), before);
    }
    if (!piece.rule->stack.empty() && piece.shapes.front().shape.empty())
      throw Error(BadInput, locationOf(piece),
                  "parameter '" + infoOf(piece).path + "', " + infoOf(piece).tensor().typeText() +
                      ", has no first axis, whose elements are the tensors that 'stack' names");
  }

  // The extent of the axis that a slice is of: the end of its last slice.
  static int64_t sliceEnd(const Turn &turn, const std::vector<Piece> &pieces) {
    int64_t end = 0;
    for (const Piece &piece : pieces)
      for (const Turn &each : piece.rule ? piece.rule->turns : std::vector<Turn>())
        if (turn.kind == each.kind && each.kind == Turn::Kind::Slice && each.numbers[0] == turn.numbers[0])
          end = std::max(end, each.numbers[2]);
    return end;
  }

  // Adds a piece to the tensor, or a piece to each tensor that is stacked.
  void place(std::string name, Piece piece) {
    TensorInfo info = piece.shapes.front();
    int64_t count = 1;
    bool stacks = piece.rule && !piece.rule->stack.empty();
    if (stacks) {
      count = info.shape.front();
      info.shape.erase(info.shape.begin());
    }
    for (; piece.index < count; ++piece.index) {
      if (stacks) {
        piece.values[piece.rule->stack] = std::to_string(piece.index);
        name = map->namesOf(*piece.rule, piece.values).front();
      }
      info.name = name;
      Target &target = targets.try_emplace(name, Target{info, {}}).first->second;
      if (target.info.shape != info.shape || target.info.type != info.type)
        throw Error(BadInput, locationOf(piece),
                    "parameter '" + infoOf(piece).path + "' makes tensor '" + name + "' " + info.typeText() +
                        ", but parameter '" + infoOf(target.pieces.front()).path + "' makes it " +
                        target.info.typeText() + "; give each a tensor of its own")
            .note("the other is at " + locationOf(target.pieces.front()));
      target.pieces.push_back(piece);
    }
  }

  // Before memory is taken for a tensor: a map may give it any extent.
  void checkSize(const Target &target) const {
    int64_t held = 0, wanted = 1;
    bool fits = true;
    for (const Piece &piece : target.pieces)
      held += infoOf(piece).tensor().numElements();
    for (int64_t extent : target.info.shape)
      fits &= !__builtin_mul_overflow(wanted, extent, &wanted);
    if (!fits || held < wanted)
      lacks(target, held);
  }

  [[noreturn]] void lacks(const Target &target, int64_t held) const {
    throw Error(BadInput, locationOf(target.pieces.front()),
                "the parameters of tensor '" + target.info.name + "', " + target.info.typeText() + ", hold " +
                    std::to_string(held) + " of its elements; the map needs rules for the others");
  }

  // A parameter whose rule has further names is left out if the tensor of one of these has the same values: a table
  // that files have once. Returns how many are.
  size_t dropTied() {
    std::vector<std::string> tied;
    for (const auto &[name, target] : targets) {
      const Piece &piece = target.pieces.front();
      if (target.pieces.size() > 1 || !piece.rule || !piece.rule->stack.empty())
        continue;
      for (const std::string &other : map->namesOf(*piece.rule, piece.values))
        if (auto found = targets.find(other);
            found != targets.end() && other != name && found->second.info.type == target.info.type &&
            found->second.info.shape == target.info.shape && compose(found->second) == compose(target)) {
          tied.push_back(name);
          break;
        }
    }
    for (const std::string &name : tied)
      targets.erase(name);
    return tied.size();
  }

  // The elements of a tensor. A mask is transformed like each parameter, and says which elements it holds.
  Bytes compose(const Target &target) const {
    auto count = static_cast<size_t>(target.info.numElements()), width = byteWidth(target.info.type);
    Bytes whole(count * width);
    std::vector<const Piece *> holders(target.pieces.size() > 1 ? count : 0);
    size_t held = 0;
    for (const Piece &piece : target.pieces) {
      Tensor part{piece.shapes.back(), Bytes(piece.shapes.back().numBytes())};
      engine.readParameter(piece.parameter, part.data.data());
      Tensor mask{piece.shapes.back(), Bytes(static_cast<size_t>(part.info.numElements()), std::byte(1))};
      mask.info.type = ElementType::Bool;
      for (size_t i = piece.shapes.size() - 1; i-- > 0;)
        for (Tensor *each : {&part, &mask})
          unturnTensor(piece.rule->turns[i], piece.shapes[i].shape, *each);
      size_t first = static_cast<size_t>(piece.index) * count;
      for (size_t i = 0; i < count; ++i) {
        if (mask.data[first + i] == std::byte(0))
          continue;
        const std::byte *from = &part.data[(first + i) * width];
        if (holders.empty() || !holders[i])
          ++held;
        else if (std::memcmp(&whole[i * width], from, width) != 0)
          contradict(target, *holders[i], piece, static_cast<int64_t>(i));
        if (!holders.empty())
          holders[i] = &piece;
        std::memcpy(&whole[i * width], from, width);
      }
    }
    if (held < count)
      lacks(target, static_cast<int64_t>(held));
    return whole;
  }

  [[noreturn]] void contradict(const Target &target, const Piece &one, const Piece &other, int64_t element) const {
    throw Error(BadInput, locationOf(other),
                "parameters '" + infoOf(one).path + "' and '" + infoOf(other).path +
                    "' have different values for element " + positionText(target.info, element) + " of tensor '" +
                    target.info.name + "'; give each a tensor of its own")
        .note("the other is at " + locationOf(one));
  }

  const std::string &file;
  Engine &engine;
  const ParameterMap *map;
  std::map<std::string, Target> targets;
};

} // namespace

Exported exportParameters(const std::string &file, Engine &engine, const ParameterMap *map) {
  return Exporter(file, engine, map).run();
}

} // namespace plc::runtime
