//===- PlanAddresses.cpp - give every value of every rank an offset -------===//
#include "Base/Programs.h"
#include "PrecomputedOffsets.h"
#include "RankOffsets.h"

#include "plc/Dialect/Ein/Provenance.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Base/Format.h"
#include "plc/Planning/Passes.h"
#include "plc/Support/Errors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

namespace plc::plan {
#define GEN_PASS_DEF_PLANADDRESSES
#include "lib/Planning/Passes.h.inc"
} // namespace plc::plan

#define DEBUG_TYPE "plan-addresses"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

RankValues::RankValues(ProgramOp program, RankOp rank, TaskSlots &slots, const PersistentBuffers &buffers,
                       int64_t persistentBytes)
    : program(program), rank(rank), cut(program.getCut()), slots(slots), buffers(buffers),
      persistentBytes(persistentBytes),
      lifetimes(slots, [&buffers](Value value) { return buffers.bufferOf(value) >= 0; }) {
  // P runs before the step, in bytes of its own (`PrecomputedOffsets`), so it extends no lifetime.
  for (auto action : rank.getBody().getOps<ActionInterface>()) {
    if (auto run = dyn_cast<RunOp>(action.getOperation()); run && !run.prepares())
      lifetimes.addRun(slots.getRoutes().taskOf(run), run.getKeep(), run.getMb());
    else if (action.getMessagePart())
      lifetimes.addMessage(carried(action), action.getMicroBatch());
    else
      lifetimes.addOther();
    actions.push_back(action);
  }
  lifetimes.group();
}

int64_t RankValues::bytesOf(Value value, int64_t microBatch) const {
  return roundUpToAlignment(byteSize(program, value.getType(), microBatch));
}

int64_t RankValues::bound() const {
  return persistentBytes + lifetimes.mostBytes([&](Value value, int64_t mb) { return bytesOf(value, mb); },
                                               [&](int64_t mb) { return isShort(mb); });
}

namespace {

// Lays out the arena of a rank: persistent buffers first, then all other values by the strategy.
class RankLayout {
public:
  RankLayout(ProgramOp program, RankOp rank, TaskSlots &slots, ArrayRef<StageOp> stages)
      : program(program), rank(rank), slots(slots), stages(stages), builder(program.getContext()) {}

  /// Places the persistent buffers. Returns the number of other values, counted for each micro-batch.
  int64_t begin() {
    layOutBuffers();
    buffers.emplace(layout, slots.getRoutes());
    known.emplace(program, rank, slots, *buffers, persistentBytes);
    return known->lifetimes.countValues();
  }

