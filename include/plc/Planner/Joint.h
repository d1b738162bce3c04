//===- Joint.h - cuts, schedule, micro-batches, memory at once --*- C++ -*-===//
#ifndef PLC_PLANNER_JOINT_H
#define PLC_PLANNER_JOINT_H

#include "plc/Planner/Fault.h"
#include "plc/Planner/Schedules.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace plc::planner {

/// Where the stages of a choice are: as its schedule places them; in a V under a schedule that places none; or one on each rank and
/// one more on the first, which pays where the first and the last layer share a parameter, or bytes bind.
enum class JointPlacing { bySchedule, vee, wrapped };

/// One way to run a program on several ranks.
struct JointChoice {
  int64_t microBatches = 1;
  int64_t replicas = 1; ///< of the pipeline, which share the micro-batches
  int64_t ranks = 1;    ///< of a replica; with `shards` groups of so many
  int64_t shards = 1;   ///< ranks that share each stage
  int64_t chunks = 1;   ///< stages of each rank; `wrapped` has one more on the first
  ScheduleKind schedule = ScheduleKind::oneFOneB;
  std::vector<int64_t> balance{}; ///< layer calls of each stage; empty: as the cuts are solved
  bool recomputes = false;        ///< what the byte budget asks for; else everything is kept
  JointPlacing placing = JointPlacing::bySchedule;

  int64_t stages() const { return ranks * chunks + (placing == JointPlacing::wrapped); } ///< of a replica
  std::vector<int64_t> place() const;                                                    ///< the rank of each stage
  int64_t allRanks() const { return replicas * ranks * shards; }
  auto operator<=>(const JointChoice &) const = default;
};

/// What a choice takes, as far as it was looked at.
struct JointEstimate {
  int64_t ns = 0;                 ///< of a step
  std::vector<int64_t> balance{}; ///< of an order: layer calls of each stage
  std::string refusal{};          ///< why there is no such plan; empty: there is one
  bool lacksMemory = false;       ///< it is refused for its bytes
  int64_t missingBytes = 0;       ///< so many, if it is known
  int64_t leastNs = 0;            ///< about what no order of the same tasks undercuts
  bool isGivenUp = false;         ///< a plan that takes `ns` or more, and so too long
};

/// What is searched: it is asked for a choice in three steps, each dearer than the one before. A later one never says less
/// time: a rank has at least its share of the work, a plan at least the time of its order.
class JointProblem {
public:
  virtual ~JointProblem() = default;
  /// The choices, borders of stages and recomputation apart, each once; in the order in which equals are preferred.
  virtual std::vector<JointChoice> choices() = 0;
  /// The work of a choice's micro-batches, in ns: what one rank takes for a step.
  virtual JointEstimate work(int64_t microBatches) = 0;
  /// The step with the order of its tasks, before memory is known.
  virtual JointEstimate order(const JointChoice &choice) = 0;
  /// The step of the whole plan, with messages and updates. One that takes longer than `mostNs` may be given up.
  virtual JointEstimate plan(const JointChoice &choice, int64_t mostNs) = 0;
  /// Whether `plan` searches in haste. If so, the step of the plan that is made with all effort, as the chosen one will be; and of
  /// one in haste that looks wider for what fits.
  virtual bool isHasty() const { return false; }
  virtual JointEstimate planThoroughly(const JointChoice &choice) {
    return plan(choice, std::numeric_limits<int64_t>::max());
  }
  virtual JointEstimate planWidely(const JointChoice &choice) { return planThoroughly(choice); }
  /// Missing bytes that a wider search may find.
  virtual int64_t fewBytes() const { return 0; }
  /// Whether a choice that lacks memory may compute again.
  virtual bool mayRecompute() const = 0;
  /// Whether borders may be moved.
  virtual bool mayMove() const = 0;
  /// Whether an order may be searched for (`ScheduleKind::automatic`), which takes long.
  virtual bool maySearchOrder(const JointChoice &choice) const = 0;
};

/// A choice that was looked at.
struct JointRow {
  enum Depth { work, order, plan };
  JointChoice choice;
  Depth depth = work;
  JointEstimate estimate;  ///< of that depth
  bool isThorough = false; ///< it is of the plan that is made with all effort
};

struct JointAnswer {
  std::vector<JointRow> rows; ///< by time, those that are refused last
  JointRow chosen;            ///< where no plan fits, the one that lacks the fewest bytes
  bool hitsMemory = false;    ///< a faster choice was refused for its bytes, or the chosen one computes again for them
};

/// Minimises the step: best first by the time of the deepest step known, so that what is planned first at the head of the
/// queue is the best of all choices. What an order does not know, messages and updates, is learned from the plans of as many
/// micro-batches, stages and ranks, and of the same schedule where ranks share stages: half of the least that one took beyond
/// its order is added to the others', unless bytes are limited. Of many that are nearly equal, `mostPlans` are planned for each
/// number of micro-batches, replicas, ranks, and ranks that share a stage, and the best of these is taken.
/// Beside each whose order is within `joinNear` percent of the best one, and then of the best plan, stands the one with the best
/// borders, and the order that is searched for. Of few layers all borders are tried, and the searched orders of those whose bounds
/// promise most; else layer calls go from a stage to another, one at a time, as long as that helps. Where ranks share stages the
/// orders that follow shapes lose much to it, so there it is a choice as any other, first known by `leastNs`. Exact over the choices
/// but for what messages and updates make of those that were not planned, heuristic over borders. Where plans are made in haste, the
/// fastest is made again with all effort, and others as long as they may be faster than that; where none fits, more is tried for the
/// `mostNearest` that lack the fewest bytes, and else for as many that lack at most `fewBytes` and promise more than the best. Fails
/// if no choice has a plan, for the reason of the one that lacks the fewest bytes, or is the fastest of those of which that is not
/// known. Source: best-first branch and bound with bounds that are refined, e.g. Ibaraki, "Theoretical comparisons of search
/// strategies in branch-and-bound algorithms", 1976.
Fault solveJoint(JointProblem &problem, JointAnswer &answer);
inline constexpr int64_t joinNear = 5, mostPlans = 8, mostNearest = 4;

} // namespace plc::planner

#endif
