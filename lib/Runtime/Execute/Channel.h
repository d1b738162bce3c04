// Messages between two ranks of one process: one copy, straight into the place that the receiver has credited.
#ifndef PLC_LIB_RUNTIME_EXECUTE_CHANNEL_H
#define PLC_LIB_RUNTIME_EXECUTE_CHANNEL_H

#include "plc/Runtime/Base/ManifestChecks.h"

#include <atomic>
#include <mutex>

namespace plc::runtime {

/// Whoever comes second, receiver with its place or sender with its bytes, copies.
class Channel {
public:
  /// Messages are numbered 0 .. numMessages-1: one per micro-batch, or 0 alone for a channel used once per step.
  Channel(const ChannelInfo &info, int64_t numMessages) : info(info), messages(static_cast<size_t>(numMessages)) {}

  /// Forgets the last step's messages. No rank may be running.
  void reset();

  /// Each returns whether this call copied: then the other side, if it waits, is to be woken.
  bool postReceive(int64_t message, std::byte *destination);
  /// `bytes` is the size of the message: that of the place that the receiver gives.
  bool send(int64_t message, const std::byte *source, int64_t bytes);
  /// Whether the message has been copied.
  bool done(int64_t message) const { return messages[static_cast<size_t>(message)].copied.load(); }

  const ChannelInfo info;

private:
  struct Message {
    std::byte *destination = nullptr;
    const std::byte *source = nullptr;
    size_t bytes = 0;
    std::atomic<bool> copied{false};
  };
  bool copyIfBoth(Message &message) const;

  std::vector<Message> messages;
  std::mutex mutex;
};

} // namespace plc::runtime

#endif
