// Messages between two ranks of one process: one copy, straight into the place that the receiver has credited.
#ifndef PLC_RUNTIME_CHANNEL_H
#define PLC_RUNTIME_CHANNEL_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace plc::runtime {

/// Set by the first error; every wait ends when it is.
using StopFlag = std::atomic<bool>;

/// Whoever comes second, receiver with its place or sender with its bytes, copies.
class Channel {
public:
  /// Messages are numbered 0 .. microBatches-1, or 0 alone for a channel used once per step.
  Channel(int64_t numMessages, const StopFlag &stop) : messages(static_cast<size_t>(numMessages)), stop(stop) {}

  /// Forgets the last step's messages. No rank may be running.
  void reset();

  void postReceive(int64_t message, std::byte *destination);
  /// `bytes` is the size of the message: that of the place that the receiver gives.
  void send(int64_t message, const std::byte *source, int64_t bytes);
  /// Waits until the message has been copied: true, or false if the run was stopped.
  bool wait(int64_t message);
  /// After the stop flag was set.
  void wakeAll();

private:
  struct Message {
    std::byte *destination = nullptr;
    const std::byte *source = nullptr;
    size_t bytes = 0;
    bool copied = false;
  };
  void copyIfBoth(Message &message);

  std::vector<Message> messages;
  const StopFlag &stop;
  std::mutex mutex;
  std::condition_variable changed;
};

} // namespace plc::runtime

#endif
