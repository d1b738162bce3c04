// `plc-run infer`: one run of an entry on given tensors.
#include "GivenInputs.h"
#include "Log.h"
#include "Runs.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/Npy.h"
#include "plc/Runtime/Tensors/RandomKeys.h"
#include "plc/Runtime/Tensors/Safetensors.h"
#include "plc/Support/ResultName.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

namespace plc::runtime {

namespace {

constexpr std::string_view stdinFile = "-";

/// Throws the reason why there is no `grad(NAME)`.
void checkGradient(const std::string &asked, const std::string &name, const EntryInfo &infer, const Engine &engine) {
  const std::string model = "model '" + engine.modelName() + "'";
  if (std::none_of(engine.entries().begin(), engine.entries().end(),
                   [](const EntryInfo &each) { return find(each.outputs, "loss"); }))
    throw usageError(model + " has no output 'loss', whose gradient '" + asked + "' would be");
  const TensorInfo *input = find(infer.inputs, name);
  if (input && !isReal(input->type))
    throw usageError("input '" + name + "' is " + input->typeText() + ", so it has no gradient; only a real has one");
  const std::vector<ParameterInfo> &parameters = engine.parameters();
  if (input || std::any_of(parameters.begin(), parameters.end(), [&](auto &each) { return each.path == name; }))
    return;
  std::string there;
  for (const TensorInfo &each : infer.inputs)
    there += (there.empty() ? "'" : ", '") + each.name + "'";
  throw usageError(model + " has no input or parameter '" + name + "'; its inputs are " + there +
                   (parameters.empty() ? "" : ", parameters such as '" + parameters[0].path + "'"));
}

/// Throws the reason why no entry has all requested outputs.
[[noreturn]] void refuseOutputs(const std::set<std::string> &asked, const Engine &engine) {
  const EntryInfo &infer = needEntry(engine, "infer");
  std::string names, options;
  for (const std::string &name : asked) {
    if (ResultName result = parseResultName(name); result.isGradient())
      checkGradient(name, std::string(result.name), infer, engine);
    else if (!result.isRuleValue()) // which the compiler alone knows
      indexOf(infer.outputs, name, "output");
    names += (names.empty() ? "'" : ", '") + name + "'";
    options += " --output '" + name + "'";
  }
  throw usageError("model '" + engine.modelName() + "' is compiled without " + names +
                   (asked.size() > 1 ? " in one run" : "") + "; compile it by plc-compile MODEL.ein" + options +
                   " -o M.plcm");
}

/// The entry with the fewest outputs among those that have all requested ones, preferably without gradients; `infer` if
/// nothing is requested.
const EntryInfo &chooseEntry(const Options &options, const Engine &engine) {
  std::set<std::string> asked;
  for (const auto *list : {&options.outputs, &options.expects})
    for (const TensorOption &option : *list)
      asked.insert(option.name);
  if (asked.empty())
    return needEntry(engine, "infer");
  const EntryInfo *best = nullptr;
  for (const EntryInfo &entry : engine.entries()) {
    bool gives = !entry.trains() && std::all_of(asked.begin(), asked.end(), [&](const std::string &name) {
      return find(entry.outputs, name) != nullptr;
    });
    auto cost = [](const EntryInfo &each) { return std::pair(each.outputs.size(), each.isGradient()); };
    if (gives && (!best || cost(entry) < cost(*best)))
      best = &entry;
  }
  if (!best)
    refuseOutputs(asked, engine);
  return *best;
}

/// Reads the inputs; keys of draws that are not given stay empty.
std::vector<Bytes> readInputs(const Options &options, const EntryInfo &entry, const Engine &engine) {
  std::vector<Bytes> inputs(entry.inputs.size());
  std::vector<std::optional<Bytes>> given = givenInputs(options, entry, engine);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i])
      inputs[i] = std::move(*given[i]);
    else if (!entry.inputs[i].isRandom())
      throw usageError("input '" + entry.inputs[i].name + "' (" + entry.inputs[i].typeText() +
                       ") is not given: add --input " + entry.inputs[i].name + "=@FILE");
  }
  return inputs;
}

/// Fills in the keys that are not given. `gradient` draws as the next training step would.
void fillKeys(const Options &options, const EntryInfo &entry, const Engine &engine, std::vector<Bytes> &inputs) {
  int64_t step = entry.isGradient() ? engine.stepOf(entry) : noStep;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].empty() && entry.inputs[i].isRandom())
      inputs[i] = randomKeys(entry.inputs[i], options.seed.value_or(0), step);
}

