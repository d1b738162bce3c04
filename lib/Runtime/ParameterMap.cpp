#include "plc/Runtime/ParameterMap.h"

#include "plc/Runtime/Error.h"

#include <algorithm>
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

/// `rest` begins with what the braces of number `piece` stand for. Tries the shortest text first.
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

std::string NamePattern::firstNotIn(const NamePattern &other) const {
  for (const std::string &name : names)
    if (std::find(other.names.begin(), other.names.end(), name) == other.names.end())
      return name;
  return "";
}

std::string ParameterMap::place(int64_t line, int64_t column) const {
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
      throw Error(BadInput, place(rule.line, rule.column),
                  "'" + rule.parameter.text() + "' and '" + found->parameter.text() + "' both name parameter '" +
                      parameter + "'; a name without braces goes before both");
    found = &rule;
  }
  return found;
}

namespace {

using Shape = std::vector<int64_t>;

std::string listText(const Shape &numbers) {
  std::string text = "[";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + "]";
}

std::optional<std::string> checkAxis(int64_t axis, const TensorInfo &info) {
  if (axis >= 0 && axis < static_cast<int64_t>(info.shape.size()))
    return std::nullopt;
  return "there is no axis " + std::to_string(axis) + " in " + info.typeText() + ", whose axes count from 0";
}

/// Keeps elements `begin` to `end` - 1 of an axis.
void keepPart(Tensor &tensor, size_t axis, int64_t begin, int64_t end) {
  Shape &shape = tensor.info.shape;
  size_t inner = byteWidth(tensor.info.type), outer = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i)
    inner *= static_cast<size_t>(shape[i]);
  for (size_t i = 0; i < axis; ++i)
    outer *= static_cast<size_t>(shape[i]);
  Bytes kept;
  kept.reserve(outer * static_cast<size_t>(end - begin) * inner);
  for (size_t row = 0; row < outer; ++row) {
    auto first = tensor.data.begin() +
                 static_cast<int64_t>((row * static_cast<size_t>(shape[axis]) + static_cast<size_t>(begin)) * inner);
    kept.insert(kept.end(), first, first + static_cast<int64_t>(static_cast<size_t>(end - begin) * inner));
  }
  shape[axis] = end - begin;
  tensor.data = std::move(kept);
}

std::optional<std::string> split(const Turn &turn, Tensor &tensor) {
  int64_t axis = turn.numbers[0], part = turn.numbers[1], parts = turn.numbers[2];
  if (auto wrong = checkAxis(axis, tensor.info))
    return wrong;
  if (parts < 1 || part < 0 || part >= parts)
    return "there is no part " + std::to_string(part) + " of " + std::to_string(parts) + ", which count from 0";
  int64_t extent = tensor.info.shape[static_cast<size_t>(axis)], size = extent / parts;
  if (extent % parts)
    return "axis " + std::to_string(axis) + " of " + tensor.info.typeText() + " has no " + std::to_string(parts) +
           " equal parts";
  keepPart(tensor, static_cast<size_t>(axis), part * size, (part + 1) * size);
  return std::nullopt;
}

std::optional<std::string> slice(const Turn &turn, Tensor &tensor) {
  int64_t axis = turn.numbers[0], begin = turn.numbers[1], end = turn.numbers[2];
  if (auto wrong = checkAxis(axis, tensor.info))
    return wrong;
  if (begin < 0 || begin > end || end > tensor.info.shape[static_cast<size_t>(axis)])
    return "elements " + std::to_string(begin) + " to below " + std::to_string(end) + " are outside axis " +
           std::to_string(axis) + " of " + tensor.info.typeText();
  keepPart(tensor, static_cast<size_t>(axis), begin, end);
  return std::nullopt;
}

std::optional<std::string> reshape(const Turn &turn, const Shape &wanted, Tensor &tensor) {
  Shape shape = turn.numbers.empty() ? wanted : turn.numbers;
  int64_t count = tensor.info.numElements(), known = 1;
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
  if (open && fits) {
    fits = known > 0 && count % known == 0;
    *open = fits ? count / known : -1;
    known = count;
  }
  if (!fits || known != count)
    return "the " + std::to_string(count) + " elements of " + tensor.info.typeText() + " do not fill " +
           listText(turn.numbers.empty() ? wanted : turn.numbers);
  tensor.info.shape = shape;
  return std::nullopt;
}

std::optional<std::string> transpose(const Turn &turn, Tensor &tensor) {
  size_t rank = tensor.info.shape.size(), width = byteWidth(tensor.info.type);
  Shape axes = turn.numbers, sorted, identity;
  for (size_t i = 0; i < rank; ++i) {
    identity.push_back(static_cast<int64_t>(i));
    if (turn.numbers.empty())
      axes.insert(axes.begin(), static_cast<int64_t>(i));
  }
  sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != identity)
    return listText(turn.numbers) + " is no order of the " + std::to_string(rank) + " axes of " +
           tensor.info.typeText() + ", which count from 0";
  Shape strides(rank), shape(rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= tensor.info.shape[i])
    strides[i] = stride;
  for (size_t i = 0; i < rank; ++i)
    shape[i] = tensor.info.shape[static_cast<size_t>(axes[i])];
  Bytes turned(tensor.data.size());
  Shape at(rank);
  for (size_t to = 0; to < turned.size(); to += width) {
    int64_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += at[i] * strides[static_cast<size_t>(axes[i])];
    std::copy_n(tensor.data.begin() + from * static_cast<int64_t>(width), width,
                turned.begin() + static_cast<int64_t>(to));
    for (size_t i = rank; i-- > 0 && ++at[i] == shape[i];)
      at[i] = 0;
  }
  tensor.info.shape = shape;
  tensor.data = std::move(turned);
  return std::nullopt;
}

} // namespace

std::optional<std::string> turn(const Turn &turn, const Shape &wanted, Tensor &tensor) {
  switch (turn.kind) {
  case Turn::Kind::Reshape: return reshape(turn, wanted, tensor);
  case Turn::Kind::Slice: return slice(turn, tensor);
  case Turn::Kind::Split: return split(turn, tensor);
  case Turn::Kind::Transpose: return transpose(turn, tensor);
  }
  return std::nullopt;
}

} // namespace plc::runtime
