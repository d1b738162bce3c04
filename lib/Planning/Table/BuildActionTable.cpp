//===- BuildActionTable.cpp - a planned program as plain structs ----------===//
#include "plc/Planning/Table/BuildActionTable.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Values.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

// The dialect and the module name the same kinds, and casts between them rely on it.
static_assert(int(BufferKind::parameter) == int(module::BufferKind::Parameter) &&
              int(BufferKind::gradient) == int(module::BufferKind::Gradient) &&
              int(BufferKind::moment) == int(module::BufferKind::Moment) &&
              int(BufferKind::average) == int(module::BufferKind::Average) &&
              int(BufferKind::input) == int(module::BufferKind::Input) &&
              int(BufferKind::output) == int(module::BufferKind::Output) &&
              int(BufferKind::precomputed) == int(module::BufferKind::Precomputed) &&
              int(BufferKind::state) == int(module::BufferKind::State));

namespace {

// Turns channels, layouts and actions into the table, rank by rank. It decides nothing, and the proof checks its
// result.
class TableBuilder {
public:
  TableBuilder(ProgramOp program, TaskSlots &slots) : program(program), slots(slots), routes(slots.getRoutes()) {}

  FailureOr<module::EntryPlan> run() {
    table.batch = std::max<int64_t>(1, program.getBatch()); // without a batch, all inputs are one sample
    table.microBatches = program.getMicroBatches();
    table.groups = program.getAccumulationGroups();
    table.replicas = program.isReplicated() ? program.getReplicas() : 1;
    for (auto kernel : program->getParentOfType<ModuleOp>().getOps<KernelOp>())
      kernels.try_emplace(kernel.getSymName(), kernels.size());
    addPorts(table.inputs, program.getArgNames(), program.getArgTypes(), program.getArgBatch());
    addPorts(table.outputs, program.getResultNames(), program.getResultTypes(), program.getResultBatch());
    addOutputRanks();
    for (auto channel : program.getBody().getOps<ChannelOp>())
      addChannel(channel);
    table.ranks.resize(program.getNumRanks());
    for (auto rank : program.getBody().getOps<RankOp>())
      if (failed(addRank(rank, table.ranks[rank.getIndex()])))
        return failure();
    return std::move(table);
  }

private:
  // Ports have the shapes of the whole batch. States and whole inputs are no ports: no caller gives them.
  void addPorts(std::vector<module::TensorInfo> &ports, ArrayAttr names, ArrayAttr types, ArrayRef<int64_t> axes) {
    for (auto [name, typeAttr, axis] : llvm::zip(names, types, axes)) {
      if (isa<ein::WholeNameAttr, ein::StateNameAttr>(name))
        continue;
      auto type = cast<RankedTensorType>(cast<TypeAttr>(typeAttr).getValue());
      module::TensorInfo port{ein::textOf(name),   elementTypeOf(type),        type.getShape().vec(), axis,
                              ein::sourceOf(name), ein::sourceOfGradient(name)};
      // A sum over the batch has no batch axis; other outputs have all samples along theirs.
      if (axis == summedBatch)
        port.shape.erase(port.shape.begin());
      else if (axis >= 0)
        port.shape[axis] =
            program.getCut().isRagged() ? program.getBatch() : port.shape[axis] * program.getMicroBatches();
      ports.push_back(std::move(port));
    }
  }

  void addOutputRanks() {
    table.outputRanks.resize(table.outputs.size());
    for (StageOp stage : stagesOfFirst(program))
      for (auto output : stage.getBody().getOps<OutputOp>())
        for (auto [port, rank] : llvm::zip(table.outputs, table.outputRanks))
          if (ein::textOf(output.getOutput()) == port.name)
            rank = stage.getRank();
  }

  void addChannel(ChannelOp channel) {
    RouteOp route = routes.routeOf(channel);
    channels.try_emplace(channel.getSymName(), channels.size());
    table.channels.push_back({route.getCarries().str(), int64_t(channel.getSource()), int64_t(channel.getDestination()),
                              carriedBytes(route, 0), carriedBytes(route, int64_t(program.getMicroBatches()) - 1),
                              int64_t(channel.getSlots()), int64_t(channel.getTag()), route.getPer() == Per::step});
  }

