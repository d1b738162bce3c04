//===- GatherShards.h - one owner for all shards of a parameter -*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_GATHERSHARDS_H
#define PLC_LIB_PLANNING_PARTITION_GATHERSHARDS_H

#include "plc/Dialect/Ein/Ein.h"
#include "plc/Dialect/Plan/Plan.h"

#include "llvm/ADT/StringMap.h"

namespace plc::plan {

/// Parameters that are shards, and whose whole the rules of an optimizer update, in the order of the module. Shards of
/// one whole need one owner, which has all gradients and states of the whole.
class GatheredShards {
public:
  explicit GatheredShards(mlir::ModuleOp module);

  bool empty() const { return homes.empty(); }
  /// The shard whose owner takes all shards of the whole; empty for any other parameter. Wholes have the owner of their
  /// first, second .. shard in turn, so that the ranks of a group update about equally many.
  llvm::StringRef homeOf(llvm::StringRef parameter) const { return homes.lookup(parameter); }

private:
  llvm::StringMap<llvm::StringRef> homes;
};

/// Moves all shards of each such parameter to one owner, with handles in its stage. Routes then bring it the gradients,
/// and take the new values away.
void gatherShards(ProgramOp program);

} // namespace plc::plan

#endif
