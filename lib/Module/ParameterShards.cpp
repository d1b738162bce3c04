//===- ParameterShards.cpp - shards and whole parameters ------------------===//
#include "plc/Module/ParameterShards.h"
#include "plc/Module/Manifest.h"

#include <cstring>

using namespace plc;
using namespace plc::module;

namespace {

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw FormatError("manifest: parameter '" + path + "' " + what);
}

/// Whether a parameter is shard `number` of the same whole as the shard `first`.
bool isShard(const ParameterInfo &each, const ParameterInfo &first, const ShardName &of, int64_t number) {
  return each.shard == ShardName{of.whole, of.axis, number, of.count} && each.type == first.type &&
         each.shape == first.shape && each.frozen == first.frozen && each.init.kind == first.init.kind;
}

/// Calls copy(offset in the whole, offset in the shard, bytes) for each run of bytes that is contiguous in both.
template <class Copy>
void forEachRun(const TensorInfo &whole, const std::optional<ShardName> &shard, Copy copy) {
  if (!shard) {
    copy(0, 0, whole.numBytes());
    return;
  }
  size_t outer = 1;
  for (int64_t axis = 0; axis < shard->axis; ++axis)
    outer *= static_cast<size_t>(whole.shape[static_cast<size_t>(axis)]);
  size_t run = whole.numBytes() / outer, count = run / static_cast<size_t>(shard->count);
  for (size_t i = 0; i < outer; ++i)
    copy(i * run + static_cast<size_t>(shard->index) * count, i * count, count);
}

} // namespace

std::vector<ParameterInfo> plc::module::wholeParameters(const std::vector<ParameterInfo> &held) {
  std::vector<ParameterInfo> wholes;
  for (size_t i = 0; i < held.size(); ++i) {
    wholes.push_back(held[i]);
    const std::optional<ShardName> &name = held[i].shard;
    if (!name)
      continue;
    if (static_cast<size_t>(name->axis) >= held[i].shape.size())
      fail(held[i].path, "has " + std::to_string(held[i].shape.size()) + " axes");
    for (int64_t shard = 0; shard < name->count; ++shard)
      if (size_t at = i + static_cast<size_t>(shard); at >= held.size() || !isShard(held[at], held[i], *name, shard))
        fail(held[i].path, "is not followed by the other parts of its whole, which are alike");
    ParameterInfo &whole = wholes.back();
    whole.shape[static_cast<size_t>(name->axis)] *= name->count;
    whole.path = name->whole;
    whole.shard.reset();
    i += static_cast<size_t>(name->count) - 1;
  }
  return wholes;
}

void plc::module::takeShard(const TensorInfo &whole, const std::optional<ShardName> &shard, const std::byte *from,
                            std::byte *to) {
  forEachRun(whole, shard, [&](size_t in, size_t out, size_t count) { std::memcpy(to + out, from + in, count); });
}

void plc::module::putShard(const TensorInfo &whole, const std::optional<ShardName> &shard, const std::byte *from,
                           std::byte *to) {
  forEachRun(whole, shard, [&](size_t in, size_t out, size_t count) { std::memcpy(to + in, from + out, count); });
}