  LogicalResult addRank(RankOp op, module::RankInfo &rank) {
    auto layouts = op.getBody().getOps<LayoutOp>();
    if (layouts.empty())
      return op.emitOpError("has no layout, so nothing is known of its memory: run '--plan-addresses' first");
    layout = *layouts.begin();
    for (auto stage : program.getBody().getOps<StageOp>())
      if (stage.getRank() == op.getIndex())
        rank.stage += (rank.stage.empty() ? "" : "+") + stage.getSymName().str();
    rank.arenaBytes = layout.getArenaBytes();
    buffers.clear();
    tasks.clear();
    for (auto buffer : layout.getBody().getOps<BufferOp>()) {
      buffers[{buffer.getKind(), ein::textOf(buffer.getName()), int64_t(buffer.getSite().value_or(-1)),
               buffer.getGroup()}] = rank.buffers.size();
      rank.buffers.push_back({.kind = module::BufferKind(buffer.getKind()),
                              .name = ein::textOf(buffer.getName()),
                              .site = int64_t(buffer.getSite().value_or(0)),
                              .offset = int64_t(buffer.getAt()),
                              .bytes = int64_t(buffer.getBytes()),
                              .owned = buffer.getKind() != BufferKind::parameter || buffer.getOwned(),
                              .group = int64_t(buffer.getGroup()),
                              .groups = int64_t(buffer.getGroups())});
      if (auto whole = dyn_cast<ein::WholeNameAttr>(buffer.getName()))
        rank.buffers.back().wholeOf = ein::textOf(whole.getInput());
      if (isOfParameter(buffer.getKind()))
        rank.buffers.back().shard = shardOf(cast<StringAttr>(buffer.getName()));
      if (buffer.getKind() == BufferKind::state)
        addState(cast<StringAttr>(buffer.getName()), rank.buffers.back());
    }
    rank.actions.reserve(op.getBody().front().getOperations().size());
    for (auto action : op.getBody().getOps<ActionInterface>())
      if (failed(addAction(action, rank)))
        return failure();
    if (std::optional<ArrayRef<int64_t>> pairs = op.getAfter()) {
      rank.after.resize(rank.actions.size());
      for (size_t i = 0; i < pairs->size(); i += 2)
        rank.after[(*pairs)[i]].push_back((*pairs)[i + 1]);
    }
    return success();
  }

  static bool isOfParameter(BufferKind kind) {
    return kind == BufferKind::parameter || kind == BufferKind::gradient || kind == BufferKind::moment ||
           kind == BufferKind::average;
  }

  // The shard of a parameter's symbol; nullopt for a whole parameter.
  std::optional<ShardName> shardOf(StringAttr symbol) {
    auto [known, isNew] = shards.try_emplace(symbol);
    if (isNew)
      if (auto param = program->getParentOfType<ModuleOp>().lookupSymbol<ein::ParamOp>(symbol))
        known->second = ein::findShard(param.getShardAttr());
    return known->second;
  }

  void addState(StringAttr path, module::BufferInfo &buffer) {
    auto state = ein::StateNameAttr::get(path.getContext(), path.getValue());
    if (std::optional<unsigned> argument = ein::findName(program.getArgNames(), state))
      buffer.type = elementTypeOf(cast<TypeAttr>(program.getArgTypes()[*argument]).getValue());
    if (auto declared = program->getParentOfType<ModuleOp>().lookupSymbol<ein::StateOp>(path))
      buffer.init = declared.getInit().convertToDouble();
    program.walk([&](CallOp call) {
      auto input =
          routes.updatesState(call) ? slots.resolve(call.getArgs().back()).getDefiningOp<InputOp>() : InputOp();
      if (input && input.getInput() == state)
        program->getParentOfType<ModuleOp>().lookupSymbol<KernelOp>(call.getKernel()).walk([&](ein::PutOp put) {
          buffer.positions = put.countPositions();
        });
    });
  }

  LogicalResult addAction(ActionInterface op, module::RankInfo &rank) {
    ActionInfo &action = rank.actions.emplace_back();
    action.microBatch = op.getMicroBatch();
    if (auto run = dyn_cast<RunOp>(op.getOperation()))
      return addRun(run, rank, action);
    if (auto drop = dyn_cast<DropOp>(op.getOperation())) {
      action.op = ActionInfo::Op::Drop;
      action.offset = drop.getAt();
      action.bytes = drop.getBytes();
      return success();
    }
    std::optional<MessagePart> part = op.getMessagePart();
    if (!part) {
      action.op = ActionInfo::Op::Step;
      return success();
    }
    action.target = channels.lookup(op.getMessageChannel().getValue());
    switch (*part) {
    case MessagePart::post:
      action.op = ActionInfo::Op::PostRecv;
      return setOffset(op, cast<PostRecvOp>(op.getOperation()).getAt(), action);
    case MessagePart::waitReceive: action.op = ActionInfo::Op::WaitRecv; break;
    case MessagePart::send:
      action.op = ActionInfo::Op::Send;
      return setOffset(op, cast<SendOp>(op.getOperation()).getAt(), action);
    case MessagePart::waitSend: action.op = ActionInfo::Op::WaitSend; break;
    }
    return success();
  }

  static LogicalResult setOffset(Operation *op, std::optional<int64_t> at, ActionInfo &action) {
    if (!at)
      return op->emitOpError("has no address");
    action.offset = *at;
    return success();
  }

