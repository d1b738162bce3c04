//===- ShardName.h - names of shards of parameters ---------------*- C++ -*-===//
#ifndef PLC_SUPPORT_SHARDNAME_H
#define PLC_SUPPORT_SHARDNAME_H

#include <cstdint>
#include <string>

namespace plc {

/// A shard: one of equal slices of a parameter along one axis, which a program has instead of the whole
/// (`parallelism.shard`), or of slices at the positions of the axis, each of extent 1. Users see only the whole
/// parameter: its path, shape and initial values.
struct ShardName {
  std::string whole; ///< its path
  int64_t axis = 0, index = 0, count = 1;

  friend bool operator==(const ShardName &, const ShardName &) = default;
};

} // namespace plc

#endif
