//===- EntryManifest.cpp - a planned program as the manifest says it --------===//
#include "EntryManifest.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using codegen::KernelIndex;
using codegen::KernelVariants;
using llvm::json::Array;
using llvm::json::Object;

namespace {

class EntryWriter {
public:
  EntryWriter(ProgramOp program, KernelIndex kernelIndex)
      : program(program), routes(program), slots(program, routes), kernelIndex(kernelIndex) {}

  Object run() {
    Array ranks;
    for (auto channel : program.getBody().getOps<ChannelOp>())
      channelNumber.try_emplace(channel.getSymName(), channelNumber.size());
    for (auto rank : program.getBody().getOps<RankOp>())
      ranks.push_back(writeRank(rank));
    Object entry;
    entry["batch"] = std::max<int64_t>(1, program.getBatch()); // without a batch, all inputs are one sample
    entry["micro_batches"] = program.getMicroBatches();
    entry["inputs"] = writePorts(program.getArgNames(), program.getArgTypes(), program.getArgBatch());
    entry["outputs"] = writePorts(program.getResultNames(), program.getResultTypes(), program.getResultBatch());
    addOutputRanks(*entry.getArray("outputs"));
    entry["channels"] = writeChannels();
    entry["ranks"] = std::move(ranks);
    return entry;
  }

private:
  int64_t lastMicroBatch() { return int64_t(program.getMicroBatches()) - 1; }

  // Shapes of the whole batch.
  Array writePorts(ArrayAttr names, ArrayAttr types, ArrayRef<int64_t> axes) {
    Array ports;
    for (auto [name, typeAttr, axis] : llvm::zip(names.getAsValueRange<StringAttr>(), types, axes)) {
      auto type = cast<RankedTensorType>(cast<TypeAttr>(typeAttr).getValue());
      SmallVector<int64_t> shape(type.getShape());
      if (axis >= 0)
        shape[axis] = program.getRagged() ? program.getBatch() : shape[axis] * program.getMicroBatches();
      ports.push_back(Object{{"name", name},
                             {"type", StringRef(nameOf(elementTypeOf(type)))},
                             {"shape", Array(shape)},
                             {"batch_axis", axis}});
    }
    return ports;
  }

  void addOutputRanks(Array &outputs) {
    for (auto stage : program.getBody().getOps<StageOp>())
      for (auto output : stage.getBody().getOps<OutputOp>())
        for (auto &each : outputs)
          if (each.getAsObject()->getString("name") == output.getOutput())
            (*each.getAsObject())["rank"] = stage.getRank();
  }

  Array writeChannels() {
    Array channels;
    for (auto channel : program.getBody().getOps<ChannelOp>()) {
      RouteOp route = routes.routeOf(channel);
      Object each{{"name", route.getCarries()},
                  {"source", channel.getSource()},
                  {"destination", channel.getDestination()},
                  {"bytes", byteSize(program, route.getType(), 0)},
                  {"slots", channel.getSlots()},
                  {"tag", channel.getTag()},
                  {"per", stringifyPer(route.getPer())}};
      if (program.getRagged())
        each["bytes_short"] = byteSize(program, route.getType(), lastMicroBatch());
      channels.push_back(std::move(each));
    }
    return channels;
  }

  Object writeRank(RankOp rank) {
    auto layout = cast<LayoutOp>(rank.getBody().front().front());
    Object entry;
    std::string stages;
    for (auto stage : program.getBody().getOps<StageOp>())
      if (stage.getRank() == rank.getIndex())
        stages += (stages.empty() ? "" : "+") + stage.getSymName().str();
    entry["stage"] = stages;
    entry["arena_bytes"] = layout.getArenaBytes();
    entry["statics"] = writeStatics(layout);
    tasks.clear();
    taskNumber.clear();
    Array actions;
    for (Operation &op : rank.getBody().front())
      if (!isa<LayoutOp>(op))
        actions.push_back(writeAction(&op));
    entry["tasks"] = std::move(tasks);
    entry["actions"] = std::move(actions);
    return entry;
  }

