//===- OrderTimes.h - times of an order that changes a little ---*- C++ -*-===//
#ifndef PLC_LIB_PLANNER_ORDERTIMES_H
#define PLC_LIB_PLANNER_ORDERTIMES_H

#include "Jobs.h"
#include "Rows.h"

#include <optional>
#include <utility>

namespace plc::planner {

/// Ends of the jobs of an order, the time behind each, and the same of orders in which the jobs between two places of one rank stand
/// otherwise. All jobs stand in one sequence that respects what they wait for. A change sorts those between the first and the
/// last that it concerns anew, and only what ends otherwise than before is timed again. Source: Pearce & Kelly, "A dynamic
/// topological sort algorithm for directed acyclic graphs", 2006 (the affected region).
class OrderTimes {
public:
  explicit OrderTimes(const Jobs &jobs);

  /// Times an order that ends; its makespan. O(jobs log jobs).
  int64_t begin(const JobOrders &orders);

  /// The makespan with the jobs of a rank between two places in another order; nothing if that never ends or takes more than `most`.
  /// Then the order is to be restored, and to be undone here. O(jobs that are concerned).
  std::optional<int64_t> tryOrder(const std::vector<int64_t> &order, int64_t first, int64_t last, int64_t most);
  void undo(const std::vector<int64_t> &order, int64_t first, int64_t last);
  /// Takes the order that was tried last as the one that others are compared with.
  void keep();

  /// Places (rank, position) whose job and the next one of the rank both lie on one longest path of the order that is kept.
  void findPairs(std::vector<std::pair<int64_t, int64_t>> &pairs);

  /// About the longest path through the jobs of a rank between two places, where alone its order differs from the one that is kept:
  /// what they depend on, and what depends on them, is taken to run as there. Exact for two neighbours, of whom no path leads
  /// from one to the other but by the rank; the makespan is no less then.
  int64_t pathThrough(const std::vector<int64_t> &order, size_t first, size_t last);

  /// Jobs that were looked at since this was asked last.
  int64_t takeWork() { return std::exchange(work, 0); }

private:
  void link(const std::vector<int64_t> &order, int64_t first, int64_t last);
  bool sort(int64_t from, int64_t to);
  int64_t startOf(int64_t job) const;
  int64_t tailOf(int64_t job) const;
  int64_t tailOfUsers(int64_t job) const;
  int64_t makespan() const;

  struct Use {
    int64_t job, lag;
  };
  const Jobs &jobs;
  Rows<Use> users, sources;                     // by job: what depends on it, and on what it depends
  std::vector<int64_t> before, after, position; // by job: its neighbours on the rank, or -1, and its place there
  std::vector<int64_t> lasts;                   // the last job of each rank; -1 if it has none
  std::vector<int64_t> sequence, place;         // of all jobs, and by job
  std::vector<int64_t> end, tail;      // by job: of the order that was tried, and behind the job in that which is kept
  std::vector<int64_t> keptEnd;        // by job
  std::vector<char> isDirty;           // by place: something that it waits for ends otherwise
  std::vector<int64_t> changed;        // jobs that end otherwise than in the order that is kept
  std::vector<int64_t> region, sorted; // of the sequence: as it was, and as it becomes
  std::vector<int64_t> waits;          // by job
  std::vector<int64_t> later;          // ends of the jobs that `pathThrough` looks at
  int64_t from = 0, to = -1;           // of the region
  int64_t neighbour = -1;              // the job of the rank before those that were moved, if there is one
  int64_t work = 0;
};

} // namespace plc::planner

#endif
