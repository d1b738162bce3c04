//===- CheckGradients.cpp - gradients against differences -----------------===//
#include "CheckGradients.h"
#include "InterpretedEngine.h"

#include "plc/Runtime/InitialValues.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::interpret {
namespace {

using runtime::Bytes;
using runtime::EntryInfo;
using runtime::usageError;

constexpr double step = 1e-5, tolerance = 1e-6;

struct Request {
  runtime::ModelRequest model;
  uint64_t seed = 0;
  uint64_t samples = 64; // elements tried per parameter
  bool help = false;
};

uint64_t parseCount(const std::string &flag, const std::string &text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw usageError("found '" + text + "' for '" + flag + "', expected an integer of at least 0");
  return value;
}

Request parseRequest(int argc, char **argv) {
  Request request;
  request.model.toolPath = argv[0];
  request.model.command = "train";
  request.model.sets = {"precision.compute=f64"};
  for (int i = 2; i < argc; ++i) {
    std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      request.help = true;
      return request;
    }
    if (word[0] != '-') {
      if (!request.model.file.empty())
        throw usageError("found a second file '" + word + "' beside '" + request.model.file + "', expected one");
      request.model.file = word;
      continue;
    }
    if (word.starts_with("-D") && word.size() > 2) {
      request.model.defines.push_back(word.substr(2));
      continue;
    }
    if (i + 1 == argc)
      throw usageError("option '" + word + "' has no value");
    std::string value = argv[++i];
    if (word == "--seed")
      request.seed = parseCount(word, value);
    else if (word == "--samples")
      request.samples = parseCount(word, value);
    else if (word == "-D")
      request.model.defines.push_back(value);
    else if (word == "--set")
      request.model.sets.push_back(value);
    else
      throw usageError("unknown option '" + word + "' for 'check-gradients'");
  }
  if (request.model.file.empty())
    throw usageError("no model, expected MODEL.ein");
  return request;
}

/// Random numbers of one stream.
class Draws {
public:
  Draws(uint64_t seed, const std::string &name) : seed(seed), stream(runtime::hashBytes(name)) {}
  double normal() { return runtime::normalDraw(seed, stream, counter++); }
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(runtime::uniformFromBits(runtime::randomBits(seed, stream, counter++)) * bound);
  }

private:
  uint64_t seed, stream, counter = 0;
};

std::vector<Bytes> drawInputs(const EntryInfo &entry, uint64_t seed, int64_t indexBound) {
  std::vector<Bytes> inputs;
  for (const runtime::TensorInfo &info : entry.inputs) {
    Draws draws(seed, "input " + info.name);
    Bytes data(info.numBytes());
    visit(info.type, [&](auto traits) {
      using T = typename decltype(traits)::Value;
      if (traits.kind == ElementKind::Real && !traits.isNarrow && info.type != ElementType::F64)
        throw runtime::Error(runtime::BadInput, "",
                             "input '" + info.name + "' is " + info.typeText() + ", but gradients are checked in f64");
      auto *values = reinterpret_cast<T *>(data.data());
      for (int64_t i = 0; i < info.numElements(); ++i) {
        if constexpr (traits.kind == ElementKind::Real)
          values[i] = static_cast<T>(draws.normal());
        else
          values[i] = static_cast<T>(draws.below(traits.kind == ElementKind::Truth ? 2 : indexBound));
      }
    });
    inputs.push_back(std::move(data));
  }
  return inputs;
}

/// Initial values, moved so that zeros and ones are no special points.
std::vector<double> drawParameter(const runtime::ParameterInfo &info, uint64_t seed) {
  std::vector<double> values(info.tensor().numElements());
  runtime::fillInitialValues(info, seed, values.data());
  Draws draws(seed, "parameter " + info.path);
  for (double &value : values)
    value += 0.3 * draws.normal();
  return values;
}

class GradientCheck {
public:
  GradientCheck(const Request &request) : request(request), engine(request.model, readSettings(request.model)) {}

  /// Whether all gradients are right.
  bool run();

private:
  double lossAt(size_t parameter, std::vector<double> values, int64_t element, double move);
  bool checkParameter(size_t index, const Bytes &gradient);

  const Request &request;
  InterpretedEngine engine;
  const EntryInfo *forward = nullptr; // whose loss is differentiated
  size_t loss = 0;
  std::vector<Bytes> inputs;
};

