//===- PersistentBuffers.cpp - persistent buffers of a rank -------------------------===//
#include "PersistentBuffers.h"

#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Values.h"

using namespace mlir;
using namespace plc::plan;

namespace {

// Bytes of an input or output for all micro-batches of a replica. An input without a batch axis is equal for all.
int64_t portBytes(StageOp stage, Type type, bool once) {
  auto program = stage->getParentOfType<ProgramOp>();
  int64_t replica = stage.getReplica();
  return once ? byteSize(type)
              : bytesBefore(program, type, program.getFirstRun(replica + 1)) -
                    bytesBefore(program, type, program.getFirstRun(replica));
}

/// The name of the buffer of an input that is a state: its path. Null for other inputs.
StringAttr stateAt(InputOp input) {
  auto state = dyn_cast<plc::ein::StateNameAttr>(input.getInput());
  return state ? StringAttr::get(state.getContext(), state.getPath()) : StringAttr();
}

bool hasBatch(ProgramOp program, InputOp input) {
  return program.getArgBatch()[*plc::ein::findName(program.getArgNames(), input.getInput())] >= 0;
}

} // namespace

RankStages plc::plan::stagesByRank(ProgramOp program) {
  RankStages stages(program.getNumRanks());
  for (auto stage : program.getBody().getOps<StageOp>())
    stages[stage.getRank()].push_back(stage);
  return stages;
}

