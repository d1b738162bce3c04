// Reads what `--input` gives.
#include "GivenInputs.h"

#include "plc/Runtime/Tensors/ConvertTensor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace plc::runtime {

namespace {

[[noreturn]] void refuseNumber(const TensorOption &option, const TensorInfo &wanted, std::string_view found) {
  bool isTruth = kindOf(wanted.type) == ElementKind::Truth;
  throw usageError("found '" + std::string(found) + "' for input '" + option.name + "', expected " +
                   (isTruth ? "0 or 1" : "a number of type " + std::string(nameOf(wanted.type))));
}

/// Writes one number of the option as an element.
void parseElement(const TensorOption &option, const TensorInfo &wanted, std::string_view word, std::byte *element) {
  visit(wanted.type, [&](auto traits) {
    using Value = typename decltype(traits)::Value;
    auto parse = [&](auto number) {
      auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || end != word.data() + word.size())
        refuseNumber(option, wanted, word);
      return number;
    };
    if constexpr (traits.kind == ElementKind::Integer) {
      Value value = parse(Value());
      std::memcpy(element, &value, sizeof(value));
    } else if constexpr (traits.kind == ElementKind::Truth) {
      if (word != "0" && word != "1")
        refuseNumber(option, wanted, word);
      *element = std::byte(word == "1");
    } else {
      fillElements(wanted.type, 1, element, parse(double()));
    }
  });
}

/// A tensor of numbers on the command line: one for each element, or one for all.
Tensor parseNumbers(const TensorOption &option, const TensorInfo &wanted) {
  std::vector<std::string_view> words;
  for (std::string_view rest = option.numbers;;) {
    size_t comma = rest.find(',');
    words.push_back(rest.substr(0, comma));
    if (comma == rest.npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  int64_t count = wanted.numElements();
  if (words.size() != 1 && static_cast<int64_t>(words.size()) != count)
    throw usageError("found " + std::to_string(words.size()) + " numbers for input '" + option.name + "' " +
                     wanted.typeText() + ", expected 1 or " + std::to_string(count));
  Tensor tensor{wanted, Bytes(wanted.numBytes())};
  size_t width = byteWidth(wanted.type);
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    parseElement(option, wanted, words[words.size() == 1 ? 0 : i], tensor.data.data() + i * width);
  return tensor;
}

} // namespace

Tensor readTensorLike(const TensorOption &option, const TensorInfo &wanted, const char *what) {
  if (!option.numbers.empty())
    return parseNumbers(option, wanted);
  Tensor tensor = readTensor(option.location);
  convertTensor(option.location.file, std::string(what) + " '" + wanted.name + "'", wanted.type, tensor);
  if (tensor.info.type != wanted.type || tensor.info.shape != wanted.shape)
    throw fileError(option.location.file, "tensor is " + tensor.info.typeText() + ", expected " + wanted.typeText() +
                                              " for " + what + " '" + wanted.name + "'");
  return tensor;
}

Tensor readRowsLike(const TensorOption &option, const TensorInfo &wanted) {
  auto axis = static_cast<size_t>(wanted.batchAxis);
  TensorInfo rows = wanted;
  rows.shape[axis] = 1;
  if (!option.numbers.empty())
    return parseNumbers(option, rows);
  Tensor tensor = readTensor(option.location);
  convertTensor(option.location.file, "input '" + wanted.name + "'", wanted.type, tensor);
  tensor.info.batchAxis = wanted.batchAxis;
  if (tensor.info.shape.size() > axis)
    rows.shape[axis] = tensor.info.shape[axis];
  if (tensor.info.type != rows.type || tensor.info.shape != rows.shape || rows.shape[axis] == 0)
    throw fileError(option.location.file, "tensor is " + tensor.info.typeText() + ", expected rows of " +
                                              wanted.typeText() + " for input '" + wanted.name + "'");
  return tensor;
}

std::vector<std::optional<Bytes>> givenInputs(const Options &options, const EntryInfo &entry, const Engine &engine) {
  std::vector<std::optional<Bytes>> inputs(entry.inputs.size());
  for (const TensorOption &option : options.inputs) {
    if (std::none_of(engine.entries().begin(), engine.entries().end(),
                     [&](const EntryInfo &each) { return find(each.inputs, option.name) != nullptr; }))
      indexOf(entry.inputs, option.name, "input");
    for (size_t i = 0; i < entry.inputs.size(); ++i) {
      if (entry.inputs[i].name != option.name)
        continue;
      if (inputs[i])
        throw usageError("input '" + option.name + "' is given twice");
      inputs[i] = readTensorLike(option, entry.inputs[i], "input").data;
    }
  }
  return inputs;
}

void checkInputFiles(const Options &options, const Engine &engine) {
  for (const TensorOption &option : options.inputs)
    if (engine.numProcesses() > 1 && option.location.file == "-")
      throw usageError("input '" + option.name + "' is stdin, which " + std::to_string(engine.numProcesses()) +
                       " processes cannot share: give a file");
}

size_t indexOf(const std::vector<TensorInfo> &tensors, const std::string &name, const char *what) {
  std::string names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == name)
      return i;
    names += (i ? ", '" : "'") + tensors[i].name + "'";
  }
  throw usageError("unknown " + std::string(what) + " '" + name + "', expected one of " + names);
}

const TensorInfo *find(const std::vector<TensorInfo> &tensors, const std::string &name) {
  for (const TensorInfo &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

} // namespace plc::runtime
