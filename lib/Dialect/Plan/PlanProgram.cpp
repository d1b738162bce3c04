//===- PlanProgram.cpp - verification of programs, stages, tasks ----------===//
#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Plan.h"
#include "plc/Dialect/Plan/Values.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

RegionKind ProgramOp::getRegionKind(unsigned) { return RegionKind::Graph; }

void ProgramOp::build(OpBuilder &builder, OperationState &state, ein::ModelOp model) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = model.getSymNameAttr();
  properties.arg_names = model.getArgNames();
  properties.arg_types = builder.getTypeArrayAttr(model.getArgumentTypes());
  properties.arg_batch = builder.getDenseI64ArrayAttr(model.getArgBatch());
  properties.result_names = model.getResultNames();
  properties.result_types = builder.getTypeArrayAttr(model.getResultTypes());
  properties.result_batch = builder.getDenseI64ArrayAttr(model.getResultBatch());
  properties.batch = builder.getI64IntegerAttr(model.getBatch());
  properties.micro_batches = builder.getI64IntegerAttr(std::max<int64_t>(model.getMicroBatches(), 1));
  properties.moments = builder.getI64IntegerAttr(2);
  properties.accumulation_groups = builder.getI64IntegerAttr(model.getAccumulationGroups().value_or(1));
  properties.replicas = builder.getI64IntegerAttr(1);
  state.addRegion();
}

int64_t ProgramOp::getNumRanks() {
  int64_t ranks = 0;
  for (auto stage : getBody().getOps<StageOp>())
    ranks = std::max(ranks, stage.getRank() + 1);
  return ranks;
}

bool ProgramOp::isReplicated() {
  return llvm::any_of(getBody().getOps<StageOp>(), [](StageOp stage) { return stage.getReplica() != 0; });
}

bool ProgramOp::isTraining() {
  for (auto stage : getBody().getOps<StageOp>())
    if (!stage.getBody().getOps<SiteOp>().empty())
      return true;
  return false;
}

TaskOp StageOp::getTask(Role role) {
  // From the end, since the handles at the front are far more.
  for (Operation &op : llvm::reverse(getBody().front()))
    if (auto task = dyn_cast<TaskOp>(op); task && task.getRole() == role)
      return task;
  return nullptr;
}

// (C1)
static LogicalResult verifyNames(ProgramOp program, StringRef what, ArrayAttr names, ArrayAttr types,
                                 ArrayRef<int64_t> batch, bool maySum) {
  if (names.size() != types.size() || names.size() != batch.size())
    return program.emitOpError("has ") << names.size() << " " << what << " names but " << types.size() << " types and "
                                       << batch.size() << " batch axes";
  llvm::SmallDenseSet<Attribute> seen;
  for (auto [name, type, axis] : llvm::zip(names, types.getAsValueRange<TypeAttr>(), batch)) {
    if (!seen.insert(name).second)
      return program.emitOpError(what) << " '" << ein::textOf(name) << "' is named twice";
    if (!ein::isSizedTensor(type))
      return program.emitOpError(what) << " '" << ein::textOf(name) << "' is " << type
                                       << " but needs to be a tensor of 1 to 2^48 elements "
                                       << ein::listElementTypes(ein::Domain::Any, /*unchosen=*/false);
    if (!ein::isBatchNumber(axis, type, maySum))
      return program.emitOpError(what) << " '" << ein::textOf(name) << "' has batch axis " << axis
                                       << " but needs an axis of " << type << " or -1";
  }
  return ein::verifyPlainNames(program, what, names);
}

// (C2)
static LogicalResult verifyCut(ProgramOp program) {
  ein::MicroBatches cut = program.getCut();
  auto check = [&](StringRef what, ArrayAttr names, ArrayAttr types, ArrayRef<int64_t> batch) {
    return cut.verifyTypes(program, what, names, llvm::to_vector_of<Type>(types.getAsValueRange<TypeAttr>()), batch);
  };
  return success(
      succeeded(cut.verify(program)) &&
      succeeded(check("input", program.getArgNames(), program.getArgTypes(), program.getArgBatch())) &&
      succeeded(check("output", program.getResultNames(), program.getResultTypes(), program.getResultBatch())));
}