std::vector<BufferItem> plc::plan::collectBuffers(ProgramOp program, ArrayRef<StageOp> stages) {
  DenseMap<Attribute, SmallVector<int64_t>> momentsOf; // bytes, by parameter
  DenseSet<Attribute> trained; // parameters of the rank's sites; an owner has all sites of its parameters
  DenseSet<Attribute> frozen;
  for (StageOp stage : stages)
    for (auto site : stage.getBody().getOps<SiteOp>())
      trained.insert(site.getParamAttr().getAttr());
  std::vector<BufferItem> parameters, gradients, moments, states, inputs, outputs, precomputed;
  // Stages of a rank share one buffer of what both use.
  DenseMap<std::pair<Attribute, std::tuple<int, int64_t, int64_t>>, size_t> positions;
  auto add = [&](std::vector<BufferItem> &items, const BufferItem &item) {
    auto [known, inserted] = positions.try_emplace({item.name, {int(item.kind), item.site, item.group}}, items.size());
    if (inserted)
      items.push_back(item);
    else
      items[known->second].owned |= item.owned;
  };
  for (StageOp stage : stages) {
    for (Operation &op : stage.getBody().front()) {
      if (auto param = dyn_cast<ParamOp>(op)) {
        Attribute name = param.getParamAttr().getAttr();
        add(parameters, {BufferKind::parameter, name, -1, byteSize(param.getType()), param.getOwned()});
        if (param.getFrozen())
          frozen.insert(name);
        momentsOf.try_emplace(name, momentBytes(param.getType(), param.getMoments(), int64_t(program.getMoments())));
      }
      if (auto site = dyn_cast<SiteOp>(op))
        add(gradients, {BufferKind::gradient, site.getParamAttr().getAttr(), int64_t(site.getIndex()),
                        byteSize(site.getType()) * int64_t(site.getGroups()), false, int64_t(site.getGroup()),
                        int64_t(site.getGroups())});
      if (auto input = dyn_cast<InputOp>(op)) {
        int64_t bytes = portBytes(stage, input.getType(), /*once=*/!hasBatch(program, input));
        if (StringAttr state = stateAt(input))
          add(states, {BufferKind::state, state, -1, bytes});
        else
          add(inputs, {BufferKind::input, input.getInput(), -1, bytes});
      }
      // The output of a state is its buffer, which is listed as a state.
      if (auto output = dyn_cast<OutputOp>(op); output && !isa<plc::ein::StateNameAttr>(output.getOutput()))
        add(outputs,
            {BufferKind::output, output.getOutput(), -1, portBytes(stage, output.getValue().getType(), false)});
    }
    if (TaskOp task = stage.getTask(Role::P))
      for (Value value : task.getBody().front().getTerminator()->getOperands()) {
        auto name = StringAttr::get(program.getContext(), precomputedName(value, *precomputedNumber(value)));
        add(precomputed, {BufferKind::precomputed, name, -1, byteSize(value.getType())});
      }
  }
  // Only the owner updates a parameter, so its moments and its average exist once, on that rank.
  std::vector<BufferItem> updated;
  llvm::copy_if(parameters, std::back_inserter(updated), [&](const BufferItem &item) {
    return item.owned && trained.contains(item.name) && !frozen.contains(item.name);
  });
  // All first moments, then all second ones: an order that does not depend on how many each parameter has.
  bool isLast = false;
  for (size_t moment = 0; !std::exchange(isLast, true); ++moment)
    for (const BufferItem &item : updated)
      if (const auto &bytes = momentsOf[item.name]; moment < bytes.size()) {
        moments.push_back({BufferKind::moment, item.name, int64_t(moment), bytes[moment]});
        isLast = false;
      }
  if (program.getAverages())
    for (const BufferItem &item : updated)
      moments.push_back({BufferKind::average, item.name, -1, item.bytes});
  std::vector<BufferItem> all;
  // The order of kinds fixes the order of buffers in the layout.
  for (auto *part : {&parameters, &gradients, &moments, &states, &inputs, &outputs, &precomputed})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

int64_t plc::plan::persistentBytesOf(ProgramOp program, ArrayRef<StageOp> stages) {
  int64_t bytes = 0, divided = 0, replicas = program.isReplicated() ? 1 : program.getReplicas();
  for (const BufferItem &item : collectBuffers(program, stages)) {
    bool isOwners = item.kind == BufferKind::moment || item.kind == BufferKind::average;
    (isOwners ? divided : bytes) += roundUpToAlignment(item.bytes);
    if (item.kind == BufferKind::gradient) // other replicas have it, too, and send it to the owner
      divided += (replicas - 1) * roundUpToAlignment(item.bytes);
  }
  return bytes + divided / replicas / bufferAlignment * bufferAlignment;
}

int64_t plc::plan::updateBytesOf(ArrayRef<StageOp> stages) {
  int64_t bytes = 0;
  for (StageOp stage : stages) {
    DenseSet<Attribute> trained;
    for (auto site : stage.getBody().getOps<SiteOp>())
      trained.insert(site.getParamAttr().getAttr());
    for (auto param : stage.getBody().getOps<ParamOp>())
      if (param.getOwned() && trained.contains(param.getParamAttr().getAttr()))
        bytes = std::max(bytes, int64_t(param.getWorkspace().value_or(0)));
  }
  return bytes;
}

PersistentBuffers::PersistentBuffers(LayoutOp layout, const RouteTable &routes)
    : outputs(outputsOf(layout->getParentOfType<ProgramOp>(), routes, layout->getParentOfType<RankOp>().getIndex())) {
  for (auto buffer : layout.getBody().getOps<BufferOp>())
    add(buffer.getKind(), plc::ein::textOf(buffer.getName()), buffer.getSite().value_or(-1), buffer.getGroup(),
        buffer.getAt());
}

PersistentBuffers::PersistentBuffers(RankOp rank, ArrayRef<module::BufferInfo> buffers, const RouteTable &routes)
    : outputs(outputsOf(rank->getParentOfType<ProgramOp>(), routes, rank.getIndex())) {
  for (const module::BufferInfo &buffer : buffers)
    add(BufferKind(buffer.kind), buffer.name, isNumbered(buffer.kind) ? buffer.site : -1, buffer.group, buffer.offset);
}

// Buffers are known by what they hold, because a value names that and no number.
void PersistentBuffers::add(BufferKind kind, const std::string &name, int64_t site, int64_t group, int64_t offset) {
  positions[{kind, name, site, group}] = offsets.size();
  offsets.push_back(offset);
}

int64_t PersistentBuffers::find(BufferKind kind, Attribute name, int64_t site, int64_t group) const {
  auto it = positions.find({kind, plc::ein::textOf(name), site, group});
  return it == positions.end() ? -1 : it->second;
}

int64_t PersistentBuffers::bufferOf(Value resolved) const {
  if (auto param = resolved.getDefiningOp<ParamOp>())
    return find(BufferKind::parameter, param.getParamAttr().getAttr());
  if (auto site = resolved.getDefiningOp<SiteOp>())
    return find(BufferKind::gradient, site.getParamAttr().getAttr(), site.getIndex(), site.getGroup());
  if (auto input = resolved.getDefiningOp<InputOp>()) {
    StringAttr state = stateAt(input);
    return state ? find(BufferKind::state, state) : find(BufferKind::input, input.getInput());
  }
  if (std::optional<int64_t> number = precomputedNumber(resolved))
    return find(BufferKind::precomputed, StringAttr::get(resolved.getContext(), precomputedName(resolved, *number)));
  // What remains are results of calls: those that are outputs lie in their buffer.
  OutputOp output = outputs.lookup(resolved);
  return output ? find(BufferKind::output, output.getOutput()) : -1;
}

std::optional<int64_t> PersistentBuffers::offsetOf(Value resolved, int64_t mb) const {
  int64_t buffer = bufferOf(resolved);
  if (buffer < 0)
    return std::nullopt;
  auto program = resolved.getDefiningOp()->getParentOfType<ProgramOp>();
  if (auto site = resolved.getDefiningOp<SiteOp>()) // a site of other groups than the micro-batch's has its first one
    return offsets[buffer] +
           (std::max<int64_t>(program.getCut().groupOf(mb), site.getGroup()) - int64_t(site.getGroup())) *
               byteSize(site.getType());
  bool follows = !isPersistent(resolved); // behind the value of the micro-batch before
  if (auto input = resolved.getDefiningOp<InputOp>())
    follows = hasBatch(program, input);
  if (!follows)
    return offsets[buffer];
  int64_t first = program.getFirstRun(resolved.getDefiningOp()->getParentOfType<StageOp>().getReplica());
  return offsets[buffer] + bytesBefore(program, resolved.getType(), mb) -
         bytesBefore(program, resolved.getType(), first);
}
