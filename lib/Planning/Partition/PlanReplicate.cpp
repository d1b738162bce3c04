//===- PlanReplicate.cpp - make all replicas of a pipeline ----------------===//
#include "Base/Programs.h"
#include "GatherShards.h"
#include "RouteBuilder.h"
#include "plc/Planning/Passes.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace plc::plan {
#define GEN_PASS_DEF_PLANREPLICATE
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

#define DEBUG_TYPE "plan-replicate"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Copies stages, routes and ranks of the first replica, then divides ownership of parameters among all of them.
class Replicas {
public:
  explicit Replicas(ProgramOp program)
      : program(program), count(program.getReplicas()), ranks(program.getNumRanks()),
        stages(program.getBody().getOps<StageOp>()), routes(program.getBody().getOps<RouteOp>()),
        ranksOfFirst(program.getBody().getOps<RankOp>()) {
    program.walk([&](CallOp call) {
      if (CloneAttr clone = call.getRecomputeAttr())
        cloneIds = std::max(cloneIds, clone.getId() + 1);
    });
  }

  void run() {
    // Copies go behind the originals, replica by replica, so that indices follow from the replica's number.
    copies.push_back(llvm::to_vector(stages));
    Operation *lastStage = stages.back(), *lastRoute = routes.empty() ? nullptr : routes.back().getOperation(),
              *lastRank = ranksOfFirst.back();
    for (int64_t replica = 1; replica < count; ++replica) {
      for (StageOp stage : stages)
        copyStage(stage, replica, lastStage);
      for (RouteOp route : routes)
        copyRoute(route, replica, lastRoute);
      for (RankOp rank : ranksOfFirst)
        copyRank(rank, replica, lastRank);
    }
    divideParameters();
    if (program.isTraining())
      RouteBuilder(program, DEBUG_TYPE).routeParameters();
  }

private:
  static std::string nameIn(StringRef name, int64_t replica) { return (name + "." + Twine(replica)).str(); }

  // Copies an operation behind `last`, and makes the copy the new last.
  template <typename Op>
  static Op copyBehind(Op op, Operation *&last) {
    auto copy = cast<Op>(op->clone());
    last->getBlock()->getOperations().insertAfter(Block::iterator(last), copy);
    last = copy;
    return copy;
  }

  void copyStage(StageOp stage, int64_t replica, Operation *&last) {
    StageOp copy = copyBehind(stage, last);
    copy.setSymName(nameIn(stage.getSymName(), replica));
    copy.setRank(stage.getRank() + replica * ranks);
    copy.setReplica(replica);
    for (Operation &op : copy.getBody().front()) {
      // Each replica sums its own micro-batches, which are its own accumulation groups.
      if (auto site = dyn_cast<SiteOp>(op))
        site.setGroup(replica * (program.getAccumulationGroups() / count));
      if (auto stash = dyn_cast<StashOp>(op))
        stash.setRoute(nameIn(stash.getRoute(), replica));
      if (auto pop = dyn_cast<PopOp>(op))
        pop.setRoute(nameIn(pop.getRoute(), replica));
    }
    // Ids of clones are unique in a program, so a copy's ids continue behind those of the replicas before.
    copy.walk([&](CallOp call) {
      if (CloneAttr clone = call.getRecomputeAttr())
        call.setRecomputeAttr(
            CloneAttr::get(program.getContext(), clone.getOriginal(), clone.getId() + replica * cloneIds));
    });
    copies.resize(replica + 1);
    copies[replica].push_back(copy);
  }

  void copyRoute(RouteOp route, int64_t replica, Operation *&last) {
    RouteOp copy = copyBehind(route, last);
    copy.setSymName(nameIn(route.getSymName(), replica));
    copy.setSource(nameIn(route.getSource(), replica));
    copy.setDestination(nameIn(route.getDestination(), replica));
  }

  void copyRank(RankOp rank, int64_t replica, Operation *&last) {
    RankOp copy = copyBehind(rank, last);
    copy.setIndex(rank.getIndex() + replica * ranks);
    for (auto run : copy.getBody().getOps<RunOp>()) {
      run.setStage(nameIn(run.getStage(), replica));
      if (!run.prepares())
        run.setMb(run.getMb() + program.getFirstRun(replica));
    }
  }

  // A parameter, or all shards of one that is updated as a whole, with the bytes that only its owner keeps: moments,
  // the average, and the accumulation groups that other replicas send.
  struct Owned {
    SmallVector<std::pair<int64_t, StringRef>> handles; // stage, parameter
    int64_t bytes = 0;
  };