LogicalResult ProgramOp::verify() {
  if (failed(verifyNames(*this, "input", getArgNames(), getArgTypes(), getArgBatch(), /*maySum=*/false)) ||
      failed(verifyNames(*this, "output", getResultNames(), getResultTypes(), getResultBatch(), /*maySum=*/true)))
    return failure();
  if (failed(verifyCut(*this)))
    return failure();
  if (getAccumulationGroups() % getReplicas()) // (C8)
    return emitOpError("has ") << getReplicas() << " replicas of " << getAccumulationGroups()
                               << " accumulation groups, which they do not divide";
  // (C4)
  auto checkBound = [&](StringRef what, std::optional<int64_t> bound, std::optional<int64_t> answer) {
    if (bound && answer && *bound > *answer)
      return emitOpError("has ") << what << " bound " << *bound << " above its answer " << *answer;
    return InFlightDiagnostic();
  };
  if (failed(checkBound("cut", getCutBoundNs(), getCutNs())) ||
      failed(checkBound("step", getStepBoundNs(), getStepNs())) ||
      failed(checkBound("kept", getKeptBoundBytes(), getKeptBytes())) ||
      failed(checkBound("recompute", getRecomputeBoundNs(), getRecomputeNs())))
    return failure();
  return success();
}

// (C3)
static LogicalResult verifyRanks(ProgramOp program) {
  int64_t stages = llvm::range_size(program.getBody().getOps<StageOp>());
  for (auto stage : program.getBody().getOps<StageOp>())
    if (stage.getRank() >= stages)
      return stage.emitOpError("has rank ")
             << stage.getRank() << " but ranks of " << stages << " stages end at " << stages - 1;
  int64_t ranks = program.getNumRanks();
  SmallVector<bool> used(ranks, false);
  for (auto stage : program.getBody().getOps<StageOp>())
    used[stage.getRank()] = true;
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (!used[rank])
      return program.emitOpError("has no stage on rank ") << rank << " of " << ranks;
  llvm::SmallDenseSet<int64_t> listed;
  for (auto rank : program.getBody().getOps<RankOp>()) {
    if (rank.getIndex() >= ranks)
      return rank.emitOpError("has index ") << rank.getIndex() << " but the stages use ranks 0 to " << ranks - 1;
    if (!listed.insert(rank.getIndex()).second)
      return rank.emitOpError("has index ") << rank.getIndex() << ", as another one has";
  }
  return success();
}

// (C9)
static LogicalResult verifyShards(ProgramOp program) {
  int64_t shards = program.getShards(), ranks = program.getRanksOfReplica();
  if (ranks % shards)
    return program.emitOpError("has ") << ranks << " ranks, which " << shards << " shards do not divide";
  std::optional<ArrayRef<int64_t>> pipeline = program.getPipeline();
  if (!pipeline)
    return shards > 1 ? program.emitOpError("has ") << shards << " shards but no pipeline" : InFlightDiagnostic();
  SmallVector<StageOp> stages = stagesOfFirst(program);
  if (pipeline->size() != stages.size())
    return program.emitOpError("has a pipeline of ")
           << pipeline->size() << " stages but " << stages.size() << " stages";
  for (auto [index, stage] : llvm::enumerate(stages)) {
    int64_t of = (*pipeline)[index], last = index ? (*pipeline)[index - 1] : -1;
    if (of != last + 1 && (of != last || last < 0))
      return stage.emitOpError("is of stage ")
             << of << " of the pipeline where " << (last < 0 ? "" : std::to_string(last) + " or ") << last + 1
             << " is expected";
    if (of == last && stage.getRank() / shards != stages[index - 1].getRank() / shards)
      return stage.emitOpError("is of stage ")
             << of << " of the pipeline on rank " << stage.getRank() << ", but '" << stages[index - 1].getSymName()
             << "' is on rank " << stages[index - 1].getRank() << " of another group";
  }
  return success();
}

// (C8)
static LogicalResult verifyReplicas(ProgramOp program) {
  if (!program.isReplicated())
    return success();
  int64_t replicas = program.getReplicas(), ranks = program.getNumRanks();
  std::vector<SmallVector<StageOp>> stages(replicas);
  for (auto stage : program.getBody().getOps<StageOp>()) {
    if (int64_t(stage.getReplica()) >= replicas)
      return stage.emitOpError("is of replica ") << stage.getReplica() << " of " << replicas;
    stages[stage.getReplica()].push_back(stage);
  }
  for (auto [replica, own] : llvm::enumerate(stages))
    if (own.size() != stages[0].size())
      return program.emitOpError("has ") << own.size() << " stages of replica " << replica << " but "
                                         << stages[0].size() << " of replica 0";
  if (ranks % replicas)
    return program.emitOpError("has ") << ranks << " ranks, which " << replicas << " replicas do not divide";
  for (auto [replica, own] : llvm::enumerate(stages))
    for (auto [stage, first] : llvm::zip(own, stages[0]))
      if (int64_t rank = int64_t(first.getRank()) + int64_t(replica) * (ranks / replicas); stage.getRank() != rank)
        return stage.emitOpError("has rank ") << stage.getRank() << " but needs " << rank << ", as '"
                                              << first.getSymName() << "' of replica 0 has " << first.getRank();
  return success();
}

