//===- BuildWorkload.cpp - a flat program as a workload -------------------===//
#include "BuildWorkload.h"

#include "GatherShards.h"
#include "ShardStages.h"

#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planning/Schedule/PredictStep.h"

#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Copies what plans depend on out of the IR, once, into plain data. The search then evaluates plans without touching
// IR.
class WorkloadBuilder {
public:
  WorkloadBuilder(ein::ModelOp model, const FlatProgram &flat, const WorkloadFacts &facts)
      : model(model), flat(flat), facts(facts), outputs(flat.outputs.begin(), flat.outputs.end()) {}

  search::Workload run() {
    ein::MicroBatches cut = ein::cutOf(model);
    out.microBatches = std::max<int64_t>(model.getMicroBatches(), 1);
    // Equal micro-batches need no list: an empty one means equal.
    if (cut.isRagged())
      for (int64_t run = 0; run < out.microBatches; ++run)
        out.samples.push_back(cut.samplesOf(run));
    out.groups = model.getAccumulationGroups().value_or(1);
    out.stepsMeet = facts.stepsMeet;
    for (const FlatProgram::Unit &unit : flat.units)
      out.units.push_back(unit.name);
    numberValues();
    findKept();
    for (auto [index, call] : llvm::enumerate(flat.calls))
      addCall(index, call);
    for (auto [call, place] : llvm::zip(out.calls, positionsInFullBackward(flat)))
      call.behind = place;
    addPersistent();
    out.derive();
    return std::move(out);
  }

private:
  static constexpr int32_t none = -1;

  // Only results of calls get numbers. Parameters, sites and inputs live through the step, so no plan changes their
  // lifetime.
  void numberValues() {
    number.assign(flat.values.size(), none);
    for (auto [index, value] : llvm::enumerate(flat.values))
      if (value.origin == FlatValue::Result) {
        number[index] = out.values.size();
        out.values.push_back({search::aligned(byteSize(value.type)), int32_t(value.call), outputs.contains(index)});
      }
  }

  void findKept() {
    for (const FlatProgram::Instance &each : flat.layers)
      if (llvm::is_contained(facts.keepKinds, each.kind))
        kept.insert(each.path);
  }

  simulator::SharedWork workOf(KernelOp kernel) const {
    return simulator::shared(kernel.getNs(), plan::chunksOf(kernel), facts.threads);
  }

  void addCall(int64_t index, const FlatCall &call) {
    search::Call &plain = out.calls.emplace_back();
    KernelOp kernel = call.kernel;
    plain.unit = call.unit;
    plain.kind = search::TaskKind(call.role);
    simulator::SharedWork work = workOf(kernel);
    plain.ns = work.ns;
    plain.dividedNs = work.dividedNs;
    plain.leastNs = work.leastNs;
    // The plan may place a sum freely only if it knows both operands.
    plain.isSum = call.sum && llvm::all_of(call.args, [&](int64_t value) { return number[value] != none; });
    // A value that a call reads twice is read once.
    auto add = [&](std::vector<int32_t> &list, int64_t value) {
      if (number[value] != none && !llvm::is_contained(list, number[value]))
        list.push_back(number[value]);
    };
    for (int64_t value : call.args)
      add(plain.reads, value);
    for (int64_t value : call.results)
      if (flat.values[value].origin == FlatValue::Result)
        add(plain.makes, value);
    // A call that accumulates or updates a state must not run twice. An output stays live anyway, so a clone would save
    // no bytes. Kinds of `keepKinds` are excluded by the user.
    plain.mayRecompute = call.role == Role::F && kernel.getNumAccumulators() == 0 && !kernel.getUpdates() &&
                         !kept.contains(call.path.getValue()) && !plain.makes.empty() &&
                         llvm::none_of(plain.makes, [&](int32_t made) { return out.values[made].isOutput; });
  }

