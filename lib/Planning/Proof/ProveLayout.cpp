//===- ProveLayout.cpp - what a rank's layout says of its arena ------------===//
#include "ProveLayout.h"

#include "Addresses/PreparedPlaces.h"
#include "Base/ExactAnswer.h"
#include "HeldValues.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Base/Format.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

class LayoutProof {
public:
  LayoutProof(TableOfProgram &both, int64_t rank, const Statics &statics)
      : both(both), rank(rank), plan(both.table.ranks[rank]), statics(statics),
        layout(*both.ranks[rank].getBody().getOps<LayoutOp>().begin()) {}

  FailureOr<int64_t> checkStatics(int64_t limit) {
    if (limit && plan.arenaBytes > limit)
      return layout.emitOpError("has an arena of ")
             << planner::formatBytes(plan.arenaBytes) << ", limit " << planner::formatBytes(limit)
             << planner::formatMissing(plan.arenaBytes, limit);
    SmallVector<std::pair<const module::StaticInfo *, StaticOp>> places;
    for (auto [place, op] : llvm::zip(plan.statics, layout.getBody().getOps<StaticOp>()))
      places.emplace_back(&place, op);
    int64_t staticEnd = 0;
    llvm::sort(places, [](auto &a, auto &b) { return a.first->offset < b.first->offset; });
    for (auto &[place, op] : places) {
      if (place->offset % placeAlignment || place->offset < staticEnd)
        return op.emitOpError("at ") << place->offset << " is not aligned, or overlaps the one that ends at "
                                     << staticEnd;
      staticEnd = place->offset + place->bytes;
    }
    staticEnd = roundUpPlace(staticEnd);
    if (staticEnd != int64_t(layout.getStaticBytes()))
      return layout.emitOpError("has statics up to ") << staticEnd << " but says " << layout.getStaticBytes();
    if (failed(checkItems()))
      return failure();
    return staticEnd;
  }

  LogicalResult checkArena(const Lifetimes &lifetimes, int64_t arena) {
    int64_t bound = layout.getStaticBytes() + std::max(mostAlive(lifetimes), mostPrepared());
    if (arena != plan.arenaBytes)
      return layout.emitOpError("has an arena of ") << plan.arenaBytes << " bytes but uses " << arena;
    if (bound != int64_t(layout.getBoundBytes()))
      return layout.emitOpError("says bound ") << layout.getBoundBytes() << " but it is " << bound;
    if (!layout.getExact())
      return success();
    planner::Fault why =
        proveExact(arena, bound, "a packing ends at", [&](BestAnswer &best) { return packAgain(lifetimes, best); });
    return why ? layout.emitOpError("says that no arena is smaller than ") << arena << " bytes, but " << *why
               : success();
  }

private:
  // Those that the rank's stages need, and no others.
  LogicalResult checkItems() {
    std::vector<bool> needed(plan.statics.size());
    for (const StaticItem &item : collectStatics(both.program, both.stages[rank])) {
      int64_t place = statics.find(item.kind, item.name, item.site, item.lane);
      if (place < 0 || plan.statics[place].bytes != item.bytes || plan.statics[place].lanes != item.lanes ||
          (item.kind == StaticKind::parameter && plan.statics[place].owned != item.owned))
        return layout.emitOpError("has no place for ") << stringifyStaticKind(item.kind) << " '" << item.name << "' of "
                                                       << item.bytes << " bytes" << (item.owned ? ", owned" : "");
      needed[place] = true;
    }
    for (auto [place, op] : llvm::enumerate(layout.getBody().getOps<StaticOp>()))
      if (!needed[place])
        return op.emitOpError("holds ") << stringifyStaticKind(op.getKind()) << " '" << op.getName()
                                        << "', which no stage of the rank needs beside what is placed already";
    return success();
  }

  planner::Fault packAgain(const Lifetimes &lifetimes, BestAnswer &best) {
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    for (auto &[instance, life] : valueLives(lifetimes))
      problem.blocks.push_back(
          {byteSize(both.program, instance.first.getType(), instance.second), life.begin, life.end});
    planner::Packing packing;
    planner::Fault fault = planner::packMinimal(problem, packing);
    best = {int64_t(layout.getStaticBytes()) + packing.bytes, packing.exact};
    return fault;
  }

  // The lives that `Lives` finds in the program, by the table: in the order of their beginnings, at times of actions other
  // than drops, and of calls.
  llvm::MapVector<HeldValues::Instance, Lifetimes::Life> valueLives(const Lifetimes &lifetimes) {
    llvm::MapVector<HeldValues::Instance, Lifetimes::Life> lives;
    auto touch = [&](Value value, int64_t mb, int64_t first, int64_t last) {
      lives.try_emplace(HeldValues::Instance(value, mb), Lifetimes::Life{first, last + 1}).first->second.end = last + 1;
    };
    int64_t time = -1;
    for (auto [number, action] : llvm::enumerate(plan.actions)) {
      time += action.op != ActionInfo::Op::Drop;
      if (action.op == ActionInfo::Op::Run && !action.prepares()) {
        const Lifetimes::Body &body = lifetimes.bodyOf(number);
        for (const Lifetimes::Body::Touch &each : body.touches)
          touch(each.value, action.microBatch, time + 1 + each.first, time + 1 + each.last);
        time += body.calls;
      } else if (Value value = action.isMessage() ? both.carried(action, action.isSend()) : Value();
                 value && statics.placeOf(value) < 0) {
        touch(value, action.microBatch, time, time);
      }
    }
    return lives;
  }

  // By the actions' own names for values, whatever their places.
  int64_t mostAlive(const Lifetimes &lifetimes) const {
    return lifetimes.mostBytes(
        [&](Value value, int64_t mb) { return roundUpPlace(byteSize(both.program, value.getType(), mb)); },
        [&](int64_t mb) { return both.table.isShort(mb); });
  }

  // Of what P makes for itself.
  int64_t mostPrepared() {
    int64_t most = 0;
    for (const ActionInfo &action : plan.actions)
      if (action.prepares())
        most = std::max(most, slotsOfPrepare(both.taskOf(plan, action).op, both.slots).bound());
    return most;
  }

  TableOfProgram &both;
  int64_t rank;
  const module::RankInfo &plan;
  const Statics &statics;
  LayoutOp layout;
};

} // namespace

FailureOr<int64_t> plc::plan::proveStatics(TableOfProgram &both, int64_t rank, const Statics &statics,
                                           int64_t limitBytes) {
  return LayoutProof(both, rank, statics).checkStatics(limitBytes);
}

LogicalResult plc::plan::proveArena(TableOfProgram &both, int64_t rank, const Statics &statics,
                                    const Lifetimes &lifetimes, int64_t end) {
  return LayoutProof(both, rank, statics).checkArena(lifetimes, end);
}
