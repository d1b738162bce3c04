//===- BudgetedRematProblems.h - problems of retention, by number ---*- C++ -*-===//
#ifndef PLC_TEST_PLANNER_RETENTIONPROBLEMS_H
#define PLC_TEST_PLANNER_RETENTIONPROBLEMS_H

#include "plc/Planner/Remat/BudgetedRemat.h"

#include <optional>

namespace plc::planner {

/// So many calls, each of which reads some values that were made before; bytes, times, scratch and places at random.
BudgetedRematProblem randomBudgetedRemat(uint64_t seed, int64_t calls);

/// Behind calls of F, for each in reverse order a call of B that reads what it read and the gradients of what it made,
/// and makes those of what it read. As in plans, calls of F run again behind F alone.
void addBackward(BudgetedRematProblem &problem);

/// A chain of so many steps and its reverse, of one byte and one nanosecond each. Step i makes x[i+1] of x[i], in its
/// place if that is not kept; its reverse reads x[i] and takes the place of the gradient that it reads. x[0] is given;
/// the last step needs no own run.
BudgetedRematProblem uniformChain(int64_t steps);

/// The least runs that reverse so many uniform steps from so many kept states, beside the first (Griewank & Walther,
/// 2000: a sum over binomial counts; here by its recurrence).
int64_t revolveAdded(int64_t steps, int64_t states);

/// Training of a transformer's blocks: each a norm, three projections, scores, their product, two more products and
/// sums.
BudgetedRematProblem transformer(int64_t layers);

/// Training of networks of convolutions, whose images shrink as their channels grow. Each convolution is followed by a
/// normalization (but in `vgg` and `uNet`) and a nonlinearity, which are cheap and make as many bytes.
BudgetedRematProblem vgg(int64_t scales, int64_t convolutions);
/// An encoder's scales, each read again by the decoder on its way back.
BudgetedRematProblem uNet(int64_t scales);
/// Blocks of two convolutions, or bottlenecks of three, whose input is added to what they make.
BudgetedRematProblem resNet(int64_t scales, int64_t blocks, bool bottleneck);
/// Blocks that widen, filter each channel, and narrow again; the wide values cost little time for their bytes.
BudgetedRematProblem mobileNet(int64_t scales, int64_t blocks);

/// What the search for plans recomputes on one rank for one micro-batch; nothing if it finds no plan. For problems of
/// `addBackward` that have no scratch, and no values in the places of others: it counts neither. `leastBytes` becomes
/// what the plan takes, or the one that lacks the fewest bytes.
std::optional<BudgetedRemat> searchBudgetedRemat(const BudgetedRematProblem &problem, int64_t effort = 15'000'000,
                                                 int64_t *leastBytes = nullptr);

/// Layers of random width 1 to 8 that read the two layers before, and their reverse.
BudgetedRematProblem layeredGraph(uint64_t seed, int64_t calls);

} // namespace plc::planner

#endif
