//===- HeldValues.cpp - which value each byte of an arena has -------------===//
#include "HeldValues.h"

using namespace mlir;
using namespace plc::plan;

std::string plc::plan::text(const Range &range) {
  return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end);
}

// Equal contents get one number, so blocks of different micro-batches compare by an integer.
int64_t HeldValues::numberOf(const Contents &contents) {
  std::vector<std::tuple<int64_t, int64_t, void *>> key;
  for (const Piece &piece : contents)
    key.emplace_back(piece.range.begin, piece.range.end, piece.value.getAsOpaquePointer());
  auto [known, isNew] = numbers.try_emplace(std::move(key), all.size());
  if (isNew)
    all.push_back(contents);
  return known->second;
}

// Blocks are disjoint and sorted by begin: only the last that begins at or before the byte can contain it.
HeldValues::Blocks::const_iterator HeldValues::blockWith(int64_t byte) const {
  auto after = blocks.upper_bound(byte);
  if (after == blocks.begin())
    return blocks.end();
  auto found = std::prev(after);
  return found->second.end > byte ? found : blocks.end();
}

bool HeldValues::holds(Range range, Value value, int64_t microBatch) const {
  auto block = blockWith(range.begin);
  if (block == blocks.end() || block->second.microBatch != microBatch)
    return false;
  // Pieces lie relative to their block, so one set of contents serves all addresses.
  Range inside{range.begin - block->first, range.end - block->first};
  return llvm::any_of(all[block->second.contents],
                      [&](const Piece &piece) { return piece.range == inside && piece.value == value; });
}

std::optional<HeldValues::Instance> HeldValues::beginsAt(int64_t at) const {
  auto block = blockWith(at);
  if (block != blocks.end())
    for (const Piece &piece : all[block->second.contents])
      if (block->first + piece.range.begin == at)
        return Instance(piece.value, block->second.microBatch);
  return std::nullopt;
}

// The newest end counts: an older one of the same value was followed by a new write.
Operation *HeldValues::endOf(Value value, int64_t microBatch) const {
  for (const Ended &each : llvm::reverse(ended))
    if (each.microBatch == microBatch &&
        llvm::any_of(all[each.contents], [&](const Piece &piece) { return piece.value == value; }))
      return each.by;
  return nullptr;
}

void HeldValues::erase(Range range, Operation *by) {
  // The block before may reach into the range.
  auto block = blocks.upper_bound(range.begin);
  if (block != blocks.begin() && std::prev(block)->second.end > range.begin)
    --block;
  std::vector<std::pair<int64_t, Block>> taken;
  while (block != blocks.end() && block->first < range.end) {
    taken.push_back(*block);
    block = blocks.erase(block);
  }
  for (auto [at, each] : taken) {
    // The usual case: a drop or a write covers whole blocks.
    if (range.begin <= at && each.end <= range.end) {
      ended.push_back({each.contents, each.microBatch, by});
      continue;
    }
    // A part of the block is taken: its other values become blocks of their own.
    for (const Piece &piece : Contents(all[each.contents])) {
      Range whole{at + piece.range.begin, at + piece.range.end};
      if (whole.overlaps(range))
        ended.push_back({numberOf({{{0, whole.end - whole.begin}, piece.value}}), each.microBatch, by});
      else
        put(whole, piece.value, each.microBatch);
    }
  }
}

void HeldValues::put(Range range, Value value, int64_t microBatch) {
  int64_t bytes = range.end - range.begin;
  blocks[range.begin] = {range.end, numberOf({{{0, bytes}, value}}), microBatch};
}

// By the order of begins: the block before may not reach into the range, and none but the first may begin in it.
std::optional<int64_t> HeldValues::blockIn(Range range, int64_t microBatch) const {
  auto next = blocks.lower_bound(range.begin);
  if (next != blocks.begin() && std::prev(next)->second.end > range.begin)
    return std::nullopt;
  int64_t found = 0;
  if (next != blocks.end() && next->first == range.begin) {
    if (next->second.microBatch != microBatch)
      return std::nullopt;
    found = next->second.contents;
    ++next;
  }
  if (next != blocks.end() && next->first < range.end)
    return std::nullopt;
  return found;
}

void HeldValues::replaceBlock(int64_t at, int64_t contents, int64_t microBatch, Operation *by) {
  auto known = blocks.find(at);
  if (known != blocks.end())
    ended.push_back({known->second.contents, known->second.microBatch, by});
  // Number 0 stands for no contents: the block ends.
  if (contents)
    blocks[at] = {at + all[contents].back().range.end, contents, microBatch};
  else if (known != blocks.end())
    blocks.erase(known);
}
