//===- BucketStages.h - stages whose gradients leave early ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_BUCKETSTAGES_H
#define PLC_LIB_PLANNING_PARTITION_BUCKETSTAGES_H

#include "Base/FlatProgram.h"

#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// Divides each stage of a plan into at most `buckets` on its rank, one behind the other, that take about as long as each
/// other: the gradients of one travel to other replicas while those before it still run backward. Units keep their order, and
/// are not divided. Returns the stage before of each.
std::vector<int32_t> divideStages(const FlatProgram &flat, int64_t buckets, search::PlanSpec &plan);

/// Whether a program adds to gradients.
bool hasSites(const FlatProgram &flat);

} // namespace plc::plan

#endif
