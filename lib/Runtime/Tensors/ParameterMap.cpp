// Patterns of names, and transformations of tensors.
#include "plc/Runtime/Tensors/ParameterMap.h"

#include "plc/Runtime/Base/Error.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace plc::runtime {

NamePattern::NamePattern(std::string text) : whole(std::move(text)) {
  size_t at = 0;
  for (size_t open; (open = whole.find('{', at)) != std::string::npos;) {
    size_t close = whole.find('}', open);
    if (close == std::string::npos)
      throw std::invalid_argument("'{' in '" + whole + "' is not closed");
    literals.push_back(whole.substr(at, open - at));
    names.push_back(whole.substr(open + 1, close - open - 1));
    if (names.back().empty())
      throw std::invalid_argument("'{}' in '" + whole + "' has no name, as '{l}' has");
    at = close + 1;
  }
  literals.push_back(whole.substr(at));
}

std::optional<NamePattern::Values> NamePattern::match(std::string_view name) const {
  Values values;
  if (!name.starts_with(literals[0]) || !matchFrom(0, name.substr(literals[0].size()), values))
    return std::nullopt;
  return values;
}

/// Matches placeholders from number `piece` on, by backtracking; `rest` begins with the value of that one. Tries the
/// shortest value first.
bool NamePattern::matchFrom(size_t piece, std::string_view rest, Values &values) const {
  if (piece == names.size())
    return rest.empty();
  auto known = values.find(names[piece]);
  for (size_t length = 1; length <= rest.size() && rest[length - 1] != '.'; ++length) {
    std::string_view value = rest.substr(0, length), behind = rest.substr(length);
    if (!behind.starts_with(literals[piece + 1]) || (known != values.end() && known->second != value))
      continue;
    Values tried = values;
    tried[names[piece]] = value;
    if (matchFrom(piece + 1, behind.substr(literals[piece + 1].size()), tried)) {
      values = std::move(tried);
      return true;
    }
  }
  return false;
}

std::string NamePattern::fill(const Values &values) const {
  std::string text = literals[0];
  for (size_t i = 0; i < names.size(); ++i)
    text += values.at(names[i]) + literals[i + 1];
  return text;
}

