#include "Waits.h"

#include <algorithm>

namespace plc::runtime {

bool Wait::awaits(size_t rank) const {
  if (exchange)
    return exchange->awaits(rank);
  return !channel->done(message) &&
         rank == static_cast<size_t>(sends ? channel->info.destination : channel->info.source);
}

std::string Wait::text(size_t rank) const {
  std::string text = "rank " + std::to_string(rank) + " waits ";
  if (exchange) {
    std::string ranks;
    for (size_t other = 0; other < exchange->numRanks(); ++other)
      if (exchange->awaits(other))
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(other);
    return text + "at the step for rank " + ranks;
  }
  std::string what =
      "'" + channel->info.name + "'" + (channel->info.perStep ? "" : ", micro-batch " + std::to_string(message));
  if (sends)
    return text + "for rank " + std::to_string(channel->info.destination) + " to receive " + what;
  return text + "for " + what + ", which rank " + std::to_string(channel->info.source) + " has not sent";
}

std::optional<Error> Waits::begin(size_t rank, const Wait &wait) {
  std::lock_guard lock(mutex);
  present[rank] = wait;
  path.assign(1, rank);
  if (!findCycle())
    return std::nullopt;
  std::string ranks;
  for (size_t each : path)
    ranks += std::to_string(each) + " -> ";
  Error error(Hang, "", "ranks wait for each other in a cycle: " + ranks + std::to_string(rank));
  for (size_t each : path)
    error.note(present[each]->text(each));
  return error;
}

/// Extends the path, which ends at a waiting rank, to one whose last rank awaits the first. A wait that is found undone
/// was so all the time since it began: its rank has not acted since, nor can any of a cycle of such.
bool Waits::findCycle() {
  const Wait &wait = *present[path.back()];
  for (size_t next = 0; next < present.size(); ++next) {
    if (!wait.awaits(next))
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
      lines.push_back(present[rank]->text(rank));
  return lines;
}

} // namespace plc::runtime
