//===- ProveLayout.cpp - what a rank's layout says of its arena ------------===//
#include "ProveLayout.h"

#include "Addresses/PrecomputedOffsets.h"
#include "Base/ExactAnswer.h"
#include "HeldValues.h"

#include "plc/Dialect/Ein/Names.h"
#include "plc/Dialect/Plan/Values.h"
#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Base/Format.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;
using module::ActionInfo;

namespace {

// Compares a rank's layout with the persistent buffers that its stages need and with the lifetimes of the table.
class LayoutProof {
public:
  LayoutProof(TableOfProgram &both, int64_t rank, const PersistentBuffers &buffers)
      : both(both), rank(rank), plan(both.table.ranks[rank]), buffers(buffers),
        layout(*both.ranks[rank].getBody().getOps<LayoutOp>().begin()) {}

  FailureOr<int64_t> checkBuffers(int64_t limit) {
    if (limit && plan.arenaBytes > limit)
      return layout.emitOpError("has an arena of ")
             << planner::formatBytes(plan.arenaBytes) << ", limit " << planner::formatBytes(limit)
             << planner::formatShortfall(plan.arenaBytes, limit);
    SmallVector<std::pair<const module::BufferInfo *, BufferOp>> places;
    for (auto [place, op] : llvm::zip(plan.buffers, layout.getBody().getOps<BufferOp>()))
      places.emplace_back(&place, op);
    // In order of offset, each buffer must begin at or behind the end of the one before.
    int64_t persistentEnd = 0;
    llvm::sort(places, [](auto &a, auto &b) { return a.first->offset < b.first->offset; });
    for (auto &[place, op] : places) {
      if (place->offset % bufferAlignment || place->offset < persistentEnd)
        return op.emitOpError("at ") << place->offset << " is not aligned, or overlaps the one that ends at "
                                     << persistentEnd;
      persistentEnd = place->offset + place->bytes;
    }
    persistentEnd = roundUpToAlignment(persistentEnd);
    if (persistentEnd != int64_t(layout.getPersistentBytes()))
      return layout.emitOpError("has persistent buffers up to ")
             << persistentEnd << " but says " << layout.getPersistentBytes();
    if (failed(checkItems()))
      return failure();
    return persistentEnd;
  }

  LogicalResult checkArena(const Lifetimes &lifetimes, int64_t arena) {
    // P runs before the step and updates behind it, so their temporaries and the step's values share the arena: the
    // largest of the three counts.
    int64_t update = updateBytesOf(both.stages[rank]), persistent = layout.getPersistentBytes();
    int64_t bound = persistent + std::max({mostAlive(lifetimes), mostPrecomputed(), update});
    arena = std::max(arena, persistent + update);
    if (arena != plan.arenaBytes)
      return layout.emitOpError("has an arena of ") << plan.arenaBytes << " bytes but uses " << arena;
    if (bound != int64_t(layout.getBoundBytes()))
      return layout.emitOpError("says bound ") << layout.getBoundBytes() << " but it is " << bound;
    if (!layout.getExact())
      return success();
    planner::Status why =
        proveExact(arena, bound, "a packing ends at", [&](BestAnswer &best) { return packAgain(lifetimes, best); });
    return why ? layout.emitOpError("says that no arena is smaller than ") << arena << " bytes, but " << *why
               : success();
  }

private:
  // The layout has exactly the persistent buffers that the rank's stages need.
  LogicalResult checkItems() {
    std::vector<bool> needed(plan.buffers.size());
    for (const BufferItem &item : collectBuffers(both.program, both.stages[rank])) {
      int64_t place = buffers.find(item.kind, item.name, item.site, item.group);
      if (place < 0 || plan.buffers[place].bytes != item.bytes || plan.buffers[place].groups != item.groups ||
          (item.kind == BufferKind::parameter && plan.buffers[place].owned != item.owned))
        return layout.emitOpError("has no place for ")
               << stringifyBufferKind(item.kind)
               << (item.kind == BufferKind::moment ? " " + std::to_string(item.site) : "") << " '"
               << ein::textOf(item.name) << "' of " << item.bytes << " bytes" << (item.owned ? ", owned" : "");
      needed[place] = true;
    }
    // Every needed buffer has been found above, so a buffer left over is one too many.
    for (auto [place, op] : llvm::enumerate(layout.getBody().getOps<BufferOp>()))
      if (!needed[place])
        return op.emitOpError("holds ") << stringifyBufferKind(op.getKind()) << " '" << ein::textOf(op.getName())
                                        << "', which no stage of the rank needs beside what is placed already";
    return success();
  }

