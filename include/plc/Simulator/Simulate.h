//===- Simulate.h - an action table played on a cluster ---------*- C++ -*-===//
#ifndef PLC_SIMULATOR_SIMULATE_H
#define PLC_SIMULATOR_SIMULATE_H

#include "plc/Module/Manifest.h"
#include "plc/Simulator/Cluster.h"
#include "plc/Simulator/SharedWork.h"

#include <functional>

namespace plc::simulator {

/// An action table with the time that each action takes on a core of speed 1: all that a simulation needs of a module.
struct Play {
  using Op = module::ActionInfo::Op;
  struct Action {
    Op op;
    int32_t target = -1;    ///< task or channel
    int32_t microBatch = 0; ///< -1: once per step
    float dividedPart = 0;  ///< Run, Step: of `ns` that other ranks' workers can take a share of
    int64_t ns = 0;         ///< Run, Step
    float leastPart = 0;    ///< Run, Step: of `ns` that it takes however many do
    int32_t kernels = 0;    ///< Run, Step: that they can help with

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
    std::vector<std::vector<int32_t>> after{}; ///< as of module::RankInfo; empty: in their order
    int64_t prepareNs = 0;                     ///< once, before the first step
  };
  struct Channel {
    std::string name;
    size_t source = 0, destination = 0;
    int64_t bytes = 0, shortBytes = 0;
    bool perStep = false;
  };
  std::vector<Rank> ranks;
  std::vector<Channel> channels;
  int64_t microBatches = 1, firstShort = 1; ///< micro-batches from `firstShort` on are short
  bool stepsMeet = false;                   ///< each step waits for all ranks' gradients
};

/// Predicted times of a table's actions: those of its calls, divided among the threads of a stage, and of its steps.
struct Times {
  RankThreads threads;
  bool stepsMeet = false; ///< each step needs the norm of all gradients
  std::function<int64_t(const module::CallInfo &call, int64_t microBatch)> callNs;
  std::function<int64_t(const module::CallInfo &call, int64_t microBatch)> chunks; ///< parts of a call
  std::function<int64_t(int64_t bytes)> updateNs;
};

Play playOf(const module::EntryPlan &entry, const Times &times);
/// By what the manifest says of its kernels.
Play playOf(const module::Manifest &manifest, const module::EntryPlan &entry, int64_t threadsPerStage);

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
  /// What a rank did when: computing, or waiting for a message or for the other ranks' gradients.
  struct Span {
    size_t rank = 0, action = 0;
    int64_t begin = 0, end = 0;
  };

  std::vector<Rank> ranks;
  std::vector<Traffic> traffic;      ///< by source, then destination
  std::vector<Span> spans;           ///< if they were asked for
  int64_t stepNs = 0, prepareNs = 0; ///< of each step; once before the first
  double bubble = 0;                 ///< idle part of the ranks' time
};

/// Plays a table: a rank takes its actions in order; a message leaves when it is sent and its receive is posted, and has
/// its link for itself; a wait ends when the message is there. Ranks that compute share the cores of their machine
/// evenly, as threads do; idle ones share the others' kernels, where the cluster's do. Fails if the cluster has no room for a rank or its arena, or if ranks wait for each other.
/// O(actions (log ranks + ranks of a machine that has fewer cores)).
std::optional<std::string> simulate(const Play &play, const Cluster &cluster, Simulation &simulation,
                                    bool keepsSpans = false);

} // namespace plc::simulator

#endif
