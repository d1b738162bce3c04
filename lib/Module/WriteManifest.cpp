//===- WriteManifest.cpp - the only writer of manifests -------------------===//
#include "Words.h"

#include "plc/Module/Manifest.h"
#include "plc/Module/ModuleSeal.h"
#include "plc/Module/OptimizerKeys.h"

#include <nlohmann/json.hpp>

namespace plc::module {

using nlohmann::json;

namespace {

template <class Element, class Write>
json list(const std::vector<Element> &elements, Write write) {
  json array = json::array();
  for (const Element &element : elements)
    array.push_back(write(element));
  return array;
}

json writeInitializer(const Initializer &init) {
  json written{{"kind", nameOfChoice(init.kind)}};
  switch (init.kind) {
  case Initializer::Kind::Constant: written["value"] = init.value; break;
  case Initializer::Kind::Normal: written["scale"] = init.scale; break;
  case Initializer::Kind::Uniform:
    written["low"] = init.low;
    written["high"] = init.high;
    break;
  }
  return written;
}

json writeShard(const ShardName &shard) {
  return {{"whole", shard.whole}, {"axis", shard.axis}, {"index", shard.index}, {"count", shard.count}};
}

json writeParameter(const ParameterInfo &parameter) {
  json written{{"path", parameter.path},
               {"type", nameOf(parameter.type)},
               {"shape", parameter.shape},
               {"init", writeInitializer(parameter.init)},
               {"frozen", parameter.frozen}};
  if (parameter.replaced)
    written["replaced"] = true;
  if (parameter.shard)
    written["shard"] = writeShard(*parameter.shard);
  if (parameter.rows)
    written["rows"] = parameter.rows;
  return written;
}

json writeProgram(const UpdateProgram &program) {
  auto writeCall = [](const UpdateCall &call) { return json{{"kernel", call.kernel}, {"operands", call.operands}}; };
  return {{"shape", program.shape},      {"inputs", program.inputs},
          {"results", program.results},  {"scratch_bytes", program.scratchBytes},
          {"in_place", program.inPlace}, {"calls", list(program.calls, writeCall)}};
}

json writeUpdate(const UpdateRules &rules) {
  return {{"scalars", writeProgram(rules.scalars)}, {"tensors", list(rules.tensors, writeProgram)}};
}

json writeForm(const OptimizerForm &form) {
  auto writeState = [](const OptimizerState &state) {
    return json{{"name", state.name}, {"init", state.init}, {"lacks", state.lacks}};
  };
  return {{"kind", form.kind},    {"parameter", form.parameter}, {"gradient", form.gradient},
          {"axes", form.numAxes}, {"open", form.isOpen},         {"states", list(form.states, writeState)}};
}

json writeOptimizer(const OptimizerSettings &settings) {
  json schedule{{"kind", nameOfChoice(settings.schedule)}};
  for (const OptimizerKey &key : scheduleKeys())
    if (key.isOf(settings.schedule))
      std::visit([&](auto at) { schedule[std::string(key.name())] = settings.*at; }, key.member);
  auto writeSetting = [](const OptimizerSetting &setting) {
    const Limits &limits = setting.limits;
    return json{{"name", setting.name}, {"value", setting.value},           {"least", limits.least},
                {"most", limits.most},  {"above", limits.isLeastExclusive}, {"below", limits.isMostExclusive}};
  };
  auto writeGroup = [&](const ParameterGroup &group) {
    json values = json::object();
    for (const auto &[name, value] : group.values)
      values[name] = value;
    return json{{"match", group.match},
                {"values", std::move(values)},
                {"frozen", group.frozen},
                {"kind", group.kind},
                {"settings", list(group.settings, writeSetting)}};
  };
  return {{"kind", settings.kind},
          {"lr", settings.lr},
          {"settings", list(settings.settings, writeSetting)},
          {"forms", list(settings.forms, writeForm)},
          {"schedule", std::move(schedule)},
          {"clip_norm", settings.clipNorm},
          {"clip_value", settings.clipValue},
          {"ema", settings.ema},
          {"layer_decay", settings.layerDecay},
          {"decay_matrices_only", settings.decayMatricesOnly},
          {"groups", list(settings.groups, writeGroup)},
          {"nonfinite", nameOfChoice(settings.nonFinite)},
          {"scales_loss", settings.scalesLoss},
          {"loss_scale", settings.lossScale}};
}

json writeOperand(const RealOperand &operand) {
  return {{"operand", operand.operand}, {"type", nameOf(operand.type)}, {"elements", operand.elements}};
}

json writeIterationOffset(const IterationOffset &place) {
  return json::array({place.operand, place.offset, place.perIteration});
}

// One location if it is the same in all iterations, else three.
json writeIterationOperand(const IterationOperand &operand) {
  json places = json::array({writeIterationOffset(operand[0])});
  if (operand[1] != operand[0] || operand[2] != operand[0]) {
    places.push_back(writeIterationOffset(operand[1]));
    places.push_back(writeIterationOffset(operand[2]));
  }
  return places;
}

json writeLoop(const LoopInfo &loop) {
  auto writeStep = [](const StepInfo &step) {
    return json{{"kernel", step.kernel}, {"operands", list(step.operands, writeIterationOperand)}};
  };
  auto writeEnd = [](const EndInfo &end) {
    return json{{"from", writeIterationOffset(end.from)}, {"to", writeIterationOffset(end.to)}, {"bytes", end.bytes}};
  };
  return {{"iterations", loop.iterations},
          {"reverse", loop.reverse},
          {"bytes", loop.bytes},
          {"steps", list(loop.steps, writeStep)},
          {"ends", list(loop.ends, writeEnd)}};
}

json writeKernel(const KernelInfo &kernel) {
  return {{"name", kernel.name},
          {"symbol", kernel.symbol},
          {"where", kernel.where},
          {"chunks", kernel.chunks},
          {"flops", kernel.flops},
          {"bytes", kernel.bytes},
          {"ns", kernel.ns},
          {"gathers",
           list(kernel.gathers,
                [](const GatherInfo &gather) { return json{{"where", gather.where}, {"extent", gather.extent}}; })},
          {"inputs", list(kernel.inputs, writeOperand)},
          {"results", list(kernel.results, writeOperand)},
          {"infinite", kernel.infinite},
          {"loop", kernel.loop ? writeLoop(*kernel.loop) : json()}};
}

json writeRates(const PerRate &rates) {
  json written = json::object();
  for (size_t i = 0; i < PerRate::size; ++i)
    written[nameOfChoice(Rate(i))] = rates[Rate(i)];
  return written;
}

json writeTensor(const TensorInfo &tensor) {
  json written{
      {"name", tensor.name}, {"type", nameOf(tensor.type)}, {"shape", tensor.shape}, {"batch_axis", tensor.batchAxis}};
  if (tensor.source != InputSource::Caller)
    written["given"] = nameOfChoice(tensor.source);
  if (!tensor.gradientOf.empty())
    written["gradient_of"] = tensor.gradientOf;
  return written;
}

json writeBuffer(const BufferInfo &place) {
  json written{
      {"kind", nameOfChoice(place.kind)}, {"name", place.name}, {"offset", place.offset}, {"bytes", place.bytes}};
  if (isNumbered(place.kind))
    written["site"] = place.site;
  if (place.kind == BufferKind::Gradient) {
    // Fields with their default are left out: most plans have no groups, replicas or short micro-batches.
    if (place.group)
      written["group"] = place.group;
    if (place.groups > 1)
      written["groups"] = place.groups;
  }
  if (place.kind == BufferKind::Parameter)
    written["owned"] = place.owned;
  if (place.kind == BufferKind::State) {
    written["type"] = nameOf(place.type);
    written["init"] = place.init;
    written["positions"] = place.positions;
  }
  if (!place.wholeOf.empty())
    written["whole_of"] = place.wholeOf;
  return written;
}

json writeTask(const TaskInfo &task) {
  auto writeCall = [](const CallInfo &call) {
    return json{{"kernel", call.kernel}, {"operands", call.operands}, {"path", call.path}};
  };
  auto writeSlot = [](const SlotInfo &slot) { return json::array({slot.base, slot.offset}); };
  return {{"name", task.name},
          {"bases", task.bases},
          {"slots", list(task.slots, writeSlot)},
          {"calls", list(task.calls, writeCall)}};
}

json writeAction(const ActionInfo &action) {
  using Op = ActionInfo::Op;
  json written{{"op", nameOfChoice(action.op)}};
  if (action.op == Op::Step)
    return written;
  written["mb"] = action.microBatch;
  if (action.op == Op::Run) {
    written["task"] = action.target;
    written["at"] = action.at;
    return written;
  }
  if (action.op == Op::Drop)
    written["bytes"] = action.bytes;
  else
    written["channel"] = action.target;
  if (action.op != Op::WaitRecv && action.op != Op::WaitSend)
    written["at"] = action.offset;
  return written;
}

json writeChannel(const ChannelInfo &channel, bool ragged) {
  json written{{"name", channel.name},
               {"source", channel.source},
               {"destination", channel.destination},
               {"bytes", channel.bytes},
               {"slots", channel.slots},
               {"tag", channel.tag},
               {"per", nameOfChoice(channel.perStep ? Frequency::step : Frequency::microBatch)}};
  if (ragged)
    written["bytes_short"] = channel.shortBytes;
  return written;
}

json writeRank(const RankInfo &rank) {
  json written{{"stage", rank.stage},
               {"arena_bytes", rank.arenaBytes},
               {"buffers", list(rank.buffers, writeBuffer)},
               {"tasks", list(rank.tasks, writeTask)},
               {"actions", list(rank.actions, writeAction)}};
  if (rank.takesWhatIsReady())
    written["after"] = rank.after;
  return written;
}

json writeEntry(const EntryPlan &entry) {
  json outputs = list(entry.outputs, writeTensor);
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i]["rank"] = entry.outputRanks[i];
  json written{{"batch", entry.batch},
               {"micro_batches", entry.microBatches},
               {"inputs", list(entry.inputs, writeTensor)},
               {"outputs", std::move(outputs)},
               {"kernels", entry.kernels},
               {"ranks", list(entry.ranks, writeRank)}};
  written["channels"] =
      list(entry.channels, [&](const ChannelInfo &channel) { return writeChannel(channel, entry.isRagged()); });
  if (entry.isRagged())
    written["kernels_short"] = entry.shortKernels;
  if (entry.groups > 1)
    written["accumulation_groups"] = entry.groups;
  if (entry.replicas > 1)
    written["replicas"] = entry.replicas;
  return written;
}

} // namespace

std::string writeManifest(const Manifest &manifest) {
  json entries = json::object();
  for (const EntryPlan &entry : manifest.entries)
    entries[entry.name] = writeEntry(entry);
  json root{{"plcm", ModuleSeal::currentVersion},
            {"model", manifest.model},
            {"source", manifest.source},
            {"numerics_key", manifest.numericsKey},
            {"real", nameOf(manifest.real)},
            {"threads_per_stage", manifest.threadsPerStage},
            {"transport", nameOfChoice(manifest.transport)},
            {"profiling", manifest.profiling},
            {"target_features", manifest.targetFeatures},
            {"optimizer", writeOptimizer(manifest.optimizer)},
            {"updates", list(manifest.updates, writeUpdate)},
            {"rates", writeRates(manifest.rates)},
            {"plan", json::parse(manifest.planJson)},
            {"parameters", list(manifest.held, writeParameter)},
            {"kernels", list(manifest.kernels, writeKernel)},
            {"code_bytes", manifest.codeBytes},
            {"entries", std::move(entries)}};
  // JSON must be UTF-8, and names of files may be anything.
  return root.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace plc::module
