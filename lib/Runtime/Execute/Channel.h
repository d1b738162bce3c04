// Messages between two ranks of one process, by one copy.
#ifndef PLC_LIB_RUNTIME_EXECUTE_CHANNEL_H
#define PLC_LIB_RUNTIME_EXECUTE_CHANNEL_H

#include "plc/Runtime/Base/ManifestChecks.h"

#include <atomic>
#include <mutex>

namespace plc::runtime {

/// One channel of an entry inside a process. A message is copied once, from the sender's arena to the offset that the
/// receiver has posted. The side that comes second makes the copy: the receiver if the message was sent before, else
/// the sender.
class Channel {
public:
  /// Messages are numbered 0 .. numMessages-1: one per micro-batch, or 0 alone for a channel used once per step.
  Channel(const ChannelInfo &info, int64_t numMessages) : info(info), messages(static_cast<size_t>(numMessages)) {}

  /// Forgets the last step's messages. No rank may be running.
  void reset();

  /// Receiver: the message is to be written to `destination`. Both return whether this call copied. Then the caller
  /// wakes the other side, which may be waiting.
  bool postReceive(int64_t message, std::byte *destination);
  /// Sender: the message, `bytes` long, may be read from `source` until done().
  bool send(int64_t message, const std::byte *source, int64_t bytes);
  /// Whether the message has been copied; without a lock.
  bool done(int64_t message) const { return messages[static_cast<size_t>(message)].copied.load(); }

  const ChannelInfo info;

private:
  struct Message {
    std::byte *destination = nullptr;
    const std::byte *source = nullptr;
    size_t bytes = 0;
    std::atomic<bool> copied{false};
  };
  /// Copies if both sides have come. The caller holds the mutex, so exactly one side does.
  bool copyIfBoth(Message &message) const;

  std::vector<Message> messages;
  std::mutex mutex; // of the messages, but for `copied`
};

} // namespace plc::runtime

#endif
