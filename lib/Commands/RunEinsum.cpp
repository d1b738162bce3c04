// `plc-run einsum`: compiles and runs one product of tensors.
#include "Einsum.h"
#include "Runs.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/ConvertTensor.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Support/CacheFolder.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace plc::runtime {

namespace {

/// The type of a product: the widest of its operands', as numpy does. A narrow type counts as its compute type. An
/// integer beside an f32 makes f64, which holds both.
ElementType commonType(const std::vector<Tensor> &operands) {
  auto has = [&](ElementType type) {
    return std::any_of(operands.begin(), operands.end(),
                       [&](const Tensor &each) { return sumTypeOf(each.info.type) == type; });
  };
  bool integers = has(ElementType::I32) || has(ElementType::I64);
  if (has(ElementType::F64) || (has(ElementType::F32) && integers))
    return ElementType::F64;
  if (has(ElementType::F32))
    return ElementType::F32;
  return has(ElementType::I64) ? ElementType::I64 : has(ElementType::I32) ? ElementType::I32 : ElementType::Bool;
}

/// Converts each element to the nearest one of a type that is at least as wide.
void promote(ElementType to, Tensor &tensor) {
  if (tensor.info.type == to)
    return;
  int64_t count = tensor.info.numElements();
  Bytes promoted(static_cast<size_t>(count) * byteWidth(to));
  visit(tensor.info.type, [&](auto from) {
    visit(to, [&](auto target) {
      using Source = typename decltype(from)::Value;
      using Target = typename decltype(target)::Value;
      for (int64_t i = 0; i < count; ++i) {
        Source value;
        std::memcpy(&value, tensor.data.data() + static_cast<size_t>(i) * sizeof(Source), sizeof(Source));
        auto wide = static_cast<Target>(static_cast<typename ElementTraits<from.sum>::Value>(value));
        std::memcpy(promoted.data() + static_cast<size_t>(i) * sizeof(Target), &wide, sizeof(Target));
      }
    });
  });
  tensor.info.type = to;
  tensor.data = std::move(promoted);
}

/// The file of the model, in the cache beside its module, named by the hash of its text.
std::string modelFileOf(const std::string &program) {
  std::string folder = cacheFolder();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw fileError(folder, "cannot be made: " + error.message());
  char name[64];
  std::snprintf(name, sizeof(name), "/einsum-%016llx.ein", static_cast<unsigned long long>(hashBytes(program)));
  if (!std::filesystem::exists(folder + name))
    writeFile(folder + name, program);
  return folder + name;
}

Bytes runProgram(const Options &options, const Tool &tool, const std::string &program, ElementType type,
                 const std::vector<Tensor> &operands) {
  ModelRequest request = options.model;
  request.file = modelFileOf(program);
  if (isReal(type))
    request.sets.push_back("precision.compute=" + std::string(nameOf(type)));
  std::unique_ptr<Engine> engine = tool.open(request);
  const EntryInfo &entry = needEntry(*engine, "infer");
  std::vector<Bytes> inputs;
  for (const TensorInfo &input : entry.inputs)
    inputs.push_back(operands[std::stoul(input.name.substr(1))].data);
  return engine->run(entry, inputs)[entry.findOutput("result")];
}

} // namespace

void runEinsum(const Options &options, const Tool &tool) {
  const std::string &text = options.words.front();
  const std::vector<std::string> files(options.words.begin() + 1, options.words.end());
  Subscripts subscripts(text);
  if (subscripts.numOperands() != files.size())
    throw Error(BadUsage, "",
                "the subscripts have " + std::to_string(subscripts.numOperands()) +
                    (subscripts.numOperands() == 1 ? " operand" : " operands") + ", but the files given are " +
                    std::to_string(files.size()))
        .show(text, 0);
  for (const std::string &set : options.model.sets)
    if (set.starts_with("precision."))
      throw usageError("key '" + set.substr(0, set.find('=')) + "' has no meaning here: the operands' types say it");
  if (!options.out.file.empty()) {
    options.out.check();
    checkWritable(options.out.file);
  }
  std::vector<Tensor> operands;
  std::vector<TensorInfo> shapes;
  for (const std::string &file : files) {
    operands.push_back(readTensor(TensorLocation::parse(file)));
    operands.back().info.name = file;
    shapes.push_back(operands.back().info);
  }
  Tensor result;
  result.info.name = "result";
  result.info.shape = subscripts.resultShape(shapes);
  result.info.type = commonType(operands);
  // Sums of booleans are `or`, products `and`: computed as a count, then compared with 0.
  ElementType computed = result.info.type == ElementType::Bool ? ElementType::I64 : result.info.type;
  for (Tensor &operand : operands)
    promote(computed, operand);
  // Models have no extents of 0. Then the result is empty, or a sum of nothing: zeros either way.
  if (std::any_of(operands.begin(), operands.end(), [](const Tensor &each) { return each.info.numElements() == 0; }))
    result.data.resize(result.info.numBytes());
  else
    result.data = runProgram(options, tool, subscripts.program(computed), computed, operands);
  if (computed != result.info.type) {
    Bytes truths(static_cast<size_t>(result.info.numElements()));
    for (size_t i = 0; i < truths.size(); ++i)
      truths[i] = std::byte(elementAsDouble(computed, result.data.data(), static_cast<int64_t>(i)) != 0);
    result.data = std::move(truths);
  }
  if (options.out.file.empty())
    printTensor(result.info, result.data);
  else
    writeTensor(options.out, result);
}

} // namespace plc::runtime
