//===- PlanAddresses.cpp - give every value of every rank its place -------===//
#include "Lives.h"
#include "Programs.h"
#include "Statics.h"

#include "plc/Support/Errors.h"
#include "plc/Analysis/TaskSlots.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Pack.h"
#include "plc/Planner/Partition.h"
#include "plc/Planning/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANADDRESSES
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

#define DEBUG_TYPE "plan-addresses"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

class RankLayout {
public:
  RankLayout(ProgramOp program, RankOp rank, TaskSlots &slots)
      : program(program), rank(rank), slots(slots), routes(slots.getRoutes()), builder(program.getContext()) {}

  LogicalResult run(const planner::MemoryStrategyRow &strategy, int64_t limit) {
    if (failed(checkDrops()))
      return failure();
    placeStatics();
    Lives timeline(rank, slots, *statics);
    lives = std::move(timeline.lives);
    times = std::move(timeline.times);
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    for (auto &[instance, life] : lives)
      problem.blocks.push_back({bytesOf(instance), life.first, life.second});
    planner::Packing packing;
    if (planner::Fault fault = strategy.pack(problem, packing))
      return emitNoPlan(rank) << *fault;
    for (auto [index, entry] : llvm::enumerate(lives))
      offsets[entry.first] = staticBytes + packing.offsets[index];
    layout.setArenaBytes(staticBytes + packing.bytes);
    layout.setBoundBytes(staticBytes + problem.bound());
    layout.setExact(packing.exact && packing.bytes > problem.bound());
    remark::passed(rank.getLoc(),
                   remark::RemarkOpts::name("Packed").category(DEBUG_TYPE).function(program.getSymName()))
        << remark::add("rank {0}: {1} values, {2}, take {3}, and at least {4} at any places, behind {5} of statics",
                       rank.getIndex(), problem.blocks.size(), strategy.name, planner::formatBytes(packing.bytes),
                       planner::formatBytes(problem.bound()), planner::formatBytes(staticBytes));
    if (limit && layout.getArenaBytes() > limit)
      return refuse(limit);
    writeOffsets();
    return success();
  }

private:
  using Instance = Lives::Instance;

  int64_t bytesOf(Instance instance) { return byteSize(program, instance.first.getType(), instance.second); }

  void placeStatics() {
    builder.setInsertionPointToStart(&rank.getBody().front());
    layout = LayoutOp::create(builder, rank.getLoc(), 0, 0, 0);
    builder.createBlock(&layout.getBody());
    for (const StaticItem &item : collectStatics(program, rank.getIndex())) {
      IntegerAttr site = item.site < 0 ? IntegerAttr() : builder.getI64IntegerAttr(item.site);
      StaticOp::create(builder, rank.getLoc(), StaticKindAttr::get(builder.getContext(), item.kind),
                       builder.getStringAttr(item.name), site, builder.getI64IntegerAttr(staticBytes),
                       builder.getI64IntegerAttr(item.bytes), item.owned ? builder.getUnitAttr() : UnitAttr());
      staticBytes += roundUpPlace(item.bytes);
    }
    layout.setStaticBytes(staticBytes);
    statics.emplace(layout, routes);
  }

  LogicalResult checkDrops() {
    for (auto drop : rank.getBody().getOps<DropOp>()) {
      int64_t count = slots.of(routes.taskOf(drop)).size();
      if (drop.getSlot() < 0 || drop.getSlot() >= count)
        return drop.emitOpError("names slot ") << drop.getSlot() << " of a task of " << count << " slots";
    }
    return success();
  }

  // What a message action carries, on this side.
  Value carried(ActionInterface action) { return slots.resolve(routes.carried(action)); }

  int64_t offsetOf(Value value, int64_t mb) {
    if (auto place = statics->offsetOf(value, std::max<int64_t>(mb, 0)))
      return *place;
    return offsets.lookup({value, mb});
  }