// (C7). Each end itself verifies that it is in the right stage.
static LogicalResult verifyEnds(ProgramOp program) {
  llvm::StringMap<int64_t> stashes, pops;
  for (auto stage : program.getBody().getOps<StageOp>())
    for (Operation &op : stage.getBody().front()) {
      if (auto stash = dyn_cast<StashOp>(op))
        ++stashes[stash.getRoute()];
      if (auto pop = dyn_cast<PopOp>(op))
        ++pops[pop.getRoute()];
    }
  for (auto route : program.getBody().getOps<RouteOp>())
    if (int64_t out = stashes.lookup(route.getSymName()), in = pops.lookup(route.getSymName()); out != 1 || in != 1)
      return route.emitOpError("has ") << out << " stashes in '" << route.getSource() << "' and " << in << " pops in '"
                                       << route.getDestination() << "' but needs one of each";
  return success();
}

static LogicalResult verifyIsolated(StageOp stage) {
  // (C3)
  if (stage.getNumResults())
    return stage.emitOpError("has results but the program has routes");
  WalkResult walk = stage.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!stage.getBody().isAncestor(operand.getParentRegion())) {
        op->emitOpError("uses a value of another stage but the program has routes");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

// (C1) of layer
static LogicalResult verifyLayers(ProgramOp program) {
  llvm::StringSet<> seen;
  int64_t last = -1;
  for (auto layer : program.getBody().getOps<LayerOp>()) {
    if (!seen.insert(layer.getPath()).second)
      return layer.emitOpError("lists '") << layer.getPath() << "', which is listed already";
    int64_t number = layer.getLayer();
    if (number != last + 1 && (number != last || last < 0))
      return layer.emitOpError("is of layer ")
             << number << " where " << (last < 0 ? "" : std::to_string(last) + " or ") << last + 1 << " is expected";
    last = number;
  }
  return success();
}

// (C6)
static LogicalResult verifyMade(ProgramOp program) {
  llvm::StringMap<Value> stashed;
  for (auto stage : program.getBody().getOps<StageOp>())
    for (auto stash : stage.getBody().getOps<StashOp>())
      stashed[stash.getRoute()] = stash.getValue();
  SymbolTable symbols(program);
  auto stashedFor = [&](PopOp pop) {
    auto source = symbols.lookup<StageOp>(symbols.lookup<RouteOp>(pop.getRoute()).getSource());
    return source.getRank() == cast<StageOp>(pop->getParentOp()).getRank() ? stashed.lookup(pop.getRoute()) : Value();
  };
  auto check = [&](Operation *op, Value value) -> LogicalResult {
    llvm::SmallDenseSet<Value> passed;
    for (; value; value = forwardedFrom(value, stashedFor))
      if (!passed.insert(value).second)
        return op->emitOpError("has a value that nothing makes: it comes back to itself");
    return success();
  };
  for (auto stage : program.getBody().getOps<StageOp>()) {
    for (Value result : stage.getResults()) {
      if (failed(check(stage, result)))
        return failure();
      for (Operation *user : result.getUsers())
        if (stage->isProperAncestor(user)) {
          InFlightDiagnostic error = user->emitOpError("uses a result of the stage that it stands in");
          error.attachNote(stage.getLoc()) << "stage declared here";
          return error;
        }
    }
    for (auto pop : stage.getBody().getOps<PopOp>())
      if (failed(check(pop, pop.getResult())))
        return failure();
  }
  return success();
}

// (C5)
static LogicalResult verifyClones(ProgramOp program) {
  llvm::DenseMap<int64_t, CallOp> clones;
  WalkResult walk = program.walk([&](CallOp call) {
    if (!call.getRecompute())
      return WalkResult::advance();
    auto [it, inserted] = clones.try_emplace(call.getRecompute()->getId(), call);
    if (inserted)
      return WalkResult::advance();
    InFlightDiagnostic error = call.emitOpError("is clone ") << it->first << ", as an earlier one is";
    error.attachNote(it->second.getLoc()) << "the earlier one";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(verifyRanks(*this)) || failed(verifyReplicas(*this)) || failed(verifyShards(*this)) ||
      failed(verifyLayers(*this)) || failed(verifyClones(*this)) || failed(verifyEnds(*this)))
    return failure();
  if (!getBody().getOps<RouteOp>().empty())
    for (auto stage : getBody().getOps<StageOp>())
      if (failed(verifyIsolated(stage)))
        return failure();
  return verifyMade(*this);
}

template <typename Owner>
static LogicalResult verifyYield(Owner op) {
  Block &block = op.getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield)
    return op.emitOpError("does not end with 'plan.yield'");
  if (yield.getNumOperands() != op->getNumResults())
    return yield.emitOpError("yields ") << yield.getNumOperands() << " values but its parent has "
                                        << op->getNumResults() << " results";
  if (!llvm::equal(yield.getOperandTypes(), op->getResultTypes()))
    return yield.emitOpError("yields ") << yield.getOperandTypes() << " but its parent has results "
                                        << op->getResultTypes();
  return success();
}

// (C4)
static LogicalResult verifyCheckpoints(StageOp stage) {
  llvm::SmallDenseSet<Value> kept;
  for (auto checkpoint : stage.getBody().getOps<CheckpointOp>())
    kept.insert(checkpoint.getValue());
  TaskOp forward = stage.getTask(Role::F);
  if (kept.empty() || !forward)
    return success();
  for (OpResult result : forward.getResults())
    for (Operation *user : result.getUsers())
      if (isa<CallOp>(user) && !kept.contains(result))
        return user->emitOpError("uses result #")
               << result.getResultNumber() << " of F, which no 'plan.checkpoint' keeps";
  return success();
}

LogicalResult CheckpointOp::verify() {
  // (C1)
  auto task = getValue().getDefiningOp<TaskOp>();
  if (!task || task.getRole() != Role::F || task->getParentOp() != (*this)->getParentOp())
    return emitOpError("keeps a value that is no result of the stage's F");
  return success();
}

LogicalResult StageOp::verify() {
  // (C1)
  if (failed(verifyYield(*this)))
    return failure();
  // (C2)
  std::optional<Role> last;
  auto placeOf = [](Role role) { return role == Role::P ? -1 : int(role); };
  for (auto task : getBody().getOps<TaskOp>()) {
    if (last && placeOf(task.getRole()) <= placeOf(*last))
      return task.emitOpError("'") << stringifyRole(task.getRole()) << "' follows task '" << stringifyRole(*last)
                                   << "' but the order is P, F, B, W, once each";
    last = task.getRole();
  }
  return verifyCheckpoints(*this);
}

// (C2) of task
static LogicalResult verifyPrepares(TaskOp task) {
  for (auto call : task.getBody().getOps<CallOp>())
    for (auto [index, operand] : llvm::enumerate(call.getArgs()))
      if (operand.getParentBlock() != call->getBlock() && !operand.getDefiningOp<ParamOp>())
        return call.emitOpError("of P has operand #") << index << ", which is no parameter and none of P's values";
  llvm::SmallDenseSet<Value> yielded;
  for (auto [index, value] : llvm::enumerate(task.getBody().front().getTerminator()->getOperands()))
    if (!value.getDefiningOp<CallOp>() || value.getParentBlock() != &task.getBody().front() ||
        !yielded.insert(value).second)
      return task.emitOpError("P has result #") << index << ", which is not one value of one of its calls";
  for (OpResult result : task.getResults())
    for (Operation *user : result.getUsers())
      if (!isa<CallOp>(user) || user->getParentOfType<StageOp>() != task->getParentOp())
        return user->emitOpError("uses result #")
               << result.getResultNumber() << " of P but is no call of the stage's other tasks";
  return success();
}

LogicalResult TaskOp::verify() {
  // (C1)
  if (failed(verifyYield(*this)))
    return failure();
  return getRole() == Role::P ? verifyPrepares(*this) : success();
}

// (C1) of input and output.
static LogicalResult verifyPort(Operation *op, StringRef what, Attribute name, Type type, ArrayAttr names,
                                ArrayAttr types) {
  std::optional<unsigned> index = ein::findName(names, name);
  if (!index)
    return op->emitOpError("names '") << ein::textOf(name) << "', which is no " << what << " of the program";
  Type expected = cast<TypeAttr>(types[*index]).getValue();
  if (type != expected)
    return op->emitOpError("has type ") << type << " but the program's " << what << " '" << ein::textOf(name)
                                        << "' has " << expected;
  return success();
}

LogicalResult InputOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  return verifyPort(*this, "input", getInput(), getType(), program.getArgNames(), program.getArgTypes());
}

LogicalResult OutputOp::verify() {
  auto program = (*this)->getParentOfType<ProgramOp>();
  return verifyPort(*this, "output", getOutput(), getValue().getType(), program.getResultNames(),
                    program.getResultTypes());
}
