//===- Simulate.h - plays an action table on a cluster ----------*- C++ -*-===//
#ifndef PLC_SIMULATOR_SIMULATE_H
#define PLC_SIMULATOR_SIMULATE_H

#include "plc/Module/Manifest.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

#include <functional>

namespace plc::simulator {

/// An action table with the time of each action on a core of speed 1: all that the simulator needs of a module.
struct Play {
  using Op = module::ActionInfo::Op;
  struct Action {
    Op op;
    int32_t target = -1;    ///< task or channel
    int32_t microBatch = 0; ///< -1: once per step
    float dividedPart = 0;  ///< of Run, Step: the fraction of `ns` that other ranks' workers can share
    int64_t ns = 0;         ///< of Run, Step
    float leastPart = 0;    ///< of Run, Step: the fraction of `ns` that any number of helpers leaves
    int32_t kernels = 0;    ///< of Run, Step: kernels that can be shared

    void setWork(const SharedWork &work) {
      ns = work.ns;
      dividedPart = work.dividedPart();
      leastPart = work.leastPart();
      kernels = static_cast<int32_t>(work.kernels);
    }
  };
  struct Rank {
    std::string stage;
    int64_t arenaBytes = 0;
    std::vector<std::string> tasks;
    std::vector<Action> actions;
    /// Predecessors of each action, as in module::RankInfo; empty: list order.
    std::vector<std::vector<int32_t>> after{};
    int64_t precomputeNs = 0; ///< once, before the first step
  };
  /// A connection of two ranks, with a message for each micro-batch or step.
  struct Channel {
    std::string name;
    size_t source = 0, destination = 0;
    int64_t bytes = 0, shortBytes = 0;
    bool perStep = false;
  };
  std::vector<Rank> ranks;
  std::vector<Channel> channels;
  int64_t microBatches = 1, firstShort = 1; ///< micro-batches from `firstShort` on are short
  bool stepsMeet = false;                   ///< the update waits for the gradients of all ranks
};

/// Predicted times, from which a table's actions get theirs: of calls, which the threads of a stage share, and of
/// updates.
struct Times {
  RankThreads threads;
  bool stepsMeet = false; ///< the update needs the norm of all gradients
  std::function<int64_t(const module::CallInfo &call, int64_t microBatch)> callNs;
  std::function<int64_t(const module::CallInfo &call, int64_t microBatch)> chunks; ///< chunks of a call
  std::function<int64_t(int64_t bytes)> updateNs;
};

/// The play of an entry, with given times.
Play playOf(const module::EntryPlan &entry, const Times &times);
/// The same with the times of the module's manifest.
Play playOf(const module::Manifest &manifest, const module::EntryPlan &entry, int64_t threadsPerStage);

/// The result of a simulation. Times are ns of a step, at the speed of the machines.
struct Simulation {
  struct Rank {
    int64_t endNs = 0, busyNs = 0; ///< of computing, at the machine's speed and with its cores shared
    size_t machine = 0;
  };
  struct Traffic {
    size_t source = 0, destination = 0; ///< ranks
    int64_t messages = 0, bytes = 0;
    int64_t busyNs = 0;
  };
  /// A time span of a rank: it computes, or waits for a message or for other ranks' gradients.
  struct Span {
    size_t rank = 0, action = 0;
    int64_t begin = 0, end = 0;
  };

  std::vector<Rank> ranks;
  std::vector<Traffic> traffic;         ///< by source, then destination
  std::vector<Span> spans;              ///< if `keepsSpans`
  int64_t stepNs = 0, precomputeNs = 0; ///< of each step; once before the first
  double bubble = 0;                    ///< idle fraction of the ranks' time
};

/// Plays a table. A rank takes its actions in order. A message leaves when it is sent and its receive is posted, and
/// has its link for itself; a wait ends when the message has arrived. Computing ranks share the cores of their machine
/// evenly, as threads do; idle ranks share other ranks' kernels if the cluster's do. Fails if the cluster has no room
/// for a rank or its arena, or if ranks deadlock. O(actions (log ranks + ranks of a machine that has fewer cores)).
std::optional<std::string> simulate(const Play &play, const Cluster &cluster, Simulation &simulation,
                                    bool keepsSpans = false);

} // namespace plc::simulator

#endif