/// Without a tolerance: equal bits, or two NaNs. Else |found - expected| <= atol + rtol |expected|.
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
    // Not by a double, which cannot tell integers beyond 2^53 apart.
    std::string integer = visit(info.type, [&](auto traits) -> std::string {
      if constexpr (traits.kind == ElementKind::Integer) {
        typename decltype(traits)::Value value;
        std::memcpy(&value, static_cast<const std::byte *>(data) + static_cast<size_t>(first) * sizeof(value),
                    sizeof(value));
        return std::to_string(value);
      }
      return {};
    });
    if (!integer.empty())
      return integer;
    double value = elementAsDouble(info.type, data, first);
    return std::isfinite(value) ? shortestDigits(info.type, value) : std::to_string(value);
  };
  throw Error(ResultDiffers, option.location.file,
              "output '" + info.name + "' differs at " + positionText(info, first) + ": found " + digits(found.data()) +
                  ", expected " + digits(expected.data.data()) + " (" + std::to_string(different) + " of " +
                  std::to_string(info.numElements()) + " elements)");
}

/// Throws if two outputs have one file. A stream may carry several, one after another.
void checkOutputFiles(const std::vector<TensorOption> &outputs) {
  std::set<std::string> locations;
  for (const TensorOption &option : outputs) {
    if (option.location.file.empty())
      continue;
    option.location.check();
    checkWritable(option.location.file);
    if (option.location.file != "-" && !locations.insert(option.location.text()).second)
      throw usageError("two --output to '" + option.location.text() + "'");
  }
}

/// Writes or prints the requested outputs. Those of one .safetensors file are written together, and replace its
/// contents.
void writeOutputs(const std::vector<TensorOption> &outputs, const EntryInfo &entry, const std::vector<Bytes> &values) {
  std::map<std::string, Safetensors> files;
  for (const TensorOption &option : outputs) {
    size_t index = indexOf(entry.outputs, option.name, "output");
    if (option.location.file.empty())
      printTensor(entry.outputs[index], values[index]);
    else if (option.location.isSafetensors())
      files[option.location.file].add(option.location.key, entry.outputs[index], values[index]);
    else
      writeFile(option.location.file, formatNpy({entry.outputs[index], values[index]}));
  }
  for (auto &[file, contents] : files)
    contents.write(file);
}

/// The entry with the tensors of so many runs, one behind another.
EntryInfo inRuns(EntryInfo entry, int64_t runs) {
  for (std::vector<TensorInfo> *tensors : {&entry.inputs, &entry.outputs})
    for (TensorInfo &tensor : *tensors)
      tensor.shape.insert(tensor.shape.begin(), runs);
  return entry;
}

std::vector<Bytes> runEach(Engine &engine, const EntryInfo &entry, const std::vector<Bytes> &inputs, int64_t runs) {
  std::vector<Bytes> outputs(entry.outputs.size());
  for (int64_t run = 0; run < runs; ++run) {
    std::vector<Bytes> slices;
    for (const Bytes &input : inputs) {
      auto bytes = static_cast<ptrdiff_t>(input.size()) / runs;
      slices.emplace_back(input.begin() + run * bytes, input.begin() + (run + 1) * bytes);
    }
    std::vector<Bytes> results = engine.run(entry, slices);
    for (size_t i = 0; i < results.size(); ++i)
      outputs[i].insert(outputs[i].end(), results[i].begin(), results[i].end());
  }
  return outputs;
}

} // namespace

void printTensor(const TensorInfo &info, const Bytes &data) {
  constexpr int64_t shown = 8;
  std::string values;
  int64_t count = info.numElements();
  for (int64_t i = 0; i < std::min(count, shown); ++i) {
    double value = elementAsDouble(info.type, data.data(), i);
    values += " " + (std::isfinite(value) ? shortestDigits(info.type, value) : std::to_string(value));
  }
  std::printf("%s %s%s%s\n", info.name.c_str(), info.typeText().c_str(), values.c_str(), count > shown ? " ..." : "");
}

void runInfer(const Options &options, Engine &engine) {
  const EntryInfo &entry = chooseEntry(options, engine);
  EntryInfo given = options.runs ? inRuns(entry, options.runs) : entry; // the tensors that files hold
  if (engine.leads())
    checkOutputFiles(options.outputs);
  checkInputFiles(options, engine);
  std::vector<Bytes> inputs = readInputs(options, given, engine);
  warnOfRandomParameters(options, engine);
  engine.keepParametersIn(entry);
  prepareParameters(options, engine);
  fillKeys(options, given, engine, inputs);
  std::vector<Bytes> outputs = options.runs ? runEach(engine, entry, inputs, options.runs) : engine.run(entry, inputs);
  if (!engine.leads())
    return;
  writeOutputs(options.outputs, given, outputs);
  for (const TensorOption &option : options.expects) {
    size_t index = indexOf(given.outputs, option.name, "output");
    compare(options, option, given.outputs[index], outputs[index]);
  }
  if (options.outputs.empty() && options.expects.empty())
    for (size_t i = 0; i < outputs.size(); ++i)
      printTensor(given.outputs[i], outputs[i]);
}

} // namespace plc::runtime
