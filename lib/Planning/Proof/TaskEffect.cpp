//===- TaskEffect.cpp - effects of a task's runs on blocks ----------------===//
#include "TaskEffect.h"

#include "plc/Dialect/Plan/Values.h"

#include <map>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

std::optional<Contents> TaskEffect::after(size_t number, const Contents &before) const {
  const Base &base = bases[number];
  for (const Piece &need : base.needs) {
    auto found =
        llvm::partition_point(before, [&](const Piece &piece) { return piece.range.begin < need.range.begin; });
    if (found == before.end() || !(found->range == need.range) || found->value != need.value)
      return std::nullopt;
  }
  // What the task did not overwrite stays.
  Contents result = base.leaves;
  for (const Piece &piece : before) {
    auto next = llvm::partition_point(base.written, [&](const Range &range) { return range.end <= piece.range.begin; });
    if (next == base.written.end() || !next->overlaps(piece.range))
      result.push_back(piece);
  }
  llvm::sort(result, [](const Piece &a, const Piece &b) { return a.range.begin < b.range.begin; });
  return result;
}

namespace {

// The bytes behind a base after the calls so far.
class BaseState {
public:
  // By first byte.
  std::map<int64_t, Piece> needs, leaves;
  std::map<int64_t, int64_t> written; // from, to; disjoint

  bool isWritten(Range range) const {
    auto after = written.lower_bound(range.end);
    return after != written.begin() && std::prev(after)->second > range.begin;
  }

  static bool has(const std::map<int64_t, Piece> &pieces, const Piece &piece) {
    auto found = pieces.find(piece.range.begin);
    return found != pieces.end() && found->second.range == piece.range && found->second.value == piece.value;
  }

  void write(const Piece &piece) {
    // First remove values that lose a byte, then extend the written ranges, joining neighbours.
    auto first = leaves.lower_bound(piece.range.begin);
    if (first != leaves.begin() && std::prev(first)->second.range.end > piece.range.begin)
      --first;
    leaves.erase(first, leaves.lower_bound(piece.range.end));
    leaves[piece.range.begin] = piece;
    Range whole = piece.range;
    auto next = written.lower_bound(whole.begin);
    if (next != written.begin() && std::prev(next)->second >= whole.begin)
      --next;
    while (next != written.end() && next->first <= whole.end) {
      whole = {std::min(whole.begin, next->first), std::max(whole.end, next->second)};
      next = written.erase(next);
    }
    written[whole.begin] = whole.end;
  }
};

// Executes the calls of a task once, symbolically. A member returns false if the effect depends on addresses, or is
// wrong.
class EffectBuilder {
public:
  EffectBuilder(const module::TaskInfo &made, const Lifetimes::Body &body, const Lifetimes &lifetimes,
                const PersistentBuffers &buffers, TaskSlots &slots, llvm::function_ref<int64_t(Value)> bytesOf)
      : made(made), body(body), lifetimes(lifetimes), buffers(buffers), slots(slots), bytesOf(bytesOf) {
    effect.bases.resize(made.bases);
    states.resize(made.bases);
  }

  bool run() {
    const auto *next = made.calls.data();
    for (auto call : TaskOp(body.task).getBody().getOps<CallOp>())
      if (!(body.keeps && call.getRecompute()) && !runCall(call, *next++))
        return false;
    for (auto [base, state] : llvm::zip(effect.bases, states)) {
      // Maps list their pieces by first byte, as `Contents` wants them.
      for (auto &[begin, piece] : state.needs)
        base.needs.push_back(piece);
      for (auto [begin, end] : state.written)
        base.written.push_back({begin, end});
      for (auto &[begin, piece] : state.leaves)
        if (base.fixed || !isTemporary(piece.value)) // temporaries are read by no other task
          base.leaves.push_back(piece);
    }
    return true;
  }

  TaskEffect effect;

private:
  struct BasedRange {
    int64_t base;
    Range range;
  };