bool NamePattern::has(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string NamePattern::firstNotIn(const NamePattern &other, std::string_view except) const {
  for (const std::string &name : names)
    if (name != except && !other.has(name))
      return name;
  return "";
}

std::string ParameterMap::location(int64_t line, int64_t column) const {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

const ParameterRule *ParameterMap::find(const std::string &parameter) const {
  const ParameterRule *found = nullptr;
  for (const ParameterRule &rule : rules) {
    if (!rule.parameter.match(parameter))
      continue;
    if (rule.parameter.isPlain())
      return &rule;
    if (found)
      throw Error(BadInput, location(rule.line, rule.column),
                  "'" + rule.parameter.text() + "' and '" + found->parameter.text() + "' both name parameter '" +
                      parameter + "'; a name without braces goes before both");
    found = &rule;
  }
  return found;
}

std::vector<std::string> ParameterMap::namesOf(const ParameterRule &rule, const NamePattern::Values &values) const {
  std::vector<std::string> names;
  for (const NamePattern &from : rule.from) {
    std::string name = from.fill(values);
    if (std::any_of(bare.begin(), bare.end(), [&](const NamePattern &each) { return each.match(name).has_value(); }))
      names.push_back(name);
    else
      for (const std::string &prefix : prefixes)
        names.push_back(prefix + name);
  }
  return names;
}

namespace {

using Shape = std::vector<int64_t>;

std::string listText(const Shape &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

std::string listText(const std::vector<Shape> &lists) {
  std::string text = "[";
  for (size_t i = 0; i < lists.size(); ++i)
    text += (i ? ", " : "") + listText(lists[i]);
  return text + "]";
}

std::optional<std::string> checkAxis(int64_t axis, const TensorInfo &info) {
  if (axis >= 0 && axis < static_cast<int64_t>(info.shape.size()))
    return std::nullopt;
  return "there is no axis " + std::to_string(axis) + " in " + info.typeText() + ", whose axes count from 0";
}

/// The slice of an axis that is kept.
struct Kept {
  int64_t axis, begin, end;
};

/// Each of these returns the reason why a transformation does not fit, or changes the shape.
std::optional<std::string> split(const Turn &turn, const TensorInfo &info, Kept &kept) {
  int64_t axis = turn.numbers[0], part = turn.numbers[1], parts = turn.numbers[2];
  if (auto wrong = checkAxis(axis, info))
    return wrong;
  if (parts < 1 || part < 0 || part >= parts)
    return "there is no part " + std::to_string(part) + " of " + std::to_string(parts) + ", which count from 0";
  int64_t extent = info.shape[static_cast<size_t>(axis)], size = extent / parts;
  if (extent % parts)
    return "axis " + std::to_string(axis) + " of " + info.typeText() + " has no " + std::to_string(parts) +
           " equal parts";
  kept = {axis, part * size, (part + 1) * size};
  return std::nullopt;
}

std::optional<std::string> slice(const Turn &turn, const TensorInfo &info, Kept &kept) {
  int64_t axis = turn.numbers[0], begin = turn.numbers[1], end = turn.numbers[2];
  if (auto wrong = checkAxis(axis, info))
    return wrong;
  if (begin < 0 || begin > end || end > info.shape[static_cast<size_t>(axis)])
    return "elements " + std::to_string(begin) + " to below " + std::to_string(end) + " are outside axis " +
           std::to_string(axis) + " of " + info.typeText();
  kept = {axis, begin, end};
  return std::nullopt;
}

/// Makes a shape the one before a reshape. Each axis there becomes the axes of a group, so its extent is their product;
/// -1 if one of them is not known.
std::optional<std::string> join(const Turn &turn, TensorInfo &info) {
  Shape axes, identity(info.shape.size()), before;
  for (const Shape &group : turn.groups)
    axes.insert(axes.end(), group.begin(), group.end());
  std::iota(identity.begin(), identity.end(), 0);
  if (axes != identity)
    return listText(turn.groups) + " does not have the axes 0, 1, .. of " + info.typeText() + " in their order";
  for (const Shape &group : turn.groups) {
    int64_t extent = 1;
    for (int64_t axis : group)
      extent = std::min(extent, info.shape[static_cast<size_t>(axis)]) < 0
                   ? -1
                   : extent * info.shape[static_cast<size_t>(axis)];
    before.push_back(extent);
  }
  info.shape = before;
  return std::nullopt;
}

/// Checks that a reshape by groups to `wanted` begins with the shape that they say.
std::optional<std::string> checkJoined(const Turn &turn, const Shape &wanted, const TensorInfo &info) {
  TensorInfo before = info;
  before.shape = wanted;
  if (auto wrong = join(turn, before))
    return wrong;
  bool fits = before.shape.size() == info.shape.size();
  for (size_t i = 0; i < info.shape.size() && fits; ++i)
    fits = before.shape[i] < 0 || before.shape[i] == info.shape[i];
  if (fits)
    return std::nullopt;
  return listText(turn.groups) + " makes " + listText(wanted) + " of " + before.typeText() + ", found " +
         info.typeText();
}

std::optional<std::string> reshape(const Turn &turn, const Shape &wanted, TensorInfo &info) {
  if (!turn.groups.empty())
    if (auto wrong = checkJoined(turn, wanted, info))
      return wrong;
  Shape shape = turn.numbers.empty() ? wanted : turn.numbers;
  int64_t count = info.numElements(), known = 1;
  int64_t *open = nullptr;
  bool fits = true;
  for (int64_t &extent : shape) {
    if (extent < 0) {
      fits &= !open;
      open = &extent;
    } else {
      fits &= !__builtin_mul_overflow(known, extent, &known);
    }
  }
  // One extent may be -1: it is the quotient.
  if (open && fits) {
    fits = known > 0 && count % known == 0;
    *open = fits ? count / known : -1;
    known = count;
  }
  if (!fits || known != count)
    return "the " + std::to_string(count) + " elements of " + info.typeText() + " do not fill " +
           listText(turn.numbers.empty() ? wanted : turn.numbers);
  info.shape = shape;
  return std::nullopt;
}

/// For each axis of a transposed tensor, the axis of the original. `true` reverses them.
Shape axesOf(const Turn &turn, size_t rank) {
  Shape axes = turn.numbers;
  for (size_t i = 0; i < rank && turn.numbers.empty(); ++i)
    axes.insert(axes.begin(), static_cast<int64_t>(i));
  return axes;
}

std::optional<std::string> transpose(const Turn &turn, TensorInfo &info) {
  size_t rank = info.shape.size();
  Shape axes = axesOf(turn, rank), sorted = axes, identity(rank), shape;
  std::sort(sorted.begin(), sorted.end());
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity)
    return listText(turn.numbers) + " is no order of the " + std::to_string(rank) + " axes of " + info.typeText() +
           ", which count from 0";
  for (int64_t axis : axes)
    shape.push_back(info.shape[static_cast<size_t>(axis)]);
  info.shape = shape;
  return std::nullopt;
}

/// Applies a transformation to the shape `after`; a slice or split also sets `kept`.
std::optional<std::string> shapeAndPart(const Turn &turn, const Shape &wanted, TensorInfo &after, Kept &kept) {
  std::optional<std::string> wrong;
  switch (turn.kind) {
  case Turn::Kind::Reshape: return reshape(turn, wanted, after);
  case Turn::Kind::Transpose: return transpose(turn, after);
  case Turn::Kind::Slice: wrong = slice(turn, after, kept); break;
  case Turn::Kind::Split: wrong = split(turn, after, kept); break;
  }
  if (!wrong)
    after.shape[static_cast<size_t>(kept.axis)] = kept.end - kept.begin;
  return wrong;
}

/// Copies the kept slice of each row of an axis of `shape`; `back`: to its offset in zeros.
void copyPart(const Kept &kept, const Shape &shape, bool back, Tensor &tensor) {
  auto axis = static_cast<size_t>(kept.axis);
  size_t inner = byteWidth(tensor.info.type), outer = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    inner *= static_cast<size_t>(shape[i]);
  for (size_t i = 0; i < axis; ++i)
    outer *= static_cast<size_t>(shape[i]);
  size_t whole = static_cast<size_t>(shape[axis]) * inner, part = static_cast<size_t>(kept.end - kept.begin) * inner;
  Bytes data(outer * (back ? whole : part));
  for (size_t row = 0; row < outer && part; ++row) {
    size_t apart = row * part, inside = row * whole + static_cast<size_t>(kept.begin) * inner;
    std::memcpy(&data[back ? inside : apart], &tensor.data[back ? apart : inside], part);
  }
  tensor.data = std::move(data);
}

/// An axis of a transposed tensor: its extent, and its strides in the original and in the result, in elements.
struct Axis {
  int64_t extent, from, to;
};

/// Transposes a plane in tiles, so that cache lines are used whole both in reading and in writing.
template <typename Word>
void turnPlane(const Axis &rows, const Axis &columns, const Word *from, Word *to) {
  // 16 words of f32 are a cache line. Not tuned further.
  constexpr int64_t tile = 16;
  for (int64_t i = 0; i < rows.extent; i += tile)
    for (int64_t j = 0; j < columns.extent; j += tile)
      for (int64_t y = i; y < std::min(i + tile, rows.extent); ++y)
        for (int64_t x = j; x < std::min(j + tile, columns.extent); ++x)
          to[y * rows.to + x * columns.to] = from[y * rows.from + x * columns.from];
}

template <typename Word>
void turnWords(std::vector<Axis> axes, const Word *from, Word *to) {
  // A plane has the two axes of stride 1: the one that is contiguous in the original, and the one in the result.
  Axis last = {1, 0, 0}, now = {1, 0, 0};
  for (auto [step, axis] : {std::pair(&Axis::from, &last), std::pair(&Axis::to, &now)}) {
    auto found = std::find_if(axes.begin(), axes.end(), [&, step = step](const Axis &each) { return each.*step == 1; });
    if (found == axes.end())
      continue;
    *axis = *found;
    axes.erase(found);
  }
  // An odometer over the other axes.
  Shape at(axes.size());
  for (bool more = true; more;) {
    int64_t source = 0, target = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      source += at[i] * axes[i].from;
      target += at[i] * axes[i].to;
    }
    turnPlane(last, now, from + source, to + target);
    more = false;
    for (size_t i = axes.size(); i-- > 0 && !more; at[i] = more ? at[i] : 0)
      more = ++at[i] < axes[i].extent;
  }
}

void turnAxes(const Turn &turn, const Shape &after, Tensor &tensor) {
  size_t rank = after.size();
  Shape order = axesOf(turn, rank), steps(rank, 1);
  for (size_t i = rank; i-- > 1;)
    steps[i - 1] = steps[i] * tensor.info.shape[i];
  std::vector<Axis> axes;
  int64_t to = 1;
  for (size_t i = rank; i-- > 0; to *= after[i])
    if (after[i] != 1)
      axes.push_back({after[i], steps[static_cast<size_t>(order[i])], to});
  Bytes data(tensor.data.size());
  if (!data.empty())
    visit(tensor.info.type, [&](auto traits) {
      using Word = typename decltype(traits)::Value;
      turnWords(axes, reinterpret_cast<const Word *>(tensor.data.data()), reinterpret_cast<Word *>(data.data()));
    });
  tensor.data = std::move(data);
}

} // namespace

std::optional<std::string> turnShape(const Turn &turn, const Shape &wanted, TensorInfo &info) {
  Kept kept{};
  return shapeAndPart(turn, wanted, info, kept);
}

void turnTensor(const Turn &turn, const Shape &wanted, Tensor &tensor) {
  TensorInfo after = tensor.info;
  Kept kept{};
  shapeAndPart(turn, wanted, after, kept);
  if (turn.kind == Turn::Kind::Slice || turn.kind == Turn::Kind::Split)
    copyPart(kept, tensor.info.shape, /*back=*/false, tensor);
  else if (turn.kind == Turn::Kind::Transpose)
    turnAxes(turn, after.shape, tensor);
  tensor.info = after;
}

/// The order of axes that undoes a transposition.
static Turn inverse(const Turn &turn, size_t rank) {
  Turn back{Turn::Kind::Transpose, Shape(rank), turn.line, turn.column};
  Shape axes = axesOf(turn, rank);
  for (size_t i = 0; i < rank; ++i)
    back.numbers[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return back;
}

std::optional<std::string> unturnShape(const Turn &turn, int64_t sliced, TensorInfo &info) {
  if (turn.kind == Turn::Kind::Reshape)
    return turn.groups.empty()
               ? "a reshape does not say the shape before it; write the axes that each axis becomes, as "
                 "'reshape = [[0], [1, 2]]'"
               : join(turn, info);
  TensorInfo after = info;
  if (turn.kind == Turn::Kind::Transpose) {
    if (auto wrong = transpose(turn, after))
      return wrong;
    return transpose(inverse(turn, info.shape.size()), info);
  }
  if (auto wrong = checkAxis(turn.numbers[0], info))
    return wrong;
  int64_t &extent = info.shape[static_cast<size_t>(turn.numbers[0])];
  if (turn.kind == Turn::Kind::Slice)
    extent = sliced;
  else if (extent >= 0 && __builtin_mul_overflow(extent, turn.numbers[2], &extent))
    return "a tensor of " + std::to_string(turn.numbers[2]) + " such parts is too large";
  if (extent < 0)
    return std::nullopt;
  TensorInfo again = info;
  if (auto wrong = turnShape(turn, {}, again))
    return wrong;
  if (again.shape != after.shape)
    return "it keeps " + again.typeText() + ", not " + after.typeText();
  return std::nullopt;
}

void unturnTensor(const Turn &turn, const Shape &before, Tensor &tensor) {
  TensorInfo whole = tensor.info;
  whole.shape = before;
  if (turn.kind == Turn::Kind::Transpose)
    return turnTensor(inverse(turn, before.size()), {}, tensor);
  if (turn.kind != Turn::Kind::Reshape) {
    TensorInfo after = whole;
    Kept kept{};
    shapeAndPart(turn, {}, after, kept);
    copyPart(kept, before, /*back=*/true, tensor);
  }
  tensor.info = whole;
}

std::vector<Shape> ParameterRule::wantedShapes(const TensorInfo &parameter) const {
  std::vector<Shape> wanted(turns.size(), parameter.shape);
  TensorInfo after = parameter;
  for (size_t i = turns.size(); i-- > 0;) {
    if (!turns[i].groups.empty())
      wanted[i] = after.shape;
    if (unturnShape(turns[i], -1, after))
      break;
  }
  return wanted;
}

} // namespace plc::runtime
