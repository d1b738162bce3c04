//===- ValueOffsets.cpp - an offset for each value -------------------------===//
#include "Lives.h"
#include "RankOffsets.h"

#include "plc/Dialect/Plan/Values.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

// Offsets of single values. Variables: one offset per value and micro-batch. Objective: the lowest end. Constraint:
// values that live at one time are disjoint.
class ValueOffsets : public RankOffsets {
public:
  ValueOffsets(const RankValues &rank, std::optional<planner::PackEffort> effort)
      : RankOffsets(rank), timeline(rank.rank, rank.slots, rank.buffers), effort(effort) {}

  planner::Status pack(const planner::MemoryStrategyRow &strategy) override {
    planner::PackProblem problem;
    problem.alignment = bufferAlignment;
    for (auto &[instance, life] : timeline.lives)
      problem.blocks.push_back({bytesOf(instance), life.first, life.second});
    planner::Packing packing;
    if (planner::Status fault =
            effort ? planner::packMinimal(problem, packing, *effort) : strategy.pack(problem, packing))
      return fault;
    // Values lie behind the persistent buffers.
    for (auto [index, entry] : llvm::enumerate(timeline.lives))
      offsets[entry.first] = rank.persistentBytes + packing.offsets[index];
    end = rank.persistentBytes + packing.bytes;
    exact = packing.exact;
    return std::nullopt;
  }

  bool isProven() const override { return exact; }

  std::string describe() const override { return std::to_string(timeline.lives.size()) + " values"; }

  int64_t offsetOf(Value value, int64_t mb) const override {
    // Values with a buffer have no offset of their own.
    if (auto offset = rank.buffers.offsetOf(value, std::max<int64_t>(mb, 0)))
      return *offset;
    return offsets.lookup({value, mb});
  }

  SmallVector<int64_t> addressesOf(RunOp run, int64_t action) const override {
    SmallVector<int64_t> at;
    for (Value slot : rank.slots.of(rank.lifetimes.bodyOf(action).task))
      at.push_back(offsetOf(rank.slots.valueIn(run.getKeep(), slot), run.getMb()));
    return at;
  }

  // Drops the values that several actions name, and those that clones make again, so that no task can read them
  // afterwards. Bytes that another value takes within the same action need no drop.
  std::vector<Death> deaths() const override {
    DenseSet<Value> repeated;
    for (auto [clone, original] : rank.slots.getOriginals())
      repeated.insert(original);
    std::vector<Death> found;
    for (auto &[instance, life] : timeline.lives) {
      // A value of one action needs no drop, since no other action names it.
      Operation *first = timeline.moments[life.first].action, *last = timeline.moments[life.second - 1].action;
      if ((first != last || repeated.contains(instance.first)) && !isTaken(instance, life.second, last))
        found.push_back({last, instance.second, offsets.lookup(instance), bytesOf(instance)});
    }
    return found;
  }

private:
  using Instance = Lives::Instance;

  int64_t bytesOf(Instance instance) const { return byteSize(rank.program, instance.first.getType(), instance.second); }

  // Whether another value takes bytes of a dead value before the action ends. Lifetimes that share bytes do not meet,
  // so such a value begins after the death; lifetimes are sorted by begin.
  bool isTaken(Instance instance, int64_t dead, Operation *action) const {
    int64_t at = offsets.lookup(instance), end = at + bytesOf(instance), time = timeline.times.lookup(action);
    auto first = llvm::partition_point(timeline.lives, [&](auto &other) { return other.second.first < dead; });
    for (auto &other : llvm::make_range(first, timeline.lives.end())) {
      if (other.second.first > time)
        break;
      int64_t begin = offsets.lookup(other.first);
      if (begin < end && at < begin + bytesOf(other.first))
        return true;
    }
    return false;
  }

  Lives timeline;
  const std::optional<planner::PackEffort> effort;
  DenseMap<Instance, int64_t> offsets;
  bool exact = false;
};

} // namespace

std::unique_ptr<RankOffsets> plc::plan::layOutValues(const RankValues &rank,
                                                     std::optional<planner::PackEffort> effort) {
  return std::make_unique<ValueOffsets>(rank, effort);
}
