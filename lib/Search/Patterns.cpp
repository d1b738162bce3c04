//===- Patterns.cpp - orders that repeat for each micro-batch -------------===//
#include "Orders.h"

#include <algorithm>
#include <cmath>

using namespace plc::search;

namespace {

/// Occupied time of one rank modulo the period, as in modulo scheduling of loops. Source: Rau, "Iterative Modulo
/// Scheduling", 1994.
class ModuloSlots {
public:
  explicit ModuloSlots(double period) : period(period) {}

  /// Occupies the earliest start from `ready` on that overlaps nothing; `ready` itself if there is none. O(taken^2).
  double take(double ready, double length) {
    double best = isFree(ready, length) ? ready : infinity;
    for (size_t i = 0; i < taken.size() && best > ready; ++i) {
      double at = taken[i].first + taken[i].second;
      // Candidates are the ends of occupied intervals, in the first period from `ready` on.
      at += std::ceil((ready - at) / period - epsilon) * period;
      if (at < best && isFree(at, length))
        best = at;
    }
    if (best == infinity)
      best = ready;
    taken.emplace_back(best, length);
    return best;
  }

private:
  static constexpr double infinity = 1e300, epsilon = 1e-6;

  bool isFree(double at, double length) const {
    for (auto [begin, other] : taken) {
      double distance = std::fmod(at - begin, period);
      if (distance < -epsilon)
        distance += period;
      if (distance > period - epsilon)
        distance = 0;
      if (distance < other - epsilon || distance + length > period + epsilon)
        return false;
    }
    return length <= period + epsilon;
  }

  double period;
  std::vector<std::pair<double, double>> taken; // begin, length
};

/// Turns a pattern into an order: finds the offset of each (stage, kind), then sorts each rank's tasks by their keys.
class PatternOrder {
public:
  PatternOrder(const StageTasks &tasks, const Pattern &pattern, int64_t runs, PlanSpec &plan)
      : tasks(tasks), pattern(pattern), runs(runs), plan(plan), stages(plan.stages()), ranks(plan.ranks()),
        offset(size_t(stages) * 3) {
    std::vector<double> load(size_t(ranks), 0.0);
    for (int32_t stage = 0; stage < stages; ++stage)
      for (TaskKind kind : taskKinds) {
        load[size_t(plan.rankOf[size_t(stage)])] += ns(stage, kind);
        longest[size_t(kind)] = std::max(longest[size_t(kind)], ns(stage, kind));
      }
    // No steady state is shorter than the work of the busiest rank.
    period = *std::max_element(load.begin(), load.end());
    group = std::clamp<int64_t>(pattern.group, 1, runs);
  }

  void run() {
    pattern.slack >= 0 ? placeInSlots() : place();
    struct Keyed {
      double at;
      Task task;
    };
    std::vector<std::vector<Keyed>> rows{size_t(ranks)};
    for (int32_t stage = 0; stage < stages; ++stage)
      for (TaskKind kind : taskKinds) {
        // Within a group micro-batches follow each other at the longest task; single ones come once a period.
        double step = group == 1 ? period : kind == TaskKind::F ? longest[0] : longest[1] + longest[2];
        for (int64_t i = 0; i < runs; ++i)
          rows[size_t(plan.rankOf[size_t(stage)])].push_back(
              {at(stage, kind) + double(i % group) * step + double(i / group) * double(group) * period,
               {stage, kind, int32_t(i)}});
      }
    plan.order.assign(size_t(ranks), {});
    for (size_t rank = 0; rank < rows.size(); ++rank) {
      // At equal times B goes first: it frees activations, and F adds some.
      std::stable_sort(rows[rank].begin(), rows[rank].end(), [](const Keyed &a, const Keyed &b) {
        return a.at != b.at ? a.at<b.at : (a.task.kind == TaskKind::B)>(b.task.kind == TaskKind::B);
      });
      for (const Keyed &each : rows[rank])
        plan.order[rank].push_back(each.task);
    }
  }

private:
  double ns(int32_t stage, TaskKind kind) const { return double(tasks.stages[size_t(stage)][size_t(kind)].ns); }
  double &at(int32_t stage, TaskKind kind) { return offset[size_t(StageTasks::nodeOf(stage, kind))]; }