  // In this order: with spare blocks for open orders if that fits, else by the strategy, else by a search below the
  // limit.
  LogicalResult run(const planner::MemoryStrategyRow &strategy, bool eachValue, int64_t spare, int64_t limit,
                    bool isMeasured) {
    const RankValues &values = *known;
    std::unique_ptr<RankOffsets> offsets;
    PrecomputedOffsets precomputed(rank, slots);
    // With spare blocks a rank may take whatever task is ready.
    if (spare) {
      offsets = layOutBlocks(values, spare);
      if (planner::Status fault = offsets->pack(strategy))
        return emitNoPlan(rank) << *fault;
      if (limit > 0 && offsets->getEnd() > limit) // too large for open orders
        offsets = nullptr;
    }
    if (!offsets)
      if (planner::Status fault = choose(values, strategy, eachValue, offsets))
        return emitNoPlan(rank) << *fault;
    // A thorough strategy has searched already.
    if (strategy.isQuick && limit > 0)
      lower(offsets, values, strategy, eachValue, limit, isMeasured);
    if (planner::Status fault = precomputed.pack(strategy))
      return emitNoPlan(rank) << *fault;
    // Updates begin when all tasks are done, so what they need lies over the values.
    int64_t update = persistentBytes + updateBytesOf(stages);
    int64_t bound = std::max({values.bound(), persistentBytes + precomputed.getBound(), update});
    layout.setArenaBytes(std::max({offsets->getEnd(), persistentBytes + precomputed.getBytes(), update}));
    layout.setBoundBytes(bound);
    // `exact` is a claim beyond the bound, so it is made only where the arena is above the bound.
    layout.setExact(offsets->isProven() && offsets->getEnd() == int64_t(layout.getArenaBytes()) &&
                    int64_t(layout.getArenaBytes()) > bound);
    remark::passed(rank.getLoc(),
                   remark::RemarkOpts::name("Packed").category(DEBUG_TYPE).function(program.getSymName()))
        << remark::add("rank {0}: {1}, {2}, take {3}, and at least {4} at any places, behind {5} of persistent buffers",
                       rank.getIndex(), offsets->describe(), strategy.name,
                       planner::formatBytes(offsets->getEnd() - persistentBytes),
                       planner::formatBytes(bound - persistentBytes), planner::formatBytes(persistentBytes));
    if (limit && !isMeasured && layout.getArenaBytes() > limit)
      return refuse(values, limit);
    write(values, *offsets);
    precomputed.write(persistentBytes);
    return success();
  }

private:
  // Searches for lower offsets if the arena ends above a limit. A plan that is only measured, as many are, gets a short
  // search of values. A plan that would be refused is searched with full effort first.
  void lower(std::unique_ptr<RankOffsets> &offsets, const RankValues &values,
             const planner::MemoryStrategyRow &strategy, bool eachValue, int64_t limit, bool isMeasured) {
    auto take = [&](std::unique_ptr<RankOffsets> closer) {
      if (closer->getEnd() < offsets->getEnd())
        offsets = std::move(closer);
    };
    // No offsets fit below a bound that exceeds the limit.
    if (offsets->getEnd() > limit && eachValue && values.bound() <= limit) {
      // A quarter of the default effort, and no insertion: many plans are measured. Not tuned beyond that.
      planner::PackEffort effort{50'000, 5'000, /*insertionSteps=*/0, limit - persistentBytes};
      std::unique_ptr<RankOffsets> closer = layOutValues(values, effort);
      if (!closer->pack(strategy))
        take(std::move(closer));
    }
    // No search may have ended early when the plan is refused, so the thorough strategy decides.
    if (offsets->getEnd() > limit && !isMeasured) {
      std::unique_ptr<RankOffsets> closer;
      if (!choose(values, rowOf(planner::MemoryStrategy::minimalPeak), eachValue, closer))
        take(std::move(closer));
    }
  }

  void layOutBuffers() {
    builder.setInsertionPointToStart(&rank.getBody().front());
    layout = LayoutOp::create(builder, rank.getLoc(), 0, 0, 0);
    builder.createBlock(&layout.getBody());
    // One behind the other, in the order of `collectBuffers`: they live for the whole run, so no order is shorter.
    for (const BufferItem &item : collectBuffers(program, stages)) {
      IntegerAttr site = item.site < 0 ? IntegerAttr() : builder.getI64IntegerAttr(item.site);
      BufferOp::create(builder, rank.getLoc(), BufferKindAttr::get(builder.getContext(), item.kind), item.name, site,
                       builder.getI64IntegerAttr(item.group), builder.getI64IntegerAttr(item.groups),
                       builder.getI64IntegerAttr(persistentBytes), builder.getI64IntegerAttr(item.bytes),
                       item.owned ? builder.getUnitAttr() : UnitAttr());
      persistentBytes += roundUpToAlignment(item.bytes);
    }
    layout.setPersistentBytes(persistentBytes);
  }

  // Places blocks and, in small plans, also single values, which pack more tightly. In large plans, time and manifest
  // must not grow with values times micro-batches. The smaller arena wins. Ties go to single values: their lifetimes
  // are tighter, so `--check-live` and `--check-arena` see more.
  planner::Status choose(const RankValues &values, const planner::MemoryStrategyRow &strategy, bool eachValue,
                         std::unique_ptr<RankOffsets> &offsets) {
    std::unique_ptr<RankOffsets> blocks = layOutBlocks(values);
    if (planner::Status fault = blocks->pack(strategy))
      return fault;
    if (eachValue) {
      offsets = layOutValues(values);
      if (planner::Status fault = offsets->pack(strategy))
        return fault;
    }
    if (!offsets || blocks->getEnd() < offsets->getEnd())
      offsets = std::move(blocks);
    return std::nullopt;
  }

