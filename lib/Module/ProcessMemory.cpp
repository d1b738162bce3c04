//===- ProcessMemory.cpp - what a process takes beside its arenas ---------===//
#include "plc/Module/ProcessMemory.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

namespace plc::module {

// Measured: plc-run on Debian 12 has 12.9 MiB before it opens a module, most of it libraries.
static constexpr int64_t programBytes = int64_t(13) << 20;
// Measured: the stack of a worker, and the allocator's memory for it.
static constexpr int64_t threadBytes = int64_t(256) << 10;
static constexpr int64_t pageBytes = 4096;

std::string mebibytes(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

std::string ProcessMemory::text() const {
  std::string parts;
  for (auto [name, bytes] :
       {std::pair("arenas", arenas), {"copies", copies}, {"buffers", buffers}, {"program", program}})
    if (bytes)
      parts += (parts.empty() ? ": " : ", ") + std::string(name) + " " + mebibytes(bytes);
  return mebibytes(total()) + parts;
}

std::vector<size_t> allRanks(const EntryPlan &entry) {
  std::vector<size_t> ranks(entry.ranks.size());
  std::iota(ranks.begin(), ranks.end(), size_t{0});
  return ranks;
}

/// Bytes of the largest parameter that the entry has, all shards together.
static int64_t largestParameter(const EntryPlan &entry) {
  std::map<std::string_view, int64_t> bytes;
  int64_t largest = 0;
  for (const RankInfo &rank : entry.ranks)
    for (const BufferInfo &buffer : rank.buffers)
      if (buffer.kind == BufferKind::Parameter && buffer.owned)
        largest = std::max(largest, bytes[buffer.parameter()] += buffer.bytes);
  return largest;
}

ProcessMemory processMemory(const EntryPlan &entry, const std::vector<size_t> &ranks, int64_t threadsPerRank,
                            int64_t codeBytes) {
  ProcessMemory memory;
  // Arenas are mapped in whole pages.
  for (size_t rank : ranks)
    memory.arenas += (entry.ranks[rank].arenaBytes + pageBytes - 1) / pageBytes * pageBytes;
  int64_t run = 0;
  for (const TensorInfo &input : entry.inputs)
    run += static_cast<int64_t>(input.numBytes());
  for (const TensorInfo &output : entry.outputs)
    run += entry.trains() ? 0 : static_cast<int64_t>(output.numBytes());
  // Loading and running do not overlap, so the larger of the two.
  memory.buffers = std::max(largestParameter(entry), run);
  memory.program = programBytes + codeBytes + static_cast<int64_t>(ranks.size()) * threadsPerRank * threadBytes;
  return memory;
}

} // namespace plc::module
