//===- ExplainMemory.cpp - what an arena has live at its peak -------------===//
#include "Addresses/Lives.h"
#include "ExplainStep.h"
#include "Proof/Proof.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

using Resident = Explanation::Resident;

// Lists what a rank's arena contains at the first time with the most live bytes, largest first.
class PeakExplainer {
public:
  PeakExplainer(ProgramOp program, RankOp rank, LayoutOp layout, TaskSlots &slots, Explanation::Arena &out)
      : program(program), rank(rank), layout(layout), slots(slots), out(out), residents(out.residents),
        buffers(layout, slots.getRoutes()), timeline(rank, slots, buffers) {}

  void run() {
    addBuffers();
    int64_t time = findPeak();
    addValues(time);
    llvm::stable_sort(residents, [](const Resident &a, const Resident &b) { return a.bytes > b.bytes; });
    out.rank = rank.getIndex();
    out.bytes = layout.getArenaBytes();
    out.persistentBytes = layout.getPersistentBytes();
    out.liveBytes = layout.getBoundBytes();
    out.idleBytes = out.bytes - out.liveBytes;
    out.peak = describe(time);
  }

private:
  void addBuffers() {
    for (auto buffer : layout.getBody().getOps<BufferOp>()) {
      bool isMoment = buffer.getKind() == BufferKind::moment;
      std::string name =
          (stringifyBufferKind(buffer.getKind()) + (isMoment ? " " + std::to_string(*buffer.getSite()) : "") + " '" +
           ein::textOf(buffer.getName()) + "'")
              .str();
      if (buffer.getSite() && !isMoment)
        name += ", site " + std::to_string(*buffer.getSite());
      if (buffer.getGroups() > 1)
        name += ", " + std::to_string(buffer.getGroups()) + " accumulation groups";
      if (Value value = precomputedAt(buffer))
        name = plc::plan::describe(value, -1);
      residents.push_back({name, lineOfBuffer(buffer), roundUpToAlignment(buffer.getBytes())});
    }
  }

  /// The result of P in a buffer; null for other buffers.
  Value precomputedAt(BufferOp buffer) {
    for (auto stage : program.getBody().getOps<StageOp>())
      if (TaskOp task = stage.getTask(Role::P); task && buffer.getKind() == BufferKind::precomputed)
        for (auto [number, value] : llvm::enumerate(task.getBody().front().getTerminator()->getOperands()))
          if (precomputedName(value, number) == ein::textOf(buffer.getName()))
            return value;
    return nullptr;
  }

  /// The line of the model that declares what a buffer holds; gradients and moments are at their parameter.
  std::string lineOfBuffer(BufferOp buffer) {
    if (Value value = precomputedAt(buffer))
      return lineOf(value.getLoc());
    for (auto stage : program.getBody().getOps<StageOp>())
      for (Operation &op : stage.getBody().front()) {
        if (auto output = dyn_cast<OutputOp>(op); output && buffer.getKind() == BufferKind::output)
          if (output.getOutput() == buffer.getName())
            return lineOf(slots.resolve(output.getValue()).getLoc());
        if (auto input = dyn_cast<InputOp>(op); input && buffer.getKind() == BufferKind::input)
          if (input.getInput() == buffer.getName())
            return lineOf(input.getLoc());
        if (buffer.getKind() == BufferKind::state)
          if (auto state = program->getParentOfType<ModuleOp>().lookupSymbol(cast<StringAttr>(buffer.getName())))
            return lineOf(state->getLoc());
        if (auto param = dyn_cast<ParamOp>(op))
          if (param.getParamAttr().getAttr() == buffer.getName())
            return lineOf(param.getLoc());
      }
    return "";
  }

  int64_t bytesOf(Lives::Instance instance) {
    return roundUpToAlignment(byteSize(program, instance.first.getType(), instance.second));
  }

  /// The first time at which the most bytes are live.
  int64_t findPeak() {
    // A sweep: the change of live bytes at each moment.
    std::vector<int64_t> change(timeline.moments.size() + 1);
    for (auto &[instance, life] : timeline.lives) {
      change[life.first] += bytesOf(instance);
      change[life.second] -= bytesOf(instance);
    }
    int64_t live = 0, most = -1, peak = 0;
    for (size_t time = 0; time < timeline.moments.size(); ++time)
      if (live += change[time]; live > most) {
        most = live;
        peak = time;
      }
    return peak;
  }

  /// The values that are live at a time; one value of several micro-batches is one entry.
  void addValues(int64_t time) {
    llvm::MapVector<Value, Resident> values;
    for (auto &[instance, life] : timeline.lives) {
      if (time < life.first || time >= life.second)
        continue;
      Resident &each = values[instance.first];
      // A value of no bytes counts as one.
      each.count = each.bytes ? each.count + 1 : 1;
      each.bytes += bytesOf(instance);
      if (each.name.empty()) {
        each.name = plc::plan::describe(instance.first, -1);
        // Received values have no call here, so the route names them.
        if (auto pop = instance.first.getDefiningOp<PopOp>()) {
          RouteOp route = slots.getRoutes().route(pop.getRoute());
          each.name = ("'" + route.getCarries() + "' from " + route.getSource()).str();
        }
        if (auto result = dyn_cast<OpResult>(instance.first); result.getOwner()->getNumResults() > 1)
          each.name += ", result " + std::to_string(result.getResultNumber());
        each.line = lineOf(instance.first.getLoc());
      }
    }
    for (auto &[value, each] : values)
      residents.push_back(std::move(each));
  }

  std::string describe(int64_t time) {
    Lives::Moment moment = timeline.moments[time];
    auto run = dyn_cast<RunOp>(moment.action);
    if (!run || !moment.call)
      return "between runs";
    std::string line = lineOf(moment.call.getLoc());
    return llvm::formatv("in {0} of {1}, micro-batch {2}, while '{3}' of '{4}' runs{5}", stringifyRole(run.getRole()),
                         run.getStage(), run.getMb(), moment.call.getKernel(), moment.call.getPath(),
                         line.empty() ? "" : ", " + line);
  }

  ProgramOp program;
  RankOp rank;
  LayoutOp layout;
  TaskSlots &slots;
  Explanation::Arena &out;
  std::vector<Resident> &residents;
  PersistentBuffers buffers;
  Lives timeline;
};

} // namespace

void plc::plan::explainMemory(ProgramOp program, TaskSlots &slots, Explanation &out) {
  for (auto rank : program.getBody().getOps<RankOp>())
    for (auto layout : rank.getBody().getOps<LayoutOp>())
      PeakExplainer(program, rank, layout, slots, out.arenas.emplace_back()).run();
}