  // Longest processing time first: no replica of a rank owns more than a third above the least possible (Graham, 1969).
  void divideParameters() {
    llvm::StringMap<int64_t> sites;
    for (StageOp stage : stages)
      for (auto site : stage.getBody().getOps<SiteOp>())
        ++sites[site.getParam()];
    std::map<int64_t, std::vector<Owned>> owned; // by rank of the first replica
    GatheredShards shards(program->getParentOfType<ModuleOp>());
    llvm::StringMap<size_t> known; // by the shard that names a whole: its place among those of its rank
    // Each site of an owner receives all groups but the replica's own.
    int64_t received = program.getAccumulationGroups() - program.getAccumulationGroups() / count;
    for (auto [index, stage] : llvm::enumerate(stages))
      for (auto param : stage.getBody().getOps<ParamOp>())
        if (int64_t used = sites.lookup(param.getParam()); param.getOwned() && used) {
          int64_t bytes = byteSize(param.getType()) * used * received;
          if (!param.getFrozen()) {
            bytes += byteSize(param.getType()) * program.getAverages();
            for (int64_t moment : momentBytes(param.getType(), param.getMoments(), int64_t(program.getMoments())))
              bytes += moment;
          }
          std::vector<Owned> &ofRank = owned[stage.getRank()];
          size_t place = ofRank.size();
          if (StringRef home = shards.homeOf(param.getParam()); !home.empty())
            place = known.try_emplace(home, place).first->second;
          if (place == ofRank.size())
            ofRank.emplace_back();
          ofRank[place].handles.emplace_back(int64_t(index), param.getParam());
          ofRank[place].bytes += bytes;
        }
    for (int64_t replica = 1; replica < count; ++replica)
      // Every copy starts without ownership; `divide` then names one owner for each parameter.
      for (StageOp stage : copies[replica])
        for (auto param : stage.getBody().getOps<ParamOp>())
          param.setOwned(false);
    for (auto &[rank, parameters] : owned)
      divide(rank, parameters);
  }

  void divide(int64_t rank, std::vector<Owned> &parameters) {
    std::vector<int64_t> bytes(count);
    // The largest first, as the rule wants; equal ones in program order.
    llvm::stable_sort(parameters, [](const Owned &a, const Owned &b) { return a.bytes > b.bytes; });
    for (const Owned &each : parameters) {
      // Ties go to the lowest replica, so the answer is deterministic.
      int64_t replica = std::min_element(bytes.begin(), bytes.end()) - bytes.begin();
      bytes[replica] += each.bytes;
      for (auto [stage, name] : each.handles) {
        paramIn(copies[0][stage], name).setOwned(false);
        paramIn(copies[replica][stage], name).setOwned(true);
      }
    }
    remark::passed(program.getLoc(),
                   remark::RemarkOpts::name("Owned").category(DEBUG_TYPE).function(program.getSymName()))
        << remark::add("{0} replicas of rank {1} own {2} parameters, of {3} to {4}", count, rank, parameters.size(),
                       planner::formatBytes(*std::min_element(bytes.begin(), bytes.end())),
                       planner::formatBytes(*std::max_element(bytes.begin(), bytes.end())));
  }

  static ParamOp paramIn(StageOp stage, StringRef name) {
    auto params = stage.getBody().getOps<ParamOp>();
    return *llvm::find_if(params, [&](ParamOp param) { return param.getParam() == name; });
  }

  ProgramOp program;
  int64_t count, ranks;
  SmallVector<StageOp> stages; // of the first replica
  SmallVector<RouteOp> routes;
  SmallVector<RankOp> ranksOfFirst;
  std::vector<SmallVector<StageOp>> copies; // by replica
  int64_t cloneIds = 0;                     // ids of clones are less than this
};

struct PlanReplicatePass : plc::plan::impl::PlanReplicateBase<PlanReplicatePass> {
  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (program.getReplicas() == 1)
        continue;
      if (failed(check(program)))
        return signalPassFailure();
      Replicas(program).run();
    }
  }

private:
  LogicalResult check(ProgramOp program) {
    if (program.isReplicated())
      return program.emitError("program '") << program.getSymName() << "' has all its replicas already";
    if (!program.getBody().getOps<ChannelOp>().empty())
      return program.emitError("program '")
             << program.getSymName() << "' has messages already, but replicas are made before them";
    return success(succeeded(requireRoutes(program)) && succeeded(requireSchedule(program)));
  }
};

} // namespace
