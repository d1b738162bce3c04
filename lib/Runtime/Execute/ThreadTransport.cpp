// Channels and a reduction inside one process.
#include "ThreadTransport.h"

#include "plc/Runtime/Base/ProcessGroup.h"

#include <numeric>

namespace plc::runtime {

std::unique_ptr<Transport> makeThreadTransport(const EntryPlan &entry) {
  return std::make_unique<ThreadTransport>(entry);
}

ProcessGroup *joinNoGroup() { return nullptr; }

ThreadTransport::ThreadTransport(const EntryPlan &entry) : ranks(entry.ranks.size()), reduction(ranksThatStep(entry)) {
  std::iota(ranks.begin(), ranks.end(), 0);
  for (const ChannelInfo &channel : entry.channels)
    // A slot for each message of the step, so that a send never waits for an earlier one.
    channels.push_back(std::make_unique<Channel>(channel, channel.perStep ? 1 : entry.microBatches));
}

// The side that copies wakes the other one, which may have found the message undone and gone to sleep.
void ThreadTransport::post(int64_t channel, int64_t message, std::byte *buffer, int64_t) {
  if (channelOf(channel).postReceive(message, buffer))
    wake(static_cast<size_t>(channelOf(channel).info.source));
}

void ThreadTransport::send(int64_t channel, int64_t message, const std::byte *buffer, int64_t bytes) {
  if (channelOf(channel).send(message, buffer, bytes))
    wake(static_cast<size_t>(channelOf(channel).info.destination));
}

void ThreadTransport::reduce(size_t rank, const StepShare &share) {
  if (!reduction.bring(rank, share))
    return;
  // The last share ends the wait of all ranks.
  for (size_t each : ranks)
    wake(each);
}

bool ThreadTransport::awaits(const Wait &wait, size_t rank) const {
  if (wait.what == Wait::For::Norm)
    return reduction.awaits(rank);
  // A send waits for the receiver to post, a receive for the sender to send.
  const ChannelInfo &info = channelOf(wait.channel).info;
  return !isOver(wait) && rank == static_cast<size_t>(wait.what == Wait::For::Send ? info.destination : info.source);
}

// All ranks are threads of one session, which calls this between rounds: no rank can be inside.
void ThreadTransport::barrier(bool) {
  for (auto &channel : channels)
    channel->reset();
  reduction.reset();
}

} // namespace plc::runtime
