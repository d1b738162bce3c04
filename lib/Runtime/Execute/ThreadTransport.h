// The transport between ranks of one process.
#ifndef PLC_LIB_RUNTIME_EXECUTE_THREADTRANSPORT_H
#define PLC_LIB_RUNTIME_EXECUTE_THREADTRANSPORT_H

#include "Channel.h"
#include "GradientNormReduction.h"
#include "plc/Runtime/Execute/Transport.h"

#include <memory>

namespace plc::runtime {

/// All ranks are local. A message is one copy between two arenas, made by the side that comes second (Channel.h), which
/// wakes the other side. The reduction is a sum under one lock.
class ThreadTransport final : public Transport {
public:
  explicit ThreadTransport(const EntryPlan &entry);

  const std::vector<size_t> &localRanks() const override { return ranks; }
  bool isAlone() const override { return true; }
  bool wakes() const override { return true; }
  void post(int64_t channel, int64_t message, std::byte *buffer, int64_t bytes) override;
  void send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) override;
  void reduce(size_t rank, const StepShare &share) override;
  const GradientNorm &gradient() const override { return reduction.gradient(); }
  double loss() const override { return reduction.loss(); }
  bool test(const Wait &wait) override { return isOver(wait); }
  bool awaits(const Wait &wait, size_t rank) const override;
  void barrier(bool steps) override;
  void broadcast(size_t, void *, size_t) override {} // no other session to send to
  void abort() noexcept override {}

private:
  bool isOver(const Wait &wait) const {
    return wait.what == Wait::For::Norm ? reduction.done() : channelOf(wait.channel).done(wait.message);
  }
  Channel &channelOf(int64_t index) const { return *channels[static_cast<size_t>(index)]; }

  std::vector<size_t> ranks;
  std::vector<std::unique_ptr<Channel>> channels;
  GradientNormReduction reduction;
};

} // namespace plc::runtime

#endif