  bool runCall(CallOp call, const module::CallInfo &expected) {
    touched.clear();
    const auto *operand = expected.operands.data();
    for (Value argument : call.getArgs().drop_back(slots.getRoutes().updatesState(call))) {
      Value value = slots.valueIn(body.keeps, slots.resolve(argument));
      if (!value.getDefiningOp<SiteOp>() && !read(value, *operand++))
        return false;
    }
    for (Value result : call.getResults())
      if (!write(slots.resolve(result), *operand++))
        return false;
    return true;
  }

  // Where an operand lies; nothing if that is wrong. Persistent buffers are behind no base.
  std::optional<BasedRange> rangeOf(Value value, int64_t operand) {
    if (operand < 0 || isPersistent(value))
      return -operand - 1 == buffers.bufferOf(value) ? std::optional(BasedRange{-1, {0, 0}}) : std::nullopt;
    const module::SlotInfo &slot = made.slots[operand];
    TaskEffect::Base &base = effect.bases[slot.base];
    Value fixed = buffers.bufferOf(value) >= 0 ? value : Value();
    // An input or output has its own base, since its address depends on the micro-batch.
    if (base.extent && (base.fixed != fixed || (fixed && slot.offset)))
      return std::nullopt;
    if ((fixed && slot.offset) || slot.offset % bufferAlignment)
      return std::nullopt;
    base.fixed = fixed;
    BasedRange range{slot.base, {slot.offset, slot.offset + bytesOf(value)}};
    base.extent = std::max(base.extent, range.range.end);
    return range;
  }

  bool read(Value value, int64_t operand) {
    std::optional<BasedRange> range = rangeOf(value, operand);
    if (!range)
      return false;
    if (range->base < 0)
      return true;
    touched.push_back(*range);
    // The runtime fills inputs before the step, so no run has to.
    if (value.getDefiningOp<InputOp>())
      return true;
    BaseState &state = states[range->base];
    Piece piece{range->range, value};
    // The task made it itself: the state before does not matter.
    if (BaseState::has(state.leaves, piece))
      return true;
    if (state.isWritten(piece.range)) // the task itself has overwritten it
      return false;
    // Two needs cannot both be met in overlapping bytes.
    Piece &need = state.needs.try_emplace(piece.range.begin, piece).first->second;
    return need.range == piece.range && need.value == value;
  }

  bool write(Value value, int64_t operand) {
    std::optional<BasedRange> range = rangeOf(value, operand);
    if (!range)
      return false;
    if (auto site = value.getDefiningOp<SiteOp>()) {
      effect.sites.push_back(site);
      return true;
    }
    if (range->base < 0)
      return false; // a parameter, which no call makes
    // A kernel may read and write in any order, so its operands must be disjoint.
    if (llvm::any_of(touched, [&](const BasedRange &other) {
          return other.base == range->base && other.range.overlaps(range->range);
        }))
      return false;
    touched.push_back(*range);
    states[range->base].write({range->range, value});
    int64_t &end = effect.bases[range->base].writtenEnd;
    end = std::max(end, range->range.end);
    return true;
  }

  bool isTemporary(Value value) const {
    int64_t group = lifetimes.groupOf(body, value);
    return group >= 0 && lifetimes.getGroups()[group].isTemporary;
  }

  const module::TaskInfo &made;
  const Lifetimes::Body &body;
  const Lifetimes &lifetimes;
  const PersistentBuffers &buffers;
  TaskSlots &slots;
  llvm::function_ref<int64_t(Value)> bytesOf;
  std::vector<BaseState> states;
  SmallVector<BasedRange> touched; // by the call at hand
};

} // namespace

std::optional<TaskEffect> plc::plan::effectOf(const module::TaskInfo &made, const Lifetimes::Body &body,
                                              const Lifetimes &lifetimes, const PersistentBuffers &buffers,
                                              TaskSlots &slots, llvm::function_ref<int64_t(Value)> bytesOf) {
  EffectBuilder builder(made, body, lifetimes, buffers, slots, bytesOf);
  if (!builder.run())
    return std::nullopt;
  return std::move(builder.effect);
}