  void writeOffsets() {
    for (Operation &op : llvm::make_early_inc_range(rank.getBody().front())) {
      if (auto run = dyn_cast<RunOp>(op)) {
        SmallVector<int64_t> at;
        for (Value slot : slots.of(routes.taskOf(run)))
          at.push_back(offsetOf(slots.valueIn(run, slot), run.getMb()));
        run.setAt(at);
      } else if (auto post = dyn_cast<PostRecvOp>(op)) {
        post.setAt(offsetOf(carried(post), post.getMb()));
      } else if (auto send = dyn_cast<SendOp>(op)) {
        send.setAt(offsetOf(carried(send), send.getMb()));
      } else if (auto drop = dyn_cast<DropOp>(op)) {
        Instance instance{slots.of(routes.taskOf(drop))[drop.getSlot()], drop.getMb()};
        if (isTaken(instance, times[&op]))
          drop.erase();
        else
          drop.setAt(offsetOf(instance.first, instance.second));
      }
    }
  }

  // Whether bytes of a value belong to another one between its last use and a time. Lives that share bytes do not meet,
  // so the other one begins there; lives stand in the order of their beginnings.
  bool isTaken(Instance instance, int64_t time) {
    int64_t at = offsets.lookup(instance), end = at + bytesOf(instance);
    int64_t dead = lives.lookup(instance).second;
    auto first = llvm::partition_point(lives, [&](auto &other) { return other.second.first < dead; });
    for (auto &other : llvm::make_range(first, lives.end())) {
      if (other.second.first > time)
        break;
      int64_t begin = offsets.lookup(other.first);
      if (begin < end && at < begin + bytesOf(other.first))
        return true;
    }
    return false;
  }

  LogicalResult refuse(int64_t limit) {
    std::string largest = "static area";
    int64_t bytes = staticBytes;
    for (auto &[instance, life] : lives)
      if (int64_t size = bytesOf(instance); size > bytes) {
        auto call = instance.first.getDefiningOp<CallOp>();
        bytes = size;
        largest = call ? "a value of '" + call.getPath().str() + "'" : "a received value";
      }
    return withKey(emitNoPlan(rank), "memory.budget")
           << "rank " << rank.getIndex() << " needs " << planner::formatBytes(layout.getArenaBytes()) << ", limit "
           << planner::formatBytes(limit) << ", largest part " << largest << " " << planner::formatBytes(bytes);
  }

  ProgramOp program;
  RankOp rank;
  TaskSlots &slots;
  const RouteTable &routes;
  OpBuilder builder;
  LayoutOp layout;
  std::optional<Statics> statics;
  int64_t staticBytes = 0;
  llvm::MapVector<Instance, std::pair<int64_t, int64_t>> lives;
  DenseMap<Instance, int64_t> offsets;
  DenseMap<Operation *, int64_t> times;
};

struct PlanAddressesPass : plc::plan::impl::PlanAddressesBase<PlanAddressesPass> {
  using PlanAddressesBase::PlanAddressesBase;

  void runOnOperation() override {
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (failed(requireRoutes(program)) || failed(requireSchedule(program)))
        return signalPassFailure();
      auto &slots = getChildAnalysis<TaskSlots>(program);
      if (failed(requireChannels(program, slots.getRoutes())))
        return signalPassFailure();
      for (auto rank : program.getBody().getOps<RankOp>())
        if (failed(place(program, rank, slots)))
          return signalPassFailure();
    }
    markAnalysesPreserved<RouteTable, TaskSlots>();
  }

private:
  LogicalResult place(ProgramOp program, RankOp rank, TaskSlots &slots) {
    if (!rank.getBody().getOps<LayoutOp>().empty())
      return rank.emitError("rank ") << rank.getIndex() << " has a layout already";
    return RankLayout(program, rank, slots).run(rowOf(strategy.getValue()), memoryLimitBytes);
  }
};

} // namespace