  void write(const RankValues &values, const RankOffsets &offsets) {
    builder.setInsertionPointToEnd(&layout.getBody().front());
    offsets.writeFrames(builder, rank.getLoc());
    for (auto [number, op] : llvm::enumerate(values.actions)) {
      if (auto run = dyn_cast<RunOp>(op); run && !run.prepares())
        run.setAt(offsets.addressesOf(run, number));
      else if (auto post = dyn_cast<PostRecvOp>(op))
        post.setAt(offsets.offsetOf(values.carried(post), post.getMb()));
      else if (auto send = dyn_cast<SendOp>(op))
        send.setAt(offsets.offsetOf(values.carried(send), send.getMb()));
    }
    // Drops are made last, behind the actions whose addresses are known now.
    for (const Death &death : offsets.deaths()) {
      builder.setInsertionPointAfter(lastOf(death.action));
      DropOp::create(builder, death.action->getLoc(), death.microBatch, death.at, death.bytes);
    }
  }

  // The action behind which drops stand: sends start first, and drops keep the order in which they are made.
  static Operation *lastOf(Operation *action) {
    bool run = isa<RunOp>(action);
    for (Operation *next = action->getNextNode(); next; next = next->getNextNode()) {
      if (!(run && isa<SendOp>(next)) && !(!run && isa<WaitSendOp>(next)) && !isa<DropOp>(next))
        break;
      action = next;
    }
    return action;
  }

  // Names the largest single buffer, so that the user sees what to shrink. If persistent buffers alone exceed the
  // limit, no recomputation helps, and the error says so.
  LogicalResult refuse(const RankValues &values, int64_t limit) {
    std::string largest = "persistent buffers";
    int64_t bytes = persistentBytes;
    for (const Lifetimes::Group &group : values.lifetimes.getGroups())
      for (Value value : group.values)
        if (int64_t size = byteSize(value.getType()); size > bytes) {
          auto call = value.getDefiningOp<CallOp>();
          bytes = size;
          largest = call ? "a value of '" + call.getPath().str() + "'" : "a received value";
        }
    Lack lack = persistentBytes > limit ? Lack::buffers : Lack::any;
    return withLack(withKey(emitNoPlan(rank), "memory.budget"), lack)
           << "rank " << rank.getIndex() << " needs " << planner::formatBytes(layout.getArenaBytes()) << ", limit "
           << planner::formatBytes(limit) << ", largest part " << largest << " " << planner::formatBytes(bytes)
           << planner::formatShortfall(layout.getArenaBytes(), limit);
  }

  ProgramOp program;
  RankOp rank;
  TaskSlots &slots;
  ArrayRef<StageOp> stages; // of the rank
  OpBuilder builder;
  LayoutOp layout;
  int64_t persistentBytes = 0;
  std::optional<PersistentBuffers> buffers;
  std::optional<RankValues> known;
};

struct PlanAddressesPass : plc::plan::impl::PlanAddressesBase<PlanAddressesPass> {
  using PlanAddressesBase::PlanAddressesBase;

  void runOnOperation() override {
    ein::setPhase(getOperation(), PhaseKind::addresses);
    if (failed(requireProgram(getOperation())))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (failed(requireRoutes(program)) || failed(requireSchedule(program)))
        return signalPassFailure();
      auto &slots = getChildAnalysis<TaskSlots>(program);
      if (failed(requireChannels(program, slots.getRoutes())))
        return signalPassFailure();
      if (failed(place(program, slots)))
        return signalPassFailure();
    }
    markAnalysesPreserved<RouteTable, TaskSlots>();
  }

private:
  LogicalResult place(ProgramOp program, TaskSlots &slots) {
    RankStages stages = stagesByRank(program);
    std::vector<std::unique_ptr<RankLayout>> ranks;
    int64_t values = 0;
    for (auto rank : program.getBody().getOps<RankOp>()) {
      if (!rank.getBody().getOps<LayoutOp>().empty())
        return rank.emitError("rank ") << rank.getIndex() << " has a layout already";
      ranks.push_back(std::make_unique<RankLayout>(program, rank, slots, stages[rank.getIndex()]));
      values += ranks.back()->begin();
    }
    // The number of values is counted over all ranks, because the manifest lists the addresses of all.
    for (auto &rank : ranks)
      if (failed(rank->run(rowOf(strategy.getValue()), values <= mostValues, spare, memoryLimitBytes, isMeasured)))
        return failure();
    return success();
  }
};

} // namespace
