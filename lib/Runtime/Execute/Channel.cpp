// Both sides of a channel meet under one mutex.
#include "Channel.h"

#include <cstring>

namespace plc::runtime {

void Channel::reset() {
  for (Message &message : messages) {
    message.destination = nullptr;
    message.source = nullptr;
    message.copied = false;
  }
}

bool Channel::copyIfBoth(Message &message) const {
  if (!message.destination || !message.source)
    return false;
  std::memcpy(message.destination, message.source, message.bytes);
  // After the copy: a waiting rank reads this flag without the lock, and then the bytes.
  message.copied = true;
  return true;
}

bool Channel::postReceive(int64_t message, std::byte *destination) {
  std::lock_guard lock(mutex);
  messages[static_cast<size_t>(message)].destination = destination;
  return copyIfBoth(messages[static_cast<size_t>(message)]);
}

bool Channel::send(int64_t message, const std::byte *source, int64_t bytes) {
  std::lock_guard lock(mutex);
  messages[static_cast<size_t>(message)].source = source;
  messages[static_cast<size_t>(message)].bytes = static_cast<size_t>(bytes);
  return copyIfBoth(messages[static_cast<size_t>(message)]);
}

} // namespace plc::runtime