  // Bytes that each rank holds through the step for the units that it has: precomputed values, inputs, parameters,
  // outputs.
  void addPersistent() {
    std::vector<std::set<int32_t>> readers(flat.values.size()); // units
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args)
        readers[value].insert(call.unit);
    std::vector<bool> isRead(flat.values.size());
    for (size_t value = 0; value < readers.size(); ++value)
      isRead[value] = !readers[value].empty();
    // A precomputed value needs its own inputs wherever its readers are. In reverse order, readers are complete before
    // use.
    for (const FlatCall &call : llvm::reverse(flat.precomputed))
      for (int64_t made : call.results)
        for (int64_t value : call.args)
          readers[value].insert(readers[made].begin(), readers[made].end());
    llvm::StringMap<size_t> parameters;
    SymbolTable symbols(model->getParentOfType<ModuleOp>());
    GatheredShards shards(model->getParentOfType<ModuleOp>());
    for (auto [index, value] : llvm::enumerate(flat.values)) {
      std::vector<int32_t> units(readers[index].begin(), readers[index].end());
      int64_t bytes = byteSize(value.type);
      // A precomputed value that only other precomputed calls read is a temporary of P.
      if (value.origin == FlatValue::Precomputed && isRead[index])
        out.persistent.push_back({search::aligned(bytes), 0, units});
      // One buffer for all micro-batches, or one slice of it for each.
      if (value.origin == FlatValue::Input && !units.empty())
        isOnce(value) ? out.persistent.push_back({bytes, 0, units}) : out.persistent.push_back({0, bytes, units});
      if (value.origin != FlatValue::Param)
        continue;
      parameters[value.symbol()] = out.parameters.size();
      search::Parameter &parameter = out.parameters.emplace_back(search::aligned(bytes), units);
      auto declared = symbols.lookup<ein::ParamOp>(value.symbol());
      if (declared && declared.getFrozen())
        continue;
      parameter.beside = facts.averages * parameter.bytes;
      for (int64_t moment : momentBytes(value.type, declared ? declared.getMoments() : std::nullopt, facts.moments))
        parameter.beside += search::aligned(moment);
    }
    for (const auto &[name, index] : parameters)
      if (auto home = parameters.find(shards.homeOf(name)); home != parameters.end() && home->second != index)
        out.parameters[index].home = int32_t(home->second);
    for (auto [index, call] : llvm::enumerate(flat.calls))
      for (int64_t value : call.args)
        if (const FlatValue &site = flat.values[value]; site.origin == FlatValue::Site)
          if (auto it = parameters.find(site.symbol()); it != parameters.end())
            out.parameters[it->second].sites.push_back(int32_t(index));
    for (int64_t output : flat.outputs)
      if (const FlatValue &value = flat.values[output]; value.origin == FlatValue::Result)
        out.persistent.push_back({0, byteSize(value.type), {int32_t(flat.calls[value.call].unit)}});
  }

  /// Whether an input has no batch axis, so that all micro-batches read the same bytes.
  bool isOnce(const FlatValue &input) {
    for (auto [name, axis] : llvm::zip(model.getArgNames(), model.getArgBatch()))
      if (name == input.name)
        return axis < 0;
    return false;
  }

  ein::ModelOp model;
  const FlatProgram &flat;
  const WorkloadFacts &facts;
  DenseSet<int64_t> outputs;
  DenseSet<StringRef> kept;    // paths of layers that save all that they make
  std::vector<int32_t> number; // by value of the flat program: its number in the workload, or `none`
  search::Workload out;
};

} // namespace

search::Workload plc::plan::buildWorkload(ein::ModelOp model, const FlatProgram &flat, const WorkloadFacts &facts) {
  return WorkloadBuilder(model, flat, facts).run();
}

search::Recomputation plc::plan::recomputationOf(const FlatProgram &flat, const search::Workload &workload,
                                                 const planner::Remat &answer) {
  search::Recomputation out{std::vector<search::Recompute>(workload.calls.size(), search::Recompute::no)};
  for (size_t call = 0, forward = 0; call < flat.calls.size(); ++call)
    if (flat.calls[call].role == Role::F && answer.cloned[forward++] && workload.calls[call].mayRecompute)
      out.calls[call] = search::Recompute::once;
  for (auto [value, info] : llvm::enumerate(flat.values)) // the workload has those that calls make
    if (info.origin == FlatValue::Result)
      out.saved.push_back(answer.kept[value] && out.calls[info.call] != search::Recompute::no);
  return out;
}

LogicalResult plc::plan::share(ein::ModelOp model, FlatProgram &flat, search::Sharing &sharing) {
  SmallVector<int64_t> cut(sharing.cut.begin(), sharing.cut.end()),
      groups(sharing.groupOf.begin(), sharing.groupOf.end());
  FailureOr<SharedStages> shared = shareStages(model, flat, cut, groups, sharing.shards);
  if (failed(shared))
    return failure();
  sharing.stageOf.assign(shared->stageOf.begin(), shared->stageOf.end());
  sharing.rankOf.assign(shared->rankOf.begin(), shared->rankOf.end());
  sharing.pipeline.assign(shared->pipeline.begin(), shared->pipeline.end());
  return success();
}
