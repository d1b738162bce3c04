#include "Waits.h"

#include <algorithm>

namespace plc::runtime {

/// "rank 1 waits for 'y', micro-batch 0, which rank 0 has not sent"
std::string Waits::textOf(const Wait &wait) const {
  std::string text = "rank " + std::to_string(wait.rank) + " waits ";
  if (wait.what == Wait::For::Norm) {
    std::string ranks;
    for (size_t other = 0; other < present.size(); ++other)
      if (transport.awaits(wait, other))
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(other);
    return text + "at the step for rank " + ranks;
  }
  const ChannelInfo &channel = entry.channels[static_cast<size_t>(wait.channel)];
  std::string what =
      "'" + channel.name + "'" + (channel.perStep ? "" : ", micro-batch " + std::to_string(wait.message));
  if (wait.what == Wait::For::Send)
    return text + "for rank " + std::to_string(channel.destination) + " to receive " + what;
  return text + "for " + what + ", which rank " + std::to_string(channel.source) + " has not sent";
}

std::optional<Error> Waits::begin(const Wait &wait) {
  std::lock_guard lock(mutex);
  present[wait.rank] = wait;
  path.assign(1, wait.rank);
  if (!findCycle())
    return std::nullopt;
  std::string ranks;
  for (size_t each : path)
    ranks += std::to_string(each) + " -> ";
  Error error(Hang, "", "ranks wait for each other in a cycle: " + ranks + std::to_string(wait.rank));
  for (size_t each : path)
    error.note(textOf(*present[each]));
  return error;
}

/// Extends the path, which ends at a waiting rank, to one whose last rank awaits the first. A wait that is found undone
/// was so all the time since it began: its rank has not acted since, nor can any of a cycle of such.
bool Waits::findCycle() {
  const Wait &wait = *present[path.back()];
  for (size_t next = 0; next < present.size(); ++next) {
    if (!transport.awaits(wait, next))
      continue;
    if (next == path.front())
      return true;
    if (!present[next] || std::find(path.begin(), path.end(), next) != path.end())
      continue;
    path.push_back(next);
    if (findCycle())
      return true;
    path.pop_back();
  }
  return false;
}

void Waits::end(size_t rank) {
  std::lock_guard lock(mutex);
  present[rank].reset();
}

bool Waits::waits(size_t rank) const {
  std::lock_guard lock(mutex);
  return present[rank].has_value();
}

std::vector<std::string> Waits::lines() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> lines;
  for (size_t rank = 0; rank < present.size(); ++rank)
    if (present[rank])
      lines.push_back(textOf(*present[rank]));
  return lines;
}

} // namespace plc::runtime
