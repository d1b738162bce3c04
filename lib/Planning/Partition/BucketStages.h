//===- BucketStages.h - stages whose gradients leave early ------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_PARTITION_BUCKETSTAGES_H
#define PLC_LIB_PLANNING_PARTITION_BUCKETSTAGES_H

#include "Base/FlatProgram.h"

#include "plc/Search/PlanSpec.h"

namespace plc::plan {

/// Divides each stage of a plan into at most `buckets` stages on its rank, of about equal time. The gradients of one
/// stage then travel to other replicas while earlier layers still run backward. Units keep their order and stay whole.
/// Changes the stages and ranks of `plan`; returns the former stage of each new one.
std::vector<int32_t> divideStages(const FlatProgram &flat, int64_t buckets, search::PlanSpec &plan);

/// Whether a program adds to gradients, that is, whether it trains.
bool hasSites(const FlatProgram &flat);

} // namespace plc::plan

#endif