  Array writeStatics(LayoutOp layout) {
    Array statics;
    staticNumber.clear();
    for (auto place : layout.getBody().getOps<StaticOp>()) {
      Object each{{"kind", stringifyStaticKind(place.getKind())},
                  {"name", place.getName()},
                  {"offset", place.getAt()},
                  {"bytes", place.getBytes()}};
      if (place.getSite())
        each["site"] = *place.getSite();
      if (place.getKind() == StaticKind::parameter)
        each["owned"] = place.getOwned();
      staticNumber[{place.getKind(), place.getName(), int64_t(place.getSite().value_or(-1))}] = statics.size();
      statics.push_back(std::move(each));
    }
    return statics;
  }

  // Slots are numbered from 0, statics are -1 - their number.
  int64_t operandOf(Value value, const DenseMap<Value, int64_t> &numbers) {
    Value resolved = slots.resolve(value);
    if (auto param = resolved.getDefiningOp<ParamOp>())
      return -1 - staticNumber[{StaticKind::parameter, param.getParam(), -1}];
    if (auto site = resolved.getDefiningOp<SiteOp>())
      return -1 - staticNumber[{StaticKind::gradient, site.getParam(), int64_t(site.getIndex())}];
    return numbers.lookup(resolved);
  }

  // A run that keeps does without the task's clones: it is a task of its own, of the same slots.
  int64_t numberOf(StringRef stageName, TaskOp task, bool keep) {
    auto [it, inserted] = taskNumber.try_emplace({task, keep}, tasks.size());
    if (!inserted)
      return it->second;
    DenseMap<Value, int64_t> numbers;
    for (Value slot : slots.of(task))
      numbers.try_emplace(slot, numbers.size());
    Array calls;
    for (auto call : task.getBody().getOps<CallOp>()) {
      if (keep && call.getRecompute())
        continue;
      Array operands;
      // Inputs, then outputs; an accumulator once, as the output.
      for (Value operand : call.getArgs())
        if (!slots.resolve(operand).getDefiningOp<SiteOp>())
          operands.push_back(operandOf(operand, numbers));
      for (Value result : call.getResults())
        operands.push_back(operandOf(result, numbers));
      KernelVariants kernel = kernelIndex(call.getKernel());
      Object each{{"kernel", kernel.full}, {"operands", std::move(operands)}, {"path", call.getPath()}};
      if (program.getRagged())
        each["kernel_short"] = kernel.shorter;
      calls.push_back(std::move(each));
    }
    tasks.push_back(Object{{"name", (stageName + "." + stringifyRole(task.getRole()) + (keep ? ".keep" : "")).str()},
                           {"slots", int64_t(numbers.size())},
                           {"calls", std::move(calls)}});
    return it->second;
  }

  Object writeAction(Operation *op) {
    std::optional<int64_t> at;
    Object action{{"op", op->getName().stripDialect()}};
    if (isa<StepOp>(op))
      return action;
    action["mb"] = cast<ActionInterface>(op).getMicroBatch();
    if (auto run = dyn_cast<RunOp>(op)) {
      TaskOp task = routes.taskOf(run);
      action["task"] = numberOf(run.getStage(), task, run.getKeep());
      action["at"] = Array(*run.getAt());
      return action;
    }
    if (auto drop = dyn_cast<DropOp>(op)) {
      at = drop.getAt();
      action["bytes"] = byteSize(program, slots.of(routes.taskOf(drop))[drop.getSlot()].getType(), drop.getMb());
    } else {
      action["channel"] = channelNumber.lookup(cast<ActionInterface>(op).getMessageChannel().getValue());
      if (isa<WaitRecvOp, WaitSendOp>(op))
        return action;
      at = isa<SendOp>(op) ? cast<SendOp>(op).getAt() : cast<PostRecvOp>(op).getAt();
    }
    assert(at && "an action without an address");
    action["at"] = *at;
    return action;
  }

  ProgramOp program;
  RouteTable routes;
  TaskSlots slots;
  KernelIndex kernelIndex;
  llvm::StringMap<int64_t> channelNumber;
  std::map<std::tuple<StaticKind, StringRef, int64_t>, int64_t> staticNumber;
  std::map<std::pair<Operation *, bool>, int64_t> taskNumber;
  Array tasks;
};

} // namespace

Object plc::codegen::entryManifest(ModuleOp module, KernelIndex kernelIndex) {
  return EntryWriter(*module.getOps<ProgramOp>().begin(), kernelIndex).run();
}