  // Packs the lifetimes of the table anew. `exact` claims more than the bound shows, so the deterministic search runs
  // again.
  planner::Status packAgain(const Lifetimes &lifetimes, BestAnswer &best) {
    planner::PackProblem problem;
    problem.alignment = bufferAlignment;
    for (auto &[instance, life] : valueLives(lifetimes))
      problem.blocks.push_back(
          {byteSize(both.program, instance.first.getType(), instance.second), life.begin, life.end});
    planner::Packing packing;
    planner::Status fault = planner::packMinimal(problem, packing);
    best = {int64_t(layout.getPersistentBytes()) + packing.bytes, packing.exact};
    return fault;
  }

  // The lifetimes that `Lives` finds in the program, here from the table: sorted by begin, at times of actions other
  // than drops, and of calls. The order matters: the search is deterministic in its input.
  llvm::MapVector<HeldValues::Instance, Lifetimes::Life> valueLives(const Lifetimes &lifetimes) {
    llvm::MapVector<HeldValues::Instance, Lifetimes::Life> lives;
    auto touch = [&](Value value, int64_t mb, int64_t first, int64_t last) {
      lives.try_emplace(HeldValues::Instance(value, mb), Lifetimes::Life{first, last + 1}).first->second.end = last + 1;
    };
    int64_t time = -1;
    for (auto [number, action] : llvm::enumerate(plan.actions)) {
      // A drop has no time of its own: it only says that a lifetime has ended.
      time += action.op != ActionInfo::Op::Drop;
      if (action.op == ActionInfo::Op::Run && !action.prepares()) {
        const Lifetimes::Body &body = lifetimes.bodyOf(number);
        for (const Lifetimes::Body::Touch &each : body.touches)
          touch(each.value, action.microBatch, time + 1 + each.first, time + 1 + each.last);
        time += body.calls;
      } else if (Value value = action.isMessage() ? both.carried(action, action.isSend()) : Value();
                 value && buffers.bufferOf(value) < 0) {
        touch(value, action.microBatch, time, time);
      }
    }
    return lives;
  }

  // The most bytes that are live at one time, from the values that actions name, whatever their addresses.
  int64_t mostAlive(const Lifetimes &lifetimes) const {
    return lifetimes.mostBytes(
        [&](Value value, int64_t mb) { return roundUpToAlignment(byteSize(both.program, value.getType(), mb)); },
        [&](int64_t mb) { return both.table.isShort(mb); });
  }

  // The most bytes of temporaries of P that are live at one time.
  int64_t mostPrecomputed() {
    int64_t most = 0;
    for (const ActionInfo &action : plan.actions)
      if (action.prepares())
        most = std::max(most, slotsOfPrecompute(both.taskOf(plan, action).op, both.slots).bound());
    return most;
  }

  TableOfProgram &both;
  int64_t rank;
  const module::RankInfo &plan;
  const PersistentBuffers &buffers;
  LayoutOp layout;
};

} // namespace

FailureOr<int64_t> plc::plan::proveBuffers(TableOfProgram &both, int64_t rank, const PersistentBuffers &buffers,
                                           int64_t limitBytes) {
  return LayoutProof(both, rank, buffers).checkBuffers(limitBytes);
}

LogicalResult plc::plan::proveArena(TableOfProgram &both, int64_t rank, const PersistentBuffers &buffers,
                                    const Lifetimes &lifetimes, int64_t end) {
  return LayoutProof(both, rank, buffers).checkArena(lifetimes, end);
}
