#include "Channel.h"

#include <cstring>

namespace plc::runtime {

void Channel::reset() {
  for (Message &message : messages)
    message = Message();
}

void Channel::copyIfBoth(Message &message) {
  if (!message.destination || !message.source)
    return;
  std::memcpy(message.destination, message.source, message.bytes);
  message.copied = true;
  changed.notify_all();
}

void Channel::postReceive(int64_t message, std::byte *destination) {
  std::lock_guard lock(mutex);
  messages[static_cast<size_t>(message)].destination = destination;
  copyIfBoth(messages[static_cast<size_t>(message)]);
}

void Channel::send(int64_t message, const std::byte *source, int64_t bytes) {
  std::lock_guard lock(mutex);
  messages[static_cast<size_t>(message)].source = source;
  messages[static_cast<size_t>(message)].bytes = static_cast<size_t>(bytes);
  copyIfBoth(messages[static_cast<size_t>(message)]);
}

bool Channel::wait(int64_t message) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return messages[static_cast<size_t>(message)].copied || stop.load(); });
  return messages[static_cast<size_t>(message)].copied;
}

void Channel::wakeAll() {
  std::lock_guard lock(mutex);
  changed.notify_all();
}

} // namespace plc::runtime
