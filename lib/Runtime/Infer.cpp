#include "Checkpoint.h"
#include "Files.h"
#include "Log.h"
#include "Npy.h"
#include "Runs.h"
#include "Safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>

namespace plc::runtime {

namespace {

bool isSafetensors(const std::string &file) { return file.ends_with(".safetensors"); }

Tensor readTensor(const TensorOption &option) {
  if (!isSafetensors(option.file)) {
    std::string file = option.file == "-" ? "<stdin>" : option.file;
    return parseNpy(file, readFile(option.file));
  }
  if (option.key.empty())
    throw usageError("found '" + option.file + "', expected " + option.file + ":KEY");
  Safetensors file = Safetensors::read(option.file);
  auto found = file.tensors.find(option.key);
  if (found == file.tensors.end())
    throw fileError(option.file, "tensor '" + option.key + "' is missing");
  return found->second;
}

/// Reads a tensor that must have the type and shape of `wanted`.
Tensor readTensorLike(const TensorOption &option, const TensorInfo &wanted, const char *what) {
  Tensor tensor = readTensor(option);
  if (tensor.info.type != wanted.type || tensor.info.shape != wanted.shape)
    throw fileError(option.file, "tensor is " + tensor.info.typeText() + ", expected " + wanted.typeText() + " for " +
                                     what + " '" + wanted.name + "'");
  return tensor;
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

/// `infer.NAME` if one output alone is asked for and compiled apart, `gradient` if a `grad(NAME)` is, else `infer`.
const EntryInfo &chooseEntry(const Options &options, const Engine &engine) {
  std::set<std::string> asked;
  for (const auto *list : {&options.outputs, &options.expects})
    for (const TensorOption &option : *list)
      asked.insert(option.name);
  for (const std::string &name : asked) {
    if (!name.starts_with("grad("))
      continue;
    if (const EntryInfo *entry = engine.findEntry("gradient"))
      return *entry;
    throw usageError("'" + name + "' is not supported yet: only outputs by name");
  }
  if (asked.size() == 1)
    if (const EntryInfo *entry = engine.findEntry("infer." + *asked.begin()))
      return *entry;
  return needEntry(engine, "infer");
}

std::vector<Bytes> readInputs(const Options &options, const EntryInfo &entry, const EntryInfo &all) {
  std::vector<Bytes> inputs(entry.inputs.size());
  std::vector<bool> given(entry.inputs.size());
  for (const TensorOption &option : options.inputs) {
    indexOf(all.inputs, option.name, "input");
    for (size_t i = 0; i < entry.inputs.size(); ++i) {
      if (entry.inputs[i].name != option.name)
        continue;
      if (given[i])
        throw usageError("input '" + option.name + "' is given twice");
      inputs[i] = readTensorLike(option, entry.inputs[i], "input").data;
      given[i] = true;
    }
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i])
      throw usageError("input '" + entry.inputs[i].name + "' (" + entry.inputs[i].typeText() +
                       ") is not given: add --input " + entry.inputs[i].name + "=@FILE");
  return inputs;
}

std::string positionText(const TensorInfo &info, int64_t index) {
  std::string text;
  for (size_t axis = info.shape.size(); axis-- > 0;) {
    text = std::to_string(index % info.shape[axis]) + (text.empty() ? "" : ", ") + text;
    index /= info.shape[axis];
  }
  return "[" + text + "]";
}

/// Without a tolerance: the same bits, or two NaNs. With one: |found - expected| <= atol + rtol |expected|.
bool agree(const Options &options, const TensorInfo &info, const Bytes &found, const Bytes &expected, int64_t i) {
  size_t width = byteWidth(info.type), at = static_cast<size_t>(i) * width;
  if (std::memcmp(&found[at], &expected[at], width) == 0)
    return true;
  double a = elementAsDouble(info.type, found.data(), i), b = elementAsDouble(info.type, expected.data(), i);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  bool tolerant = options.atol > 0 || options.rtol > 0;
  return tolerant && (a == b || (std::isfinite(a) && std::isfinite(b) &&
                                 std::fabs(a - b) <= options.atol + options.rtol * std::fabs(b)));
}

void compare(const Options &options, const TensorOption &option, const TensorInfo &info, const Bytes &found) {
  Tensor expected = readTensorLike(option, info, "output");
  int64_t first = -1, different = 0;
  for (int64_t i = 0; i < info.numElements(); ++i)
    if (!agree(options, info, found, expected.data, i))
      first = different++ ? first : i;
  if (!different)
    return;
  auto digits = [&](const void *data) {
    if (int64_t integer = 0; info.type == ElementType::I64) { // beyond 2^53 a double cannot tell
      std::memcpy(&integer, static_cast<const std::byte *>(data) + first * 8, sizeof(integer));
      return std::to_string(integer);
    }
    double value = elementAsDouble(info.type, data, first);
    return std::isfinite(value) ? shortestDigits(info.type, value) : std::to_string(value);
  };
  throw Error(ResultDiffers, option.file,
              "output '" + info.name + "' differs at " + positionText(info, first) + ": found " +
                  digits(found.data()) + ", expected " + digits(expected.data.data()) + " (" +
                  std::to_string(different) + " of " + std::to_string(info.numElements()) + " elements)");
}

void tellOutput(const TensorInfo &info, const Bytes &data) {
  constexpr int64_t shown = 8;
  std::string values;
  int64_t count = info.numElements();
  for (int64_t i = 0; i < std::min(count, shown); ++i) {
    double value = elementAsDouble(info.type, data.data(), i);
    values += " " + (std::isfinite(value) ? shortestDigits(info.type, value) : std::to_string(value));
  }
  std::printf("%s %s%s%s\n", info.name.c_str(), info.typeText().c_str(), values.c_str(), count > shown ? " ..." : "");
}

void checkOutputFile(const TensorOption &option) {
  if (isSafetensors(option.file))
    throw usageError("--output to a .safetensors file ('" + option.file + "') is not supported yet");
  checkWritable(option.file);
}

} // namespace

void runInfer(const Options &options, Engine &engine) {
  const EntryInfo &entry = chooseEntry(options, engine);
  for (const TensorOption &option : options.outputs) {
    indexOf(entry.outputs, option.name, "output");
    checkOutputFile(option);
  }
  for (const TensorOption &option : options.expects)
    indexOf(entry.outputs, option.name, "output");
  std::vector<Bytes> inputs = readInputs(options, entry, entry.name == "gradient" ? entry : needEntry(engine, "infer"));
  prepareParameters(options, engine);
  std::vector<Bytes> outputs = engine.run(entry, inputs);
  for (const TensorOption &option : options.outputs) {
    size_t index = indexOf(entry.outputs, option.name, "output");
    writeFile(option.file, formatNpy({entry.outputs[index], outputs[index]}));
  }
  for (const TensorOption &option : options.expects) {
    size_t index = indexOf(entry.outputs, option.name, "output");
    compare(options, option, entry.outputs[index], outputs[index]);
  }
  if (options.outputs.empty() && options.expects.empty())
    for (size_t i = 0; i < outputs.size(); ++i)
      tellOutput(entry.outputs[i], outputs[i]);
}

} // namespace plc::runtime
