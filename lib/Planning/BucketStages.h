//===- BucketStages.h - stages whose gradients leave early ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_BUCKETSTAGES_H
#define PLC_LIB_PLANNING_BUCKETSTAGES_H

#include "ShardStages.h"

namespace plc::plan {

/// Divides each stage of a pipeline into at most `buckets` on its rank, one behind the other, that take about as long as each
/// other: the gradients of one travel to other replicas while those before it still run backward. Units keep their order, and
/// are not divided.
SharedStages bucketStages(const FlatProgram &flat, llvm::ArrayRef<int64_t> stageOf, llvm::ArrayRef<int64_t> rankOf,
                          int64_t buckets);

/// Whether a program adds to gradients.
bool hasSites(const FlatProgram &flat);

} // namespace plc::plan

#endif