double GradientCheck::lossAt(size_t parameter, std::vector<double> values, int64_t element, double move) {
  values[element] += move;
  engine.writeParameter(parameter, values.data());
  return runtime::elementAsDouble(ElementType::F64, engine.run(*forward, inputs)[loss].data(), 0);
}

bool GradientCheck::checkParameter(size_t index, const Bytes &gradient) {
  const runtime::ParameterInfo &info = engine.parameters()[index];
  const auto *found = reinterpret_cast<const double *>(gradient.data());
  int64_t count = info.tensor().numElements();
  std::vector<double> values = drawParameter(info, request.seed);
  Draws draws(request.seed, "samples " + info.path);
  int64_t samples = std::min<int64_t>(count, static_cast<int64_t>(request.samples));
  double largest = 0, worst = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i)
    largest = std::max(largest, std::fabs(found[i]));
  for (int64_t sample = 0; sample < samples; ++sample) {
    int64_t element = samples == count ? sample : draws.below(count);
    double expected = (lossAt(index, values, element, step) - lossAt(index, values, element, -step)) / (2 * step);
    double error = std::fabs(found[element] - expected);
    if (!(error <= worst) && !std::isnan(worst)) {
      worst = error;
      at = element;
    }
  }
  engine.writeParameter(index, values.data());
  bool good = worst <= tolerance * std::max(1.0, largest);
  std::printf("%s %s: error %.1e, gradient up to %.3g%s\n", info.path.c_str(), info.tensor().typeText().c_str(), worst,
              largest, good ? "" : (" (WRONG at element " + std::to_string(at) + ")").c_str());
  return good;
}

bool GradientCheck::run() {
  const EntryInfo *gradient = engine.findEntry(module::gradientEntry);
  const EntryInfo *eval = engine.findEntry("eval");
  if (!gradient || !eval)
    throw runtime::Error(runtime::BadInput, request.model.file, "has no scalar output 'loss' to differentiate");
  if (gradient->batch != eval->batch)
    throw usageError("key 'gradient.accumulation_steps' has no meaning for 'check-gradients'");
  // What an evaluation draws is not what training draws; then the loss of the whole training program is taken.
  forward = gradient->inputs.size() == eval->inputs.size() ? eval : gradient;
  loss = forward->findOutput(lossName);
  inputs = drawInputs(*gradient, request.seed, engine.indexBound());
  for (size_t i = 0; i < engine.parameters().size(); ++i) {
    const runtime::ParameterInfo &info = engine.parameters()[i];
    if (isNarrow(info.type)) { // it is not trained
      Bytes values(info.tensor().numBytes());
      runtime::fillInitialValues(info, request.seed, values.data());
      engine.writeParameter(i, values.data());
      continue;
    }
    engine.writeParameter(i, drawParameter(info, request.seed).data());
  }
  std::vector<Bytes> outputs = engine.run(*gradient, inputs);
  bool good = true;
  for (size_t i = 0; i < engine.parameters().size(); ++i)
    for (size_t output = 0; output < outputs.size(); ++output)
      if (gradient->outputs[output].name == gradientName(engine.parameters()[i].path))
        good = checkParameter(i, outputs[output]) && good;
  return good;
}

} // namespace

int checkGradients(int argc, char **argv) {
  try {
    Request request = parseRequest(argc, argv);
    if (request.help) {
      std::printf("usage: plc-interpret check-gradients MODEL.ein [options]\n"
                  "compares gradients in f64 with central differences of the loss; exit code 6 if one is wrong\n\n"
                  "  --seed K          of parameters and inputs (default 0)\n"
                  "  --samples N       elements tried per parameter (default 64)\n"
                  "  -D NAME=SIZE      overrides a dim\n"
                  "  --set KEY=VALUE   %s\n\n"
                  "example: plc-interpret check-gradients gpt.ein -D L=1 -D S=8\n",
                  knownKeys().c_str());
      return runtime::Done;
    }
    bool good = GradientCheck(request).run();
    std::fflush(stdout);
    if (!good)
      throw runtime::Error(runtime::ResultDiffers, request.model.file, "gradients differ from central differences");
    return runtime::Done;
  } catch (const runtime::Error &error) {
    runtime::printError(error, "plc-interpret");
    return error.exitCode;
  } catch (const std::exception &error) {
    runtime::printError(runtime::Error(runtime::Internal, "", std::string("internal error: ") + error.what()),
                        "plc-interpret");
    return runtime::Internal;
  }
}

} // namespace plc::interpret
