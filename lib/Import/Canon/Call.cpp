//===- Call.cpp - the arguments of one operator ---------------------------===//
#include "Canon/Canon.h"

#include <algorithm>
#include <cmath>

using namespace plc;
using namespace plc::import;

const Argument *Call::find(const char *name) const {
  for (const auto &[argument, value] : node.arguments)
    if (argument == name)
      return std::holds_alternative<std::monostate>(value) ? nullptr : &value;
  return nullptr;
}

std::optional<int64_t> Call::numberNamed(const std::string &name) const {
  auto found = graph.numbers.find(name);
  return found == graph.numbers.end() ? std::nullopt : std::optional(found->second);
}

/// Extents and positions. Beyond all of them are the ends that PyTorch writes for "all", and lies; none overflows where
/// it is multiplied.
static int64_t bounded(int64_t number) {
  constexpr int64_t most = int64_t(1) << 30;
  return std::clamp(number, -most, most);
}

int64_t Call::integer(const char *name, int64_t otherwise) const {
  const Argument *argument = find(name);
  if (!argument)
    return otherwise;
  if (const auto *value = std::get_if<ValueName>(argument))
    return bounded(numberNamed(value->name).value_or(otherwise));
  if (const auto *value = std::get_if<int64_t>(argument))
    return bounded(*value);
  if (const auto *value = std::get_if<bool>(argument))
    return *value;
  if (const auto *value = std::get_if<double>(argument))
    return std::fabs(*value) < 1e9 ? int64_t(*value) : otherwise;
  return otherwise;
}

double Call::real(const char *name, double otherwise) const {
  const Argument *argument = find(name);
  if (argument)
    if (const auto *value = std::get_if<double>(argument))
      return *value;
  if (argument)
    if (const auto *value = std::get_if<int64_t>(argument))
      return double(*value);
  return argument ? double(integer(name)) : otherwise;
}

bool Call::truth(const char *name, bool otherwise) const { return integer(name, otherwise); }

std::string Call::text(const char *name) const {
  const Argument *argument = find(name);
  const auto *value = argument ? std::get_if<std::string>(argument) : nullptr;
  return value ? *value : "";
}

Shape Call::integers(const char *name) const {
  const Argument *argument = find(name);
  if (!argument)
    return {};
  Shape list;
  if (const auto *numbers = std::get_if<Shape>(argument))
    list = *numbers;
  else if (const auto *names = std::get_if<std::vector<ValueName>>(argument))
    for (const ValueName &value : *names)
      list.push_back(numberNamed(value.name).value_or(0));
  else
    list = {integer(name)};
  std::transform(list.begin(), list.end(), list.begin(), bounded);
  return list;
}

std::vector<double> Call::reals(const char *name) const {
  const Argument *argument = find(name);
  const auto *list = argument ? std::get_if<std::vector<double>>(argument) : nullptr;
  return list ? *list : std::vector<double>();
}

Shape Call::perAxis(const char *name, size_t count, int64_t otherwise) const {
  Shape list = integers(name);
  if (list.empty())
    list = {otherwise};
  if (list.size() < count)
    list.resize(count, list[0]);
  return list;
}

/// No name is no tensor.
NetNode *Call::tensorNamed(const std::string &name) const {
  if (name.empty())
    return nullptr;
  if (auto found = values.find(name); found != values.end())
    return found->second;
  if (std::optional<int64_t> number = numberNamed(name))
    return build.number(double(*number), ElementType::I64);
  throw CannotImport("it reads '" + name + "', which is no tensor of a type of plc");
}

NetNode *Call::tensor(const char *name) const {
  if (NetNode *tensor = tensorIf(name))
    return tensor;
  throw CannotImport(std::string("its argument '") + name + "' is not there, or no tensor");
}

NetNode *Call::tensorIf(const char *name) const {
  const Argument *argument = find(name);
  if (!argument)
    return nullptr;
  if (const auto *value = std::get_if<ValueName>(argument))
    return tensorNamed(value->name);
  if (const auto *value = std::get_if<bool>(argument))
    return build.number(*value, ElementType::Bool);
  if (const auto *value = std::get_if<int64_t>(argument))
    return build.number(double(*value), ElementType::I64);
  if (const auto *value = std::get_if<double>(argument))
    return build.number(*value, ElementType::F64);
  return nullptr;
}

Nodes Call::tensors(const char *name) const {
  Nodes list = tensorsIf(name);
  if (std::find(list.begin(), list.end(), nullptr) != list.end())
    throw CannotImport(std::string("its argument '") + name + "' is not there, or no tensor");
  return list;
}

Nodes Call::tensorsIf(const char *name) const {
  Nodes list;
  if (const Argument *argument = find(name))
    if (const auto *names = std::get_if<std::vector<ValueName>>(argument))
      for (const ValueName &value : *names)
        list.push_back(tensorNamed(value.name));
  return list;
}

int Call::dim(const char *name, int rank, int64_t otherwise) const {
  int64_t dim = integer(name, otherwise), axis = dim < 0 ? dim + rank : dim;
  if (axis < 0 || axis >= std::max(rank, 1))
    throw CannotImport("it names axis " + std::to_string(dim) + " of a tensor of rank " + std::to_string(rank));
  return int(axis);
}

Shape Call::dims(const char *name, const NetNode *x) const {
  Shape dims = integers(name);
  for (int64_t &dim : dims)
    dim += dim < 0 ? x->rank() : 0;
  return dims;
}

const TensorType &Call::type(size_t result) const {
  auto found = graph.types.find(node.results.at(result));
  if (found == graph.types.end())
    throw CannotImport("its result has no type");
  return found->second;
}
