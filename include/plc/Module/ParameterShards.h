//===- ParameterShards.h - shards and whole parameters ----------*- C++ -*-===//
#ifndef PLC_MODULE_PARAMETERSHARDS_H
#define PLC_MODULE_PARAMETERSHARDS_H

#include "plc/Module/Entries.h"

#include <cstddef>

namespace plc::module {

/// The parameters as users see them: shards, which follow one another, become one whole parameter. Throws FormatError
/// if a shard is missing or differs.
std::vector<ParameterInfo> wholeParameters(const std::vector<ParameterInfo> &held);

/// Copies the bytes of a shard out of those of a whole tensor; putShard copies them back. Without a shard both copy
/// all.
void takeShard(const TensorInfo &whole, const std::optional<ShardName> &shard, const std::byte *from, std::byte *to);
void putShard(const TensorInfo &whole, const std::optional<ShardName> &shard, const std::byte *from, std::byte *to);

} // namespace plc::module

#endif
