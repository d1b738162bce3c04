// The transport between processes, by MPI.
#ifndef PLC_LIB_RUNTIME_PROCESSES_MPITRANSPORT_H
#define PLC_LIB_RUNTIME_PROCESSES_MPITRANSPORT_H

#include "Execute/Channel.h"
#include "Execute/GradientNormReduction.h"
#include "MpiWorld.h"
#include "plc/Runtime/Execute/Transport.h"

#include <memory>

namespace plc::runtime {

/// Each process executes some ranks, neighbours of each other, as threads. Messages between those are copied as by
/// ThreadTransport. All others are received by MPI, straight into the arena.
///
/// MPI makes progress only inside its calls, so waiting ranks call test() again and again, and computing ranks call
/// progress(). Shares of the gradient's norm go from each process to all others, and each adds them up itself, in the
/// same order.
class MpiTransport final : public Transport {
public:
  /// Collective. Throws Error (exit code 1) if a message is too long or its tag too large for this MPI.
  MpiTransport(MpiWorld &world, const EntryPlan &entry);
  ~MpiTransport() override;

  const std::vector<size_t> &localRanks() const override { return ranks; }
  bool isAlone() const override { return world.count() == 1; }
  int64_t processesOnTheseCpus() const override { return world.onTheseCpus(); }
  bool wakes() const override { return false; }
  void post(int64_t channel, int64_t message, std::byte *buffer, int64_t bytes) override;
  void send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) override;
  void reduce(size_t rank, const StepShare &share) override;
  const GradientNorm &gradient() const override { return reduction.gradient(); }
  double loss() const override { return reduction.loss(); }
  bool test(const Wait &wait) override;
  bool awaits(const Wait &wait, size_t rank) const override;
  void progress() override;
  void barrier(bool steps) override;
  void broadcast(size_t rank, void *data, size_t bytes) override;
  void abort() noexcept override { failed = true; }

private:
  /// A message to or from another process.
  struct Message {
    plc_mpi_handle request{};
    bool over = true; // no wait for it is due
  };
  /// The tag of a channel's first message, and the distance to the next one's.
  struct Tags {
    int64_t first, step;
  };
  /// What a process sends to all others at the step: the loss of each of its ranks and, for each of their parameters,
  /// whether there is a sum of squares, and the sum.
  struct Sums {
    std::vector<std::pair<size_t, std::string>> parameters; // by rank, first the loss (an empty path), then by path
    std::vector<double> values;                             // two for each: present, sum
    plc_mpi_handle request{};                               // of its receive
    bool here = true;
  };

  bool isLocal(int64_t rank) const { return home(rank) == world.process(); }
  /// The process that executes a rank.
  int64_t home(int64_t rank) const {
    return ProcessGroup::processOf(static_cast<size_t>(rank), entry.ranks.size(), world.count());
  }
  int tagOf(int64_t channel, int64_t message) const;
  Message &messageOf(int64_t channel, int64_t message) {
    return messages[static_cast<size_t>(channel)][static_cast<size_t>(message)];
  }
  void giveTags();
  void checkLimits() const;
  void listSums();
  void sendSums();
  bool sumsAreHere();

  MpiWorld &world;
  const EntryPlan &entry;
  std::vector<size_t> ranks;
  plc_mpi_handle messaging{}, reducing{};         // communicators
  std::vector<std::unique_ptr<Channel>> channels; // between two local ranks, else nullptr
  std::vector<std::vector<Message>> messages;     // by channel
  std::vector<Tags> tags;                         // by channel
  std::atomic<int64_t> inFlight{0};               // messages that are not over
  std::atomic<int64_t> progressed{0};             // time of the last call of progress
  std::atomic<bool> failed{false};

  std::mutex sumsMutex;
  std::vector<Sums> sums; // by process
  GradientNormReduction reduction;
  std::vector<plc_mpi_handle> sumsSent; // by process
  size_t missingHere = 0, stepping = 0; // local ranks without a share yet; local ranks that step
  bool stepped = false;                 // the last run had a step
};

} // namespace plc::runtime

#endif
