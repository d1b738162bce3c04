//===- InterpretedEngine.cpp - the interpreter behind the commands --------===//
#include "InterpretedEngine.h"

#include "plc/Module/MakeInitializer.h"
#include "plc/Module/ParameterShards.h"
#include "plc/Support/ResultName.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Runtime/Base/Average.h"
#include "plc/Runtime/Base/MachineShare.h"
#include "plc/Runtime/Base/StepParameters.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

using namespace mlir;

namespace plc::interpret {

using reference::Interpreter;
using reference::RunError;
using reference::Tensor;
using runtime::Bytes;
using runtime::EntryInfo;
using runtime::Error;

namespace {

Tensor tensorFrom(ElementType element, std::vector<int64_t> shape, const std::byte *data) {
  Tensor tensor(element, std::move(shape));
  std::memcpy(tensor.data(), data, tensor.numBytes());
  return tensor;
}

Error errorOf(const RunError &fault) { return Error(runtime::BadInput, fault.locations, fault.what()); }

/// The gradient of a parameter: the sum of its sites in order, put together from shards. Zeros without sites.
Bytes gradientOf(Interpreter &interpreter, const runtime::ParameterInfo &parameter) {
  Bytes gradient(parameter.tensor().numBytes());
  for (ein::ParamOp param : interpreter.getParameters()) {
    if (param.getWhole() != parameter.path)
      continue;
    Bytes sum;
    for (const Tensor &site : interpreter.getSites(param.getSymName())) {
      if (sum.empty())
        sum.assign(site.data(), site.data() + site.numBytes());
      else
        runtime::addInOrder(parameter.type, site.numElements(), sum.data(), site.data());
    }
    if (sum.empty())
      continue;
    module::putShard(parameter.tensor(), ein::findShard(param.getShardAttr()), sum.data(), gradient.data());
  }
  return gradient;
}

/// The bytes of a parameter, or of a shard of it.
Tensor pieceOf(const runtime::ParameterInfo &parameter, const std::optional<ShardName> &shard, const Tensor &whole) {
  if (!shard)
    return whole;
  std::vector<int64_t> shape = parameter.shape;
  shape[shard->axis] /= shard->count;
  Tensor piece(whole.element, shape);
  module::takeShard(parameter.tensor(), shard, whole.data(), piece.data());
  return piece;
}
void putPiece(const runtime::ParameterInfo &parameter, const std::optional<ShardName> &shard, const Tensor &piece,
              Tensor &whole) {
  if (shard) {
    whole = whole.copy();
    module::putShard(parameter.tensor(), shard, piece.data(), whole.data());
  } else {
    whole = piece;
  }
}

/// The values that an output without a batch axis sums: one for each sample or micro-batch.
std::vector<const void *> rowsOf(const runtime::TensorInfo &info, const std::vector<std::vector<Tensor>> &results,
                                 size_t index) {
  std::vector<const void *> rows;
  for (const std::vector<Tensor> &microBatch : results)
    for (size_t at = 0; at < microBatch[index].numBytes(); at += info.numBytes())
      rows.push_back(static_cast<const std::byte *>(microBatch[index].data()) + at);
  return rows;
}

/// An output of the whole batch, from the outputs of its micro-batches.
Bytes resultOf(const EntryInfo &entry, const runtime::TensorInfo &info, const std::vector<std::vector<Tensor>> &results,
               size_t index) {
  if (!info.batched()) {
    return runtime::sumOfRows(info, rowsOf(info, results, index));
  }
  Bytes whole(info.numBytes());
  for (size_t microBatch = 0; microBatch < results.size(); ++microBatch) {
    int64_t first = entry.firstSample(microBatch), count = entry.firstSample(microBatch + 1) - first;
    runtime::putSamples(info, whole.data(), first, count, results[microBatch][index].data());
  }
  return whole;
}

} // namespace

InterpretedEngine::InterpretedEngine(const runtime::ModelRequest &request, const Settings &settings)
    : source(request, settings), settings(settings), real(rowOf(settings.compute).real) {
  // Memory is checked before any of it is allocated.
  listParameters();
  runtime::checkAvailable(request.file, "parameters", runtime::parameterBytes(parameterList, &optimizer()));
  holdParameters();
  listEntries(request.outputs);
  runtime::RunSettings run = runSettings();
  for (const std::string &set : request.sets)
    run.keep(set.substr(0, set.find('=')));
  setRun(run);
  if (source.hasLoss())
    rules = std::make_unique<InterpretedRules>(this->settings); // which lives as long
}

std::string InterpretedEngine::modelName() const { return source.getModel().getSymName().str(); }

std::string InterpretedEngine::numericsKey() const {
  return ein::provenanceOf(*programOf(entryList.front().name).module)->numericsKey; // of the batch, before the cut
}

bool InterpretedEngine::asksForTraining() {
  return source.getModule()
      .walk([](Operation *op) {
        return isa<ein::TrainingOp, ein::StepOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// Random positions below this bound are inside of every table.
int64_t InterpretedEngine::indexBound() {
  int64_t bound = 0;
  auto limit = [&](AffineMap map, Value indexed) {
    for (auto [axis, expr] : llvm::enumerate(map.getResults()))
      if (isa<AffineSymbolExpr>(expr)) {
        int64_t extent = cast<RankedTensorType>(indexed.getType()).getDimSize(axis);
        bound = bound ? std::min(bound, extent) : extent;
      }
  };
  source.getModule().walk([&](ein::Equation equation) {
    if (auto gather = dyn_cast<ein::GatherOp>(equation.getOperation()))
      limit(equation.getInputMap(0), gather.getTable());
    else if (auto scatter = dyn_cast<ein::ScatterAddOp>(equation.getOperation()))
      limit(equation.getResultMap(), scatter.getResult());
  });
  return bound ? bound : 4;
}

size_t InterpretedEngine::parameterNumber(std::string_view path) const {
  return llvm::find_if(parameterList, [&](auto &info) { return info.path == path; }) - parameterList.begin();
}

void InterpretedEngine::listParameters() {
  for (auto param : source.getModule().getOps<ein::ParamOp>()) {
    RankedTensorType type = param.getShardType();
    auto init = module::initializerOf(stringifyEnum(param.getInit()), param.getA().convertToDouble(),
                                      param.getB().convertToDouble());
    parameterList.push_back({param.getSymName().str(), ein::lacksPrecision(type) ? real : elementTypeOf(type),
                             type.getShape().vec(), init, param.getFrozen(), param.getReplaced(),
                             ein::findShard(param.getShardAttr()), int64_t(param.getRows().value_or(0))});
  }
  parameterList = module::wholeParameters(parameterList); // IR may have shards
}

// Parameters are zeros until they are written.
void InterpretedEngine::holdParameters() {
  for (const runtime::ParameterInfo &info : parameterList) {
    held.push_back({Tensor(info.type, info.shape), {}, {}});
    for (size_t moment = 0; moment < statesOf(held.size() - 1).size(); ++moment)
      held.back().moments.push_back(firstMoment(held.size() - 1, moment));
    if (optimizer().keepsAverages())
      held.back().average = held.back().value.copy();
  }
}

/// A state of the optimizer before the first step; `which` counts from 0.
Tensor InterpretedEngine::firstMoment(size_t index, size_t which) const {
  const module::OptimizerState &state = statesOf(index)[which];
  Tensor moment(parameterList[index].type, module::momentOf(parameterList[index], state).shape);
  runtime::fillElements(moment.element, moment.numElements(), moment.data(), state.init);
  return moment;
}

void InterpretedEngine::readParameter(size_t index, void *out) {
  std::memcpy(out, held[index].value.data(), held[index].value.numBytes());
}
void InterpretedEngine::writeParameter(size_t index, const void *data) {
  Tensor &value = held[index].value;
  value = tensorFrom(value.element, value.shape, static_cast<const std::byte *>(data));
  if (optimizer().keepsAverages())
    held[index].average = value.copy();
}
void InterpretedEngine::readAverage(size_t index, void *out) {
  std::memcpy(out, held[index].average.data(), held[index].average.numBytes());
}
void InterpretedEngine::writeAverage(size_t index, const void *data) {
  std::memcpy(held[index].average.data(), data, held[index].average.numBytes());
}
void InterpretedEngine::readMoment(size_t index, int which, void *out) {
  const Tensor &moment = held[index].moments[which - 1];
  std::memcpy(out, moment.data(), moment.numBytes());
}
void InterpretedEngine::writeMoment(size_t index, int which, const void *data) {
  Tensor &moment = held[index].moments[which - 1];
  std::memcpy(moment.data(), data, moment.numBytes());
}

void InterpretedEngine::clearMoments(size_t index) {
  for (size_t which = 0; which < held[index].moments.size(); ++which)
    held[index].moments[which] = firstMoment(index, which);
}

InterpretedEngine::Program &InterpretedEngine::programOf(const std::string &name) const {
  // The entries of IR are one program.
  std::string key = !source.isRules() ? "" : name == module::gradientEntry ? nameOfChoice(ProgramKind::train) : name;
  Program &program = programs[key];
  if (program.interpreter)
    return program;
  auto [entry, names] = StringRef(key).split('.');
  std::vector<std::string> outputs;
  for (StringRef name : llvm::split(names, '+'))
    if (!name.empty())
      outputs.push_back(name.str());
  program.module = source.lower(parseChoice<ProgramKind>(entry).value_or(ProgramKind::infer), outputs);
  program.interpreter = std::make_unique<Interpreter>(*program.module, real);
  return program;
}

std::vector<std::vector<Tensor>> InterpretedEngine::runBatch(const EntryInfo &entry, Program &program,
                                                             const runtime::TrainingStep &step,
                                                             const std::vector<Bytes> &inputs) {
  Interpreter &interpreter = *program.interpreter;
  for (ein::ParamOp param : interpreter.getParameters()) {
    size_t whole = parameterNumber(param.getWhole());
    Tensor piece = pieceOf(parameterList[whole], ein::findShard(param.getShardAttr()),
                           usesAverages && !entry.trains() ? held[whole].average : held[whole].value);
    piece.shape = cast<RankedTensorType>(param.getType()).getShape().vec(); // a slice lacks an axis
    interpreter.setParameter(param.getSymName(), std::move(piece));
  }
  ArrayRef<Type> types = interpreter.getModel().getArgumentTypes();
  ArrayAttr names = interpreter.getModel().getArgNames();
  std::vector<std::vector<Tensor>> results;
  for (int64_t microBatch = 0; microBatch < entry.microBatches; ++microBatch) {
    interpreter.setMicroBatch(microBatch);
    std::vector<Tensor> arguments;
    for (auto [index, name] : llvm::enumerate(names)) {
      if (auto state = dyn_cast<ein::StateNameAttr>(name)) {
        arguments.push_back(stateIn(program, state.getPath(), types[index], microBatch));
        continue;
      }
      if (isa<ein::GivenNameAttr>(name)) {
        InputSource source = ein::sourceOf(name);
        arguments.push_back(tensorFrom(source == InputSource::Step ? ElementType::I32 : ElementType::F32, {},
                                       runtime::ownInput(source, step).data()));
        continue;
      }
      auto whole = dyn_cast<ein::WholeNameAttr>(name);
      std::string input = ein::textOf(whole ? whole.getInput() : name);
      size_t i =
          llvm::find_if(entry.inputs, [&](const auto &info) { return info.name == input; }) - entry.inputs.begin();
      Tensor argument = interpreter.makeTensor(types[index]);
      int64_t first = entry.firstSample(microBatch), count = entry.firstSample(microBatch + 1) - first;
      if (entry.inputs[i].batched() && !whole)
        runtime::takeSamples(entry.inputs[i], inputs[i].data(), first, count, argument.data());
      else
        std::memcpy(argument.data(), inputs[i].data(), argument.numBytes());
      arguments.push_back(std::move(argument));
    }
    try {
      results.push_back(interpreter.runModel(std::move(arguments)));
    } catch (const RunError &fault) {
      throw errorOf(fault);
    }
    for (auto [name, result] : llvm::zip(interpreter.getModel().getResultNames(), results.back()))
      if (auto state = dyn_cast<ein::StateNameAttr>(name))
        program.states[{state.getPath().str(), microBatch}] = result;
  }
  return results;
}

Tensor InterpretedEngine::stateIn(Program &program, StringRef path, Type type, int64_t microBatch) {
  if (auto held = program.states.find({path.str(), microBatch}); held != program.states.end())
    return held->second;
  Tensor state = program.interpreter->makeTensor(type);
  auto declared = program.module->lookupSymbol<ein::StateOp>(path);
  runtime::fillElements(state.element, state.numElements(), state.data(), declared.getInit().convertToDouble());
  return state;
}

std::optional<int64_t> InterpretedEngine::statePositions(const EntryInfo &entry) const {
  std::optional<int64_t> least;
  programOf(entry.name).module->walk([&](ein::PutOp put) {
    int64_t count = put.countPositions();
    least = std::min(least.value_or(INT64_MAX), count ? count : INT64_MAX);
  });
  return least;
}

void InterpretedEngine::restart(const EntryInfo &entry) { programOf(entry.name).states.clear(); }

std::vector<Bytes> InterpretedEngine::run(const EntryInfo &entry, const std::vector<Bytes> &inputs) {
  Program &program = programOf(entry.name);
  program.interpreter->clearSites();
  std::vector<std::vector<Tensor>> results = runBatch(entry, program, {stepOf(entry)}, inputs);
  std::vector<Bytes> outputs;
  ArrayAttr names = program.interpreter->getModel().getResultNames();
  for (const runtime::TensorInfo &info : entry.outputs) {
    Attribute name = StringAttr::get(names.getContext(), info.name);
    if (!info.gradientOf.empty())
      name = ein::GradientNameAttr::get(names.getContext(), info.gradientOf);
    if (std::optional<unsigned> result = ein::findName(names, name))
      outputs.push_back(resultOf(entry, info, results, *result));
    else // the sum of a parameter's sites
      outputs.push_back(gradientOf(*program.interpreter, parameterList[parameterNumber(info.gradientOf)]));
  }
  return outputs;
}

runtime::StepResult InterpretedEngine::trainStep(int64_t step, const std::vector<Bytes> &inputs) {
  const EntryInfo &entry = *findEntry(nameOfChoice(ProgramKind::train));
  Program &program = programOf(entry.name);
  size_t loss = entry.findOutput(lossName);
  program.interpreter->clearSites();
  runtime::StepResult result;
  std::vector<std::vector<double>> rows;
  runtime::TrainingStep next{step, lossScale().value};
  const std::vector<std::vector<Tensor>> microBatches = runBatch(entry, program, next, inputs);
  for (const std::vector<Tensor> &microBatch : microBatches) {
    rows.emplace_back();
    for (int64_t row = 0; row < microBatch[loss].numElements(); ++row)
      rows.back().push_back(runtime::elementAsDouble(real, microBatch[loss].data(), row));
  }
  runtime::setLosses(result, real, rows);
  ArrayAttr names = program.interpreter->getModel().getResultNames();
  result.scalars = runtime::scalarsOf(entry, [&](size_t index) {
    const runtime::TensorInfo &info = entry.outputs[index];
    auto name = StringAttr::get(names.getContext(), info.name);
    return resultOf(entry, info, microBatches, *ein::findName(names, name));
  });
  updateParameters(next, program, result);
  updateLossScale(result);
  setOrigin({step, origin().seed});
  return result;
}

// Runs a step without an update, and reports the first equation with a result that is not finite.
std::optional<Error> InterpretedEngine::findNonFinite(const std::vector<Bytes> &inputs) {
  const EntryInfo &entry = *findEntry(nameOfChoice(ProgramKind::train));
  Program &program = programOf(entry.name);
  // A model that writes `inf` may have infinite values: such a value is a fault only if no operand was infinite.
  bool speaksOfInfinity = false;
  program.module->walk([&](ein::ConstantOp op) { speaksOfInfinity |= op.getValue().isInfinity(); });
  // -1: all elements are finite.
  auto find = [](const Tensor &tensor, auto isFault) -> int64_t {
    if (kindOf(tensor.element) == ElementKind::Real)
      for (int64_t i = 0; i < tensor.numElements(); ++i)
        if (isFault(runtime::elementAsDouble(tensor.element, tensor.data(), i)))
          return i;
    return -1;
  };
  auto isInfinite = [](double value) { return std::isinf(value); };
  std::optional<Error> first;
  program.interpreter->watch([&](Operation &op, ArrayRef<Tensor> operands, const Tensor &result) {
    if (first)
      return;
    bool passesOn = llvm::any_of(operands, [&](const Tensor &each) { return find(each, isInfinite) >= 0; });
    bool mayBeInfinite = speaksOfInfinity && (passesOn || isa<ein::ConstantOp>(op));
    int64_t at = find(result, [&](double value) { return std::isnan(value) || (std::isinf(value) && !mayBeInfinite); });
    if (at < 0)
      return;
    double value = runtime::elementAsDouble(result.element, result.data(), at);
    first = errorOf(RunError(op.getLoc(), std::string("found ") +
                                              (std::isnan(value) ? "nan"
                                               : value > 0       ? "inf"
                                                                 : "-inf") +
                                              " at element " + std::to_string(at) + ", expected a finite value"));
  });
  program.interpreter->clearSites();
  runBatch(entry, program, {origin().step}, inputs);
  program.interpreter->watch({});
  return first;
}

void InterpretedEngine::updateAverage(const runtime::ParameterInfo &info, const std::optional<ShardName> &shard,
                                      const Tensor &value, Tensor &whole) const {
  Tensor average = pieceOf(info, shard, whole).copy();
  for (int64_t begin = 0; begin < value.numElements(); begin += runtime::updatedPart)
    runtime::updateAverage(real, begin, value.numElements(), settings.optimizer.ema, value.data(), average.data());
  putPiece(info, shard, average, whole);
}

// A frozen parameter becomes the sum of its sites.
void InterpretedEngine::replace(size_t whole, const Bytes &next) {
  held[whole].value = held[whole].value.copy();
  std::memcpy(held[whole].value.data(), next.data(), next.size());
}

// Two passes: the norm over all gradients first, since it scales every update.
void InterpretedEngine::updateParameters(const runtime::TrainingStep &step, Program &program,
                                         runtime::StepResult &result) {
  struct Trained {
    std::optional<ShardName> shard;
    size_t whole;
    std::vector<Tensor> sites;
    std::vector<const void *> gradients;
  };
  std::vector<Trained> trained;
  std::vector<size_t> replaced;
  std::vector<runtime::ParameterInfo> all;
  runtime::GradientNorm norm;
  for (ein::ParamOp param : program.interpreter->getParameters()) {
    std::string name = param.getSymName().str();
    Trained each{ein::findShard(param.getShardAttr()),
                 parameterNumber(param.getWhole()),
                 program.interpreter->getSites(name),
                 {}};
    all.push_back(parameterList[each.whole]);
    all.back().path = name;
    all.back().shard = each.shard;
    if (param.getReplaced() && !each.sites.empty())
      replaced.push_back(each.whole);
    if (param.getFrozen() || each.sites.empty())
      continue;
    for (const Tensor &site : each.sites)
      each.gradients.push_back(site.data());
    norm.add(name, runtime::sumOfSquares(real, each.sites.front().numElements(), each.gradients));
    trained.push_back(std::move(each));
  }
  const runtime::StepParameters parameters(settings.optimizer, parameterList, all);
  result.gradNorm = norm.norm() / step.lossScale;
  result.groupNorms = parameters.norms(norm, step.lossScale);
  result.finite = runtime::isFiniteStep(real, result.gradNorm, result.loss);
  // `training.nonfinite` may leave such a step out.
  if (!result.finite && settings.optimizer.leavesOut())
    return;
  for (size_t whole : replaced)
    replace(whole, gradientOf(*program.interpreter, parameterList[whole]));
  const std::vector<double> scales = parameters.scales(norm, step.lossScale);
  std::map<std::pair<size_t, std::vector<int64_t>>, std::optional<runtime::UpdateStep>> updates; // by variant, shape
  std::set<size_t> updatedWholes;                                                                // in shards
  for (Trained &each : trained) {
    const runtime::ParameterInfo &info = parameterList[each.whole];
    const size_t variant = parameters.groups().variantOf(info.path);
    std::optional<runtime::UpdateStep> &update = updates[{variant, info.shape}];
    if (!update) {
      const auto form = static_cast<size_t>(parameters.groups().variants()[variant].form);
      const std::vector<int64_t> shape = module::updatedShape(info);
      const runtime::UpdateRules &ofForm = rules->rules(form, shape);
      update.emplace(parameters.groups().settingsOf(variant), settings.optimizer.forms[form], ofForm,
                     *ofForm.find(shape), *rules, step.number);
      update->gradientScale = scales[variant];
    }
    Bytes gradient; // of a whole in shards, for rules on whole tensors
    if (each.shard && !update->form().isElementwise()) {
      if (!updatedWholes.insert(each.whole).second)
        continue;
      gradient = gradientOf(*program.interpreter, info);
      each.gradients = {gradient.data()};
      each.shard.reset();
    }
    Held &whole = held[each.whole];
    auto take = [&](const Tensor &from) { return pieceOf(info, each.shard, from).copy(); };
    Tensor value = take(whole.value);
    std::vector<Tensor> moments;
    std::vector<void *> addresses;
    for (const Tensor &moment : whole.moments)
      addresses.push_back(moments.emplace_back(take(moment)).data());
    runtime::updateParameter(*update, real, value.numElements(), each.gradients, value.data(), addresses);
    putPiece(info, each.shard, value, whole.value);
    for (size_t which = 0; which < moments.size(); ++which)
      putPiece(info, each.shard, moments[which], whole.moments[which]);
    if (settings.optimizer.keepsAverages())
      updateAverage(info, each.shard, value, whole.average);
  }
}

} // namespace plc::interpret