  // Offsets along the pipeline: each task `spread` lengths behind that of the stage before, B from the last stage on.
  void place() {
    double now = 0;
    // With several chunks, the next chunk of a group starts when the whole group has passed the last rank.
    bool waits = group > 1 && stages > ranks;
    double waitF = waits ? std::max(0.0, double(group - ranks)) * longest[0] : 0;
    double waitB = waits ? std::max(0.0, double(group - ranks)) * (longest[1] + longest[2]) : 0;
    for (int32_t stage = 0; stage < stages; ++stage) {
      now += stage && stage % ranks == 0 ? waitF : 0;
      at(stage, TaskKind::F) = now;
      now += ns(stage, TaskKind::F) * pattern.spread;
    }
    now += pattern.hold * period;
    for (int32_t stage = stages - 1; stage >= 0; --stage) {
      now += stage != stages - 1 && (stage + 1) % ranks == 0 ? waitB : 0;
      at(stage, TaskKind::B) = now;
      at(stage, TaskKind::W) = now + ns(stage, TaskKind::B) + pattern.delay * period;
      now += ns(stage, TaskKind::B) * pattern.spread;
    }
  }

  // Offsets in modulo slots: the same chain of tasks, each at the next free time of its rank. F and B take slots first,
  // since other ranks wait for them; W fills what is left.
  void placeInSlots() {
    period *= 1 + pattern.slack;
    std::vector<ModuloSlots> slots;
    for (int32_t rank = 0; rank < ranks; ++rank)
      slots.emplace_back(period);
    auto take = [&](int32_t stage, TaskKind kind, double ready) {
      return at(stage, kind) = slots[size_t(plan.rankOf[size_t(stage)])].take(ready, ns(stage, kind));
    };
    double now = 0;
    for (int32_t stage = 0; stage < stages; ++stage)
      now = take(stage, TaskKind::F, now) + ns(stage, TaskKind::F) * pattern.spread;
    now += pattern.hold * period - ns(stages - 1, TaskKind::F) * (pattern.spread - 1);
    for (int32_t stage = stages - 1; stage >= 0; --stage)
      now = take(stage, TaskKind::B, now) + ns(stage, TaskKind::B) * pattern.spread;
    for (int32_t stage = stages - 1; stage >= 0; --stage)
      take(stage, TaskKind::W, at(stage, TaskKind::B) + ns(stage, TaskKind::B) + pattern.delay * period);
  }

  const StageTasks &tasks;
  const Pattern &pattern;
  const int64_t runs;
  PlanSpec &plan;
  const int32_t stages, ranks;
  std::vector<double> offset; // by node
  double longest[3] = {};     // by kind
  double period = 0;
  int64_t group = 1;
};

} // namespace

// Spreads and delays are a coarse grid over memory against waiting; not tuned, since moves refine the best ones.
std::vector<Pattern> plc::search::patternsOf(int64_t runs, int64_t ranks, int64_t stages, bool splits) {
  std::vector<Pattern> all;
  for (double spread : {1.0, 1.5, 2.0, 3.0})
    for (double delay : {0.0, 1.0, double(ranks) / 2, double(2 * ranks)})
      if (splits || delay == 0)
        all.push_back({spread > 1 ? "spread" : delay > 0 ? "delayed" : "tight", spread, delay});
  for (double spread : {1.0, 1.25, 1.5, 2.0})
    for (double slack : {0.0, 0.05})
      all.push_back({"modulo", spread, 0, 0, 1, slack});
  all.push_back({"gpipe", 1, 0, double(runs)});
  if (stages > ranks)
    for (double delay : {0.0, 1.0})
      if (splits || delay == 0)
        all.push_back({"grouped", 1, delay, 0, ranks});
  return all;
}

void plc::search::orderByPattern(const StageTasks &tasks, const Pattern &pattern, int64_t runs, PlanSpec &plan) {
  PatternOrder(tasks, pattern, runs, plan).run();
}