  LogicalResult addRun(RunOp run, module::RankInfo &rank, ActionInfo &action) {
    FailureOr<int64_t> task = taskNumber(run, rank);
    if (failed(task))
      return failure();
    const module::TaskInfo &made = rank.tasks[*task];
    int64_t given = run.getAt() ? run.getAt()->size() : 0;
    if (!run.getAt() || given != made.bases)
      return run.emitOpError("has ") << given << " addresses but the task has " << made.bases
                                     << (frameOf(run) ? " bases" : " slots");
    action.op = ActionInfo::Op::Run;
    action.target = *task;
    action.at = run.getAt()->vec();
    return success();
  }

  FrameOp frameOf(RunOp run) { return layout.getFrame(run.getStage(), run.getRole(), run.getKeep()); }

  // A run that keeps leaves out clones: in the table it is a task of its own, with the same slots.
  FailureOr<int64_t> taskNumber(RunOp run, module::RankInfo &rank) {
    TaskOp task = routes.taskOf(run);
    bool keep = run.getKeep();
    auto [it, inserted] = tasks.try_emplace({task, keep}, rank.tasks.size());
    if (!inserted)
      return it->second;
    module::TaskInfo &made = rank.tasks.emplace_back();
    made.name = (run.getStage() + "." + stringifyRole(task.getRole()) + (keep ? ".keep" : "")).str();
    DenseMap<Value, int64_t> numbers;
    for (Value slot : slots.of(task))
      numbers.try_emplace(slot, numbers.size());
    if (failed(addSlots(run, numbers.size(), made)))
      return failure();
    // A run that keeps still has what a clone would make again.
    for (auto call : task.getBody().getOps<CallOp>())
      if (!(keep && call.getRecompute()))
        made.calls.push_back({kernels.lookup(call.getKernel()), operandsOf(call, numbers), call.getPath().str()});
    return it->second;
  }

  // Offsets of slots behind bases, from the task's frame. Without a frame each slot is a base.
  LogicalResult addSlots(RunOp run, int64_t count, module::TaskInfo &made) {
    FrameOp frame = frameOf(run);
    if (!frame) {
      made.bases = count;
      for (int64_t slot = 0; slot < count; ++slot)
        made.slots.push_back({slot, 0});
      return success();
    }
    ArrayRef<int64_t> pairs = frame.getSlots();
    if (int64_t(pairs.size()) != 2 * count)
      return frame.emitOpError("places ") << pairs.size() / 2 << " slots of a task of " << count << " slots";
    made.bases = frame.getBases();
    for (int64_t slot = 0; slot < count; ++slot)
      made.slots.push_back({pairs[2 * slot], pairs[2 * slot + 1]});
    return success();
  }

  // Operands of a call: inputs, then outputs. An accumulator is one buffer, so it stands once, as an output.
  std::vector<int64_t> operandsOf(CallOp call, const DenseMap<Value, int64_t> &numbers) {
    std::vector<int64_t> operands;
    for (Value operand : call.getArgs().drop_back(routes.updatesState(call)))
      if (!slots.resolve(operand).getDefiningOp<SiteOp>())
        operands.push_back(operandOf(operand, numbers));
    for (Value result : call.getResults())
      operands.push_back(operandOf(result, numbers));
    return operands;
  }

  // Slots count from 0; persistent buffers are -1 minus their index.
  int64_t operandOf(Value value, const DenseMap<Value, int64_t> &numbers) {
    Value resolved = slots.resolve(value);
    if (auto param = resolved.getDefiningOp<ParamOp>())
      return -1 - buffers[{BufferKind::parameter, param.getParam().str(), -1, 0}];
    if (auto site = resolved.getDefiningOp<SiteOp>())
      return -1 -
             buffers[{BufferKind::gradient, site.getParam().str(), int64_t(site.getIndex()), int64_t(site.getGroup())}];
    if (std::optional<int64_t> number = precomputedNumber(resolved)) {
      auto buffer = buffers.find({BufferKind::precomputed, precomputedName(resolved, *number), -1, 0});
      return -1 - (buffer == buffers.end() ? 0 : buffer->second); // the proof reports the wrong buffer
    }
    return numbers.lookup(resolved);
  }

  ProgramOp program;
  TaskSlots &slots;
  const RouteTable &routes;
  module::EntryPlan table;
  llvm::StringMap<int64_t> kernels, channels;
  DenseMap<StringAttr, std::optional<ShardName>> shards;
  // Of the rank at hand.
  LayoutOp layout;
  std::map<std::tuple<BufferKind, std::string, int64_t, int64_t>, int64_t> buffers; // index by kind, name, site, group
  std::map<std::pair<Operation *, bool>, int64_t> tasks;
};

} // namespace

FailureOr<module::EntryPlan> plc::plan::buildActionTable(ProgramOp program, TaskSlots &slots) {
  return TableBuilder(program, slots).run();
}
