// A second transport, for tests: each session has one rank, and messages are bytes in queues between sessions.
#ifndef PLC_TEST_QUEUETRANSPORT_H
#define PLC_TEST_QUEUETRANSPORT_H

#include "Execute/GradientNormReduction.h"
#include "plc/Runtime/Execute/Transport.h"

#include <condition_variable>
#include <mutex>

namespace plc::runtime {

/// What the sessions of one entry share, as processes would share a network. Nothing in it is an address of an arena.
class Network {
public:
  explicit Network(const EntryPlan &entry)
      : entry(entry), reduction(ranksThatStep(entry)), sessions(entry.ranks.size()) {}

  const EntryPlan &entry;
  std::mutex mutex;
  std::condition_variable changed;
  // By the two ranks, and the tag.
  std::map<std::pair<std::pair<int64_t, int64_t>, int64_t>, std::vector<std::byte>> sent;
  int64_t numMessages = 0, numBroadcasts = 0; // so far
  GradientNormReduction reduction;
  bool failed = false;

  /// Returns when every session has come; the last one calls `last` before the others go on.
  template <class Last>
  void meet(Last last) {
    std::unique_lock lock(mutex);
    uint64_t mine = meetings;
    if (++here == sessions) {
      here = 0;
      last();
      ++meetings;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return meetings != mine; });
  }
  std::vector<std::byte> carried; // by a broadcast, between two meetings

private:
  const size_t sessions;
  size_t here = 0;
  uint64_t meetings = 0;
};

/// Nobody is woken: waits are polled. A message is seen only when its receiver has looked for it `delay` times.
class QueueTransport final : public Transport {
public:
  QueueTransport(Network &network, size_t rank, int delay) : network(network), ranks{rank}, delay(delay) {}

  const std::vector<size_t> &localRanks() const override { return ranks; }
  bool wakes() const override { return false; }

  void post(int64_t channel, int64_t message, std::byte *buffer, int64_t bytes) override {
    posted[{channel, message}] = {buffer, static_cast<size_t>(bytes), 0, false};
  }
  void send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) override {
    std::lock_guard lock(network.mutex);
    network.sent[keyOf(channel, message)].assign(buffer, buffer + bytes);
    ++network.numMessages;
  }
  void reduce(size_t rank, const StepShare &share) override { network.reduction.bring(rank, share); }
  const GradientNorm &gradient() const override { return network.reduction.gradient(); }
  double loss() const override { return network.reduction.loss(); }

  bool test(const Wait &wait) override {
    std::lock_guard lock(network.mutex);
    if (network.failed)
      throw Error(BadInput, "", "the session of another rank failed");
    if (wait.what == Wait::For::Send) // What is sent was copied.
      return true;
    if (wait.what == Wait::For::Norm)
      return network.reduction.done();
    Posted &receive = posted.at({wait.channel, wait.message});
    auto found = network.sent.find(keyOf(wait.channel, wait.message));
    if (!receive.arrived && found != network.sent.end() && ++receive.looks > delay) {
      std::copy_n(found->second.begin(), receive.bytes, receive.buffer);
      receive.arrived = true;
      network.sent.erase(found);
    }
    return receive.arrived;
  }
  bool awaits(const Wait &, size_t) const override { return false; } // Nothing is known of other sessions.

  void barrier(bool) override {
    posted.clear();
    network.meet([&] {
      network.sent.clear();
      network.reduction.reset();
    });
  }
  void broadcast(size_t rank, void *data, size_t bytes) override {
    auto *all = static_cast<std::byte *>(data);
    if (rank == ranks[0])
      network.carried.assign(all, all + bytes);
    network.meet([&] { ++network.numBroadcasts; });
    if (rank != ranks[0])
      std::copy_n(network.carried.begin(), bytes, all);
    network.meet([] {});
  }
  void abort() noexcept override {
    std::lock_guard lock(network.mutex);
    network.failed = true;
  }

private:
  /// What tells a message from all others between the same two ranks.
  std::pair<std::pair<int64_t, int64_t>, int64_t> keyOf(int64_t channel, int64_t message) const {
    const ChannelInfo &info = network.entry.channels[static_cast<size_t>(channel)];
    return {{info.source, info.destination}, info.tag + 2 * message};
  }

  struct Posted {
    std::byte *buffer;
    size_t bytes;
    int looks;
    bool arrived;
  };
  Network &network;
  const std::vector<size_t> ranks;
  const int delay;
  std::map<std::pair<int64_t, int64_t>, Posted> posted; // by channel and message
};

} // namespace plc::runtime

#endif
