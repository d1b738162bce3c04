//===- RetentionProblems.h - problems of retention, by number ---*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONPROBLEMS_H
#define PLC_TEST_PLANNER_RETENTIONPROBLEMS_H

#include "plc/Planner/Retention.h"

namespace plc::planner {

/// So many calls, each of which reads some values that were made before; bytes, times, scratch and places at random.
RetentionProblem randomRetention(uint64_t seed, int64_t calls);

/// A chain of so many steps and its reverse, of one byte and one nanosecond each. Step i makes x[i+1] of x[i], in its
/// place if that is not kept; its reverse reads x[i] and takes the place of the gradient that it reads. x[0] is given; the last step needs no own run.
RetentionProblem uniformChain(int64_t steps);

/// The least runs that reverse so many uniform steps from so many kept states, beside the first (Griewank & Walther,
/// 2000: a sum over binomial counts; here by its recurrence).
int64_t revolveAdded(int64_t steps, int64_t states);

/// Training of a transformer's blocks: each a norm, three projections, scores, their product, two more products and sums.
RetentionProblem transformer(int64_t layers);

/// Layers of random width 1 to 8 that read the two layers before, and their reverse.
RetentionProblem layeredGraph(uint64_t seed, int64_t calls);

} // namespace plc::planner

#endif
