//===- IterationMemory.cpp - buffers of a loop's iteration ---------------------===//
#include "plc/Analysis/IterationMemory.h"

#include "plc/Analysis/Layout.h"
#include "plc/Dialect/Ein/MicroBatches.h"
#include "plc/Dialect/Ein/Views.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

constexpr int64_t alignment = 64; // bytes of a cache line, and of an AVX-512 register

int64_t roundedBytes(Type type) { return llvm::alignTo(byteSizeOf(cast<RankedTensorType>(type)), alignment); }

// A value that lives from one call of the iteration to another, both by number.
struct Lifetime {
  size_t index; // in IterationMemory::made
  int64_t bytes, first, last;
  int64_t offset = 0;

  bool meets(const Lifetime &other) const { return first <= other.last && other.first <= last; }
};

// Places values greedily: large ones first, each at the lowest offset that is free while it lives. Returns the end of
// the bytes used. Not optimal; O(n^2 log n).
int64_t fit(SmallVector<Lifetime> &lifetimes, int64_t begin) {
  llvm::stable_sort(lifetimes, [](const Lifetime &a, const Lifetime &b) { return a.bytes > b.bytes; });
  int64_t end = begin;
  for (auto [index, each] : llvm::enumerate(lifetimes)) {
    SmallVector<std::pair<int64_t, int64_t>> taken; // begin, end
    for (const Lifetime &other : ArrayRef(lifetimes).take_front(index))
      if (each.meets(other))
        taken.emplace_back(other.offset, other.offset + other.bytes);
    llvm::sort(taken);
    each.offset = begin;
    for (auto [low, high] : taken) {
      if (low >= each.offset + each.bytes)
        break;
      each.offset = std::max(each.offset, high);
    }
    end = std::max(end, each.offset + each.bytes);
  }
  return end;
}

} // namespace

bool plan::isOnePiece(Value operand, bool isSlice) {
  std::optional<ein::Layout> layout = ein::findLayout(operand);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(operand.getType()).getShape();
  SmallVector<int64_t> dense = ein::stridesOf(operand.getType());
  for (size_t axis = isSlice; layout && axis < shape.size(); ++axis)
    if (shape[axis] > 1 && layout->strides[axis] != dense[axis])
      return false;
  return layout.has_value();
}

std::optional<int64_t> plan::resultOf(KernelOp kernel, Value given) {
  for (auto [index, value] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
    if (ein::regrouped(value) == given)
      return index;
  return std::nullopt;
}

std::optional<int64_t> plan::collectedAs(KernelOp kernel, Value made) {
  ein::LoopOp loop = kernel.getLoop();
  for (auto [index, value] : llvm::enumerate(loop.getElements()))
    if (value == made && resultOf(kernel, loop.getStacked()[index]))
      return index;
  return std::nullopt;
}

IterationMemory plan::layOutIteration(KernelOp kernel) {
  ein::LoopOp loop = kernel.getLoop();
  IterationMemory memory;
  // Offsets are the same in all micro-batches; a value uses fewer of its bytes where there are fewer samples.
  auto reach = [&](int64_t offset, Type type) {
    if (std::optional<int64_t> most = ein::mostSamplesOf(type)) {
      memory.samples = *most;
      type = ein::withSamples(type, *most - 1);
    }
    memory.fewerBytes = std::max(memory.fewerBytes, offset + roundedBytes(type));
  };
  auto take = [&](Value value) {
    int64_t offset = memory.bytes;
    memory.bytes += roundedBytes(value.getType());
    reach(offset, value.getType());
    return offset;
  };
  llvm::SmallPtrSet<Value, 8> carried;
  // Carries first: their buffers live through the whole loop. Collected ones are read from the stacked result.
  for (auto [next, last] : llvm::zip(loop.getNextCarries(), loop.getLastCarries())) {
    auto &buffers = memory.buffers.emplace_back(std::array{IterationMemory::elsewhere, IterationMemory::elsewhere});
    carried.insert(next);
    if (collectedAs(kernel, next))
      continue;
    if (!resultOf(kernel, last))
      buffers[0] = take(next);
    if (loop.getIterations() > 1)
      buffers[1] = take(next);
  }
  // Then values within an iteration, by their lifetimes.
  DenseMap<Operation *, int64_t> number;
  SmallVector<Lifetime> lifetimes;
  SmallVector<Type> types; // by insert_slice
  for (Operation &op : loop.getIteration())
    number[&op] = number.size();
  for (Operation &op : loop.getIteration().without_terminator())
    for (Value value : op.getResults()) {
      memory.made.push_back(IterationMemory::elsewhere);
      types.push_back(value.getType());
      if (carried.contains(value) || collectedAs(kernel, value))
        continue;
      int64_t last = number[&op];
      for (Operation *user : value.getUsers())
        last = std::max(last, number[user]);
      lifetimes.push_back({memory.made.size() - 1, roundedBytes(value.getType()), number[&op], last});
    }
  memory.bytes = fit(lifetimes, memory.bytes);
  for (const Lifetime &each : lifetimes) {
    memory.made[each.index] = each.offset;
    reach(each.offset, types[each.index]);
  }
  return memory;
}
