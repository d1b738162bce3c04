//===- ReadManifest.cpp - the only reader of manifests --------------------===//
#include "Words.h"

#include "plc/Module/Manifest.h"
#include "plc/Module/ModuleSeal.h"
#include "plc/Module/OptimizerKeys.h"
#include "plc/Module/ParameterShards.h"
#include "plc/Support/JsonNode.h"

#include <map>

namespace plc::module {

namespace {

constexpr int64_t maxBytes = int64_t(1) << 50;
constexpr int64_t maxCount = int64_t(1) << 40;

ElementType readElementType(const JsonNode &node) {
  std::string name = node.string();
  std::optional<ElementType> type = parseElementType(name);
  if (!type)
    node.fail("is '" + name + "', expected " + listElementTypes(isAny));
  return *type;
}

std::vector<int64_t> readShape(const JsonNode &node, ElementType type) {
  int64_t bytes = static_cast<int64_t>(byteWidth(type));
  auto shape = node.list([](const JsonNode &extent) { return extent.integer(1, maxBytes); });
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > maxBytes)
      node.fail("has more than 2^50 bytes");
  return shape;
}

/// Reads type and shape, which tensors and parameters have in common.
template <class Typed>
void readType(const JsonNode &node, Typed &tensor) {
  tensor.type = readElementType(node["type"]);
  tensor.shape = readShape(node["shape"], tensor.type);
}

template <typename Kind>
Kind readChoice(const JsonNode &node) {
  std::string name = node.string();
  std::optional<Kind> kind = parseChoice<Kind>(name);
  if (!kind)
    node.fail("is '" + name + "', expected " + listChoices<Kind>(/*quote=*/"", /*last=*/" or "));
  return *kind;
}

TensorInfo readTensor(const JsonNode &node) {
  TensorInfo tensor;
  tensor.name = node["name"].string();
  readType(node, tensor);
  tensor.batchAxis = node["batch_axis"].integer(summedBatch, static_cast<int64_t>(tensor.shape.size()) - 1);
  if (node.has("given"))
    tensor.source = readChoice<InputSource>(node["given"]);
  if (node.has("gradient_of"))
    tensor.gradientOf = node["gradient_of"].string();
  return tensor;
}

Initializer readInitializer(const JsonNode &node) {
  Initializer init;
  init.kind = readChoice<Initializer::Kind>(node["kind"]);
  switch (init.kind) {
  case Initializer::Kind::Constant: init.value = node["value"].number(); break;
  case Initializer::Kind::Normal: init.scale = node["scale"].number(); break;
  case Initializer::Kind::Uniform:
    init.low = node["low"].number();
    init.high = node["high"].number();
    break;
  }
  return init;
}

ShardName readShard(const JsonNode &node) {
  ShardName shard;
  shard.whole = node["whole"].string();
  shard.axis = node["axis"].integer(0, maxCount);
  shard.count = node["count"].integer(1, maxCount);
  shard.index = node["index"].integer(0, shard.count - 1);
  return shard;
}

ParameterInfo readParameter(const JsonNode &node) {
  ParameterInfo parameter;
  parameter.path = node["path"].string();
  readType(node, parameter);
  parameter.init = readInitializer(node["init"]);
  parameter.frozen = node["frozen"].boolean();
  if (node.has("replaced"))
    parameter.replaced = node["replaced"].boolean();
  if (node.has("shard"))
    parameter.shard = readShard(node["shard"]);
  if (node.has("rows"))
    parameter.rows = node["rows"].integer(1, static_cast<int64_t>(parameter.shape.size()) - 1);
  return parameter;
}

/// Reads a number of the optimizer. A module of an older compiler lacks it if it has its default.
void readNumber(const JsonNode &object, const OptimizerKey &key, OptimizerSettings &settings) {
  std::string name(key.name());
  if (!object.has(name))
    return;
  JsonNode node = object[name];
  if (auto *integer = std::get_if<int64_t OptimizerSettings::*>(&key.member))
    settings.**integer = node.integer(static_cast<int64_t>(key.least), maxCount);
  else
    settings.*std::get<double OptimizerSettings::*>(key.member) = node.number();
}

void readSchedule(const JsonNode &node, OptimizerSettings &settings) {
  settings.schedule = readChoice<RateSchedule>(node["kind"]);
  for (const OptimizerKey &key : scheduleKeys())
    if (key.isOf(settings.schedule))
      readNumber(node, key, settings);
  if (std::optional<SettingConflict> conflict = findConflict(settings))
    throw FormatError("manifest: " + conflict->text);
}

OptimizerSetting readSetting(const JsonNode &setting) {
  return {
      setting["name"].string(),
      setting["value"].number(),
      {setting["least"].number(), setting["most"].number(), setting["above"].boolean(), setting["below"].boolean()}};
}

OptimizerForm readForm(const JsonNode &node) {
  OptimizerForm form{node["kind"].string(),     node["parameter"].string(),
                     node["gradient"].string(), node["axes"].integer(0, maxCount),
                     node["open"].boolean(),    {}};
  form.states = node["states"].list([&](const JsonNode &state) {
    auto readAxis = [&](const JsonNode &axis) { return axis.integer(1, form.numAxes); };
    return OptimizerState{state["name"].string(), state["init"].number(), state["lacks"].list(readAxis)};
  });
  return form;
}

OptimizerSettings readOptimizer(const JsonNode &node) {
  OptimizerSettings settings;
  settings.kind = node["kind"].string();
  settings.lr = node["lr"].number();
  settings.settings = node["settings"].list(readSetting);
  settings.forms = node["forms"].list(readForm);
  for (const char *path : {"optimizer.clip_norm", "optimizer.clip_value", "optimizer.ema"})
    readNumber(node, *findOptimizerKey(path), settings);
  settings.layerDecay = node["layer_decay"].number();
  settings.decayMatricesOnly = node["decay_matrices_only"].boolean();
  settings.groups = node["groups"].list([&](const JsonNode &group) {
    ParameterGroup read{group["match"].string(),
                        {},
                        group["frozen"].boolean(),
                        group["kind"].string(),
                        group["settings"].list(readSetting)};
    const std::vector<OptimizerSetting> &known = read.kind.empty() ? settings.settings : read.settings;
    for (const auto &[name, value] : group["values"].members()) {
      bool isOwn = std::ranges::any_of(known, [&](const auto &each) { return each.name == name; });
      if (!isOwn && name != lrName && name != clipNormName && name != clipValueName)
        value.fail("is the value of no setting of the optimizer");
      read.values.emplace_back(name, value.number());
    }
    return read;
  });
  settings.nonFinite = readChoice<NonFiniteStep>(node["nonfinite"]);
  settings.scalesLoss = node["scales_loss"].boolean();
  settings.lossScale = node["loss_scale"].number();
  readSchedule(node["schedule"], settings);
  return settings;
}

UpdateProgram readProgram(const JsonNode &node, int64_t numKernels) {
  auto text = [](const JsonNode &name) { return name.string(); };
  UpdateProgram program;
  program.shape = node["shape"].list([](const JsonNode &extent) { return extent.integer(1, maxCount); });
  program.inputs = node["inputs"].list(text);
  program.results = node["results"].list(text);
  program.scratchBytes = node["scratch_bytes"].integer(0, maxBytes);
  program.inPlace = node["in_place"].boolean();
  auto numPorts = static_cast<int64_t>(program.inputs.size() + program.results.size());
  program.calls = node["calls"].list([&](const JsonNode &call) {
    return UpdateCall{call["kernel"].integer(0, numKernels - 1), call["operands"].list([&](const JsonNode &operand) {
                        return operand.integer(-numPorts, program.scratchBytes);
                      })};
  });
  return program;
}

UpdateRules readUpdate(const JsonNode &node, int64_t numKernels) {
  auto readTensors = [&](const JsonNode &program) { return readProgram(program, numKernels); };
  return {readProgram(node["scalars"], numKernels), node["tensors"].list(readTensors)};
}

PerRate readRates(const JsonNode &node) {
  PerRate rates;
  for (size_t i = 0; i < PerRate::size; ++i)
    rates[Rate(i)] = node[nameOfChoice(Rate(i))].number();
  return rates;
}

std::string readString(const JsonNode &node) { return node.string(); }

RealOperand readOperand(const JsonNode &node) {
  return {node["operand"].integer(0, maxCount), readElementType(node["type"]), node["elements"].integer(0, maxCount)};
}

IterationOffset readIterationOffset(const JsonNode &node, int64_t numOperands) {
  int64_t number = 0;
  auto numbers = node.list([&](const JsonNode &each) {
    return number++ ? each.integer(-maxBytes, maxBytes) : each.integer(0, numOperands - 1);
  });
  if (numbers.size() != 3)
    node.fail("has " + std::to_string(numbers.size()) +
              " numbers, expected an operand, an offset and bytes per iteration");
  return {numbers[0], numbers[1], numbers[2]};
}

IterationOperand readIterationOperand(const JsonNode &node, int64_t numOperands) {
  auto locations = node.list([&](const JsonNode &location) { return readIterationOffset(location, numOperands); });
  if (locations.size() != 1 && locations.size() != 3)
    node.fail("has " + std::to_string(locations.size()) + " places, expected 1 or 3");
  return {locations.front(), locations[locations.size() / 2], locations.back()};
}

/// Of the kernel of this number, which calls those before it.
LoopInfo readLoop(const JsonNode &node, int64_t number) {
  LoopInfo loop;
  loop.iterations = node["iterations"].integer(1, maxCount);
  loop.reverse = node["reverse"].boolean();
  loop.bytes = node["bytes"].list([](const JsonNode &bytes) { return bytes.integer(1, maxBytes); });
  auto numOperands = static_cast<int64_t>(loop.bytes.size());
  loop.steps = node["steps"].list([&](const JsonNode &step) {
    return StepInfo{step["kernel"].integer(0, number - 1), step["operands"].list([&](const JsonNode &operand) {
                      return readIterationOperand(operand, numOperands);
                    })};
  });
  loop.ends = node["ends"].list([&](const JsonNode &end) {
    return EndInfo{readIterationOffset(end["from"], numOperands), readIterationOffset(end["to"], numOperands),
                   end["bytes"].integer(1, maxBytes)};
  });
  return loop;
}

KernelInfo readKernel(const JsonNode &node, int64_t number) {
  KernelInfo kernel;
  kernel.name = node["name"].string();
  kernel.symbol = node["symbol"].string();
  kernel.where = node["where"].list(readString);
  kernel.chunks = node["chunks"].integer(1, maxCount);
  kernel.flops = node["flops"].integer(0, INT64_MAX);
  kernel.bytes = node["bytes"].integer(0, INT64_MAX);
  kernel.ns = node["ns"].integer(0, INT64_MAX);
  kernel.gathers = node["gathers"].list([](const JsonNode &gather) {
    return GatherInfo{gather["where"].list(readString), gather["extent"].integer(1, maxBytes)};
  });
  kernel.inputs = node["inputs"].list(readOperand);
  kernel.results = node["results"].list(readOperand);
  kernel.infinite = node["infinite"].boolean();
  if (JsonNode loop = node["loop"]; !loop.isNull())
    kernel.loop = readLoop(loop, number);
  return kernel;
}

using Shards = std::map<std::string, ShardName>; // by their paths

BufferInfo readBuffer(const JsonNode &node, const EntryPlan &entry, const Shards &shards) {
  BufferInfo location;
  location.kind = readChoice<BufferKind>(node["kind"]);
  location.name = node["name"].string();
  location.offset = node["offset"].integer(0, maxBytes);
  location.bytes = node["bytes"].integer(0, maxBytes);
  if (isNumbered(location.kind))
    location.site = node["site"].integer(0, maxCount);
  if (location.kind == BufferKind::Gradient) {
    if (node.has("group"))
      location.group = node["group"].integer(0, entry.groups - 1);
    if (node.has("groups"))
      location.groups = node["groups"].integer(1, entry.groups - location.group);
  }
  if (location.kind == BufferKind::Parameter)
    location.owned = node["owned"].boolean();
  if (location.kind == BufferKind::State) {
    location.type = readElementType(node["type"]);
    location.init = node["init"].number();
    location.positions = node["positions"].integer(0, maxBytes);
  }
  if (node.has("whole_of"))
    location.wholeOf = node["whole_of"].string();
  if (auto shard = shards.find(location.name); shard != shards.end())
    location.shard = shard->second;
  return location;
}

/// A field of which a ragged entry has another, `NAME_short`, for its short micro-batches.
int64_t readShort(const JsonNode &node, const char *name, const EntryPlan &entry, int64_t low, int64_t high) {
  bool ragged = entry.isShort(entry.microBatches - 1);
  return node[ragged ? std::string(name) + "_short" : name].integer(low, high);
}

TaskInfo readTask(const JsonNode &node, const EntryPlan &entry, int64_t numBuffers) {
  TaskInfo task;
  task.name = node["name"].string();
  task.bases = node["bases"].integer(0, maxCount);
  task.slots = node["slots"].list([&](const JsonNode &slot) {
    int64_t number = 0;
    auto pair = slot.list([&](const JsonNode &each) { return each.integer(0, number++ ? maxBytes : task.bases - 1); });
    if (pair.size() != 2)
      slot.fail("has " + std::to_string(pair.size()) + " numbers, expected a base and an offset");
    return SlotInfo{pair[0], pair[1]};
  });
  auto slots = static_cast<int64_t>(task.slots.size());
  task.calls = node["calls"].list([&](const JsonNode &call) {
    return CallInfo{
        call["kernel"].integer(0, static_cast<int64_t>(entry.kernels.size()) - 1),
        call["operands"].list([&](const JsonNode &operand) { return operand.integer(-numBuffers, slots - 1); }),
        call["path"].string()};
  });
  return task;
}

ActionInfo readAction(const JsonNode &node, const RankInfo &rank, const EntryPlan &entry) {
  using Op = ActionInfo::Op;
  ActionInfo action;
  action.op = readChoice<Op>(node["op"]);
  if (action.op == Op::Step)
    return action;
  action.microBatch = node["mb"].integer(-1, entry.microBatches - 1);
  if (action.op == Op::Run) {
    action.target = node["task"].integer(0, static_cast<int64_t>(rank.tasks.size()) - 1);
    action.at = node["at"].list([&](const JsonNode &offset) { return offset.integer(0, rank.arenaBytes); });
    auto bases = static_cast<size_t>(rank.tasks[static_cast<size_t>(action.target)].bases);
    if (action.at.size() != bases)
      node["at"].fail("has " + std::to_string(action.at.size()) + " offsets, expected " + std::to_string(bases));
    return action;
  }
  if (action.op == Op::Drop)
    action.bytes = node["bytes"].integer(0, rank.arenaBytes);
  else
    action.target = node["channel"].integer(0, static_cast<int64_t>(entry.channels.size()) - 1);
  if (action.op == Op::Drop || action.op == Op::PostRecv || action.op == Op::Send)
    action.offset = node["at"].integer(0, rank.arenaBytes);
  return action;
}

/// For each action, earlier ones.
std::vector<std::vector<int64_t>> readAfter(const JsonNode &node, size_t numActions) {
  int64_t number = 0;
  auto after = node.list([&](const JsonNode &action) {
    int64_t last = number++ - 1;
    return action.list([&](const JsonNode &earlier) { return earlier.integer(0, last); });
  });
  if (after.size() != numActions)
    node.fail("has " + std::to_string(after.size()) + " lists, expected one for each of " + std::to_string(numActions) +
              " actions");
  return after;
}

RankInfo readRank(const JsonNode &node, const EntryPlan &entry, const Shards &shards) {
  RankInfo rank;
  rank.stage = node["stage"].string();
  rank.arenaBytes = node["arena_bytes"].integer(0, maxBytes);
  rank.buffers = node["buffers"].list([&](const JsonNode &location) { return readBuffer(location, entry, shards); });
  auto numBuffers = static_cast<int64_t>(rank.buffers.size());
  rank.tasks = node["tasks"].list([&](const JsonNode &task) { return readTask(task, entry, numBuffers); });
  rank.actions = node["actions"].list([&](const JsonNode &action) { return readAction(action, rank, entry); });
  if (node.has("after"))
    rank.after = readAfter(node["after"], rank.actions.size());
  return rank;
}

ChannelInfo readChannel(const JsonNode &node, const EntryPlan &entry, int64_t numRanks) {
  ChannelInfo channel;
  channel.name = node["name"].string();
  channel.source = node["source"].integer(0, numRanks - 1);
  channel.destination = node["destination"].integer(0, numRanks - 1);
  channel.bytes = node["bytes"].integer(1, maxBytes);
  channel.shortBytes = readShort(node, "bytes", entry, 1, channel.bytes);
  channel.slots = node["slots"].integer(1, maxCount);
  channel.tag = node["tag"].integer(0, maxCount);
  channel.perStep = readChoice<Frequency>(node["per"]) == Frequency::step;
  return channel;
}

EntryPlan readEntry(const std::string &name, const JsonNode &node, int64_t numKernels, const Shards &shards) {
  EntryPlan entry;
  entry.name = name;
  entry.batch = node["batch"].integer(1, maxCount);
  entry.microBatches = node["micro_batches"].integer(1, entry.batch);
  if (node.has("accumulation_groups"))
    entry.groups = node["accumulation_groups"].integer(1, entry.microBatches);
  if (entry.microBatches % entry.groups)
    node["accumulation_groups"].fail("is " + std::to_string(entry.groups) + ", which does not divide " +
                                     std::to_string(entry.microBatches) + " micro-batches");
  entry.inputs = node["inputs"].list(readTensor);
  entry.outputs = node["outputs"].list(readTensor);
  auto readKernel = [&](const JsonNode &kernel) { return kernel.integer(0, numKernels - 1); };
  entry.kernels = node["kernels"].list(readKernel);
  if (entry.isRagged())
    entry.shortKernels = node["kernels_short"].list(readKernel);
  if (entry.isRagged() && entry.shortKernels.size() != entry.kernels.size())
    node["kernels_short"].fail("has " + std::to_string(entry.shortKernels.size()) + " kernels, expected " +
                               std::to_string(entry.kernels.size()));
  auto numRanks = static_cast<int64_t>(node["ranks"].list([](const JsonNode &) { return 0; }).size());
  if (node.has("replicas"))
    entry.replicas = node["replicas"].integer(1, entry.groups);
  if (entry.groups % entry.replicas || numRanks % entry.replicas)
    node["replicas"].fail("is " + std::to_string(entry.replicas) + ", which does not divide " +
                          std::to_string(entry.groups) + " accumulation groups and " + std::to_string(numRanks) +
                          " ranks");
  entry.outputRanks =
      node["outputs"].list([&](const JsonNode &output) { return output["rank"].integer(0, numRanks - 1); });
  entry.channels =
      node["channels"].list([&](const JsonNode &channel) { return readChannel(channel, entry, numRanks); });
  entry.ranks = node["ranks"].list([&](const JsonNode &rank) { return readRank(rank, entry, shards); });
  return entry;
}

Manifest readRoot(const JsonNode &root) {
  constexpr auto expected = static_cast<int64_t>(ModuleSeal::currentVersion);
  if (int64_t version = root["plcm"].integer(INT64_MIN, INT64_MAX); version != expected)
    root["plcm"].fail("is version " + std::to_string(version) + ", expected " + std::to_string(expected));
  Manifest manifest;
  manifest.model = root["model"].string();
  manifest.source = root["source"].string();
  manifest.numericsKey = root["numerics_key"].string();
  manifest.planJson = root["plan"].dump();
  manifest.real = readElementType(root["real"]);
  if (!isComputeType(manifest.real))
    root["real"].fail("is '" + std::string(nameOf(manifest.real)) + "', expected " + listElementTypes(isComputeType));
  manifest.threadsPerStage = root["threads_per_stage"].integer(0, 256);
  manifest.transport = readChoice<TransportKind>(root["transport"]);
  manifest.profiling = root["profiling"].boolean();
  manifest.codeBytes = root["code_bytes"].integer(0, maxBytes);
  manifest.targetFeatures = root["target_features"].list([](const JsonNode &feature) { return feature.string(); });
  manifest.optimizer = readOptimizer(root["optimizer"]);
  manifest.rates = readRates(root["rates"]);
  manifest.held = root["parameters"].list(readParameter);
  manifest.parameters = wholeParameters(manifest.held);
  Shards shards;
  for (const ParameterInfo &parameter : manifest.held)
    if (parameter.shard)
      shards.emplace(parameter.path, *parameter.shard);
  int64_t number = 0;
  manifest.kernels = root["kernels"].list([&](const JsonNode &kernel) { return readKernel(kernel, number++); });
  auto numKernels = static_cast<int64_t>(manifest.kernels.size());
  auto readRules = [&](const JsonNode &update) { return readUpdate(update, numKernels); };
  manifest.updates = root["updates"].list(readRules);
  for (const auto &[name, entry] : root["entries"].members())
    manifest.entries.push_back(readEntry(name, entry, numKernels, shards));
  return manifest;
}

} // namespace

Manifest readManifest(std::string_view text) {
  try {
    nlohmann::json root = parseJson(text);
    return readRoot(JsonNode(root));
  } catch (const JsonError &error) {
    throw FormatError(std::string("manifest ") + error.what() + " (offset " + std::to_string(error.offset) + ")");
  } catch (const JsonPathError &error) {
    throw FormatError("manifest: '" + (error.path.empty() ? "module" : error.path) + "' " + error.what());
  }
}

} // namespace plc::module
