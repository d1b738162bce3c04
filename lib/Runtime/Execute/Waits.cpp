// Finds deadlocks in the wait-for graph of a session.
#include "Waits.h"

#include <algorithm>

namespace plc::runtime {

/// "rank 1 waits for 'y', micro-batch 0, which rank 0 has not sent"
std::string Waits::textOf(const Wait &wait) const {
  std::string text = "rank " + std::to_string(wait.rank) + " waits ";
  // All ranks bring a share, so the message names those that have not.
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

std::optional<Error> Waits::begin(std::span<const Wait> waits) {
  std::lock_guard lock(mutex);
  const size_t rank = waits.front().rank;
  // Each rank checks as it begins to wait: the last rank of a cycle finds it.
  present[rank].assign(waits.begin(), waits.end());
  // With one wait per rank a deadlock is a cycle: depth-first search. With alternatives it is a knot of ranks none of
  // whose waits can end.
  if (std::ranges::all_of(present, [](const auto &each) { return each.size() < 2; })) {
    path.assign(1, rank);
    if (!findCycle())
      return std::nullopt;
  } else if (!findStuck(rank)) {
    return std::nullopt;
  }
  std::string ranks;
  for (size_t each : path)
    ranks += std::to_string(each) + " -> ";
  Error error(Hang, "", "ranks wait for each other in a cycle: " + ranks + std::to_string(path.front()));
  for (size_t each : path)
    for (const Wait &wait : present[each])
      error.note(textOf(wait));
  return error;
}

/// Depth-first search: extends the path, which ends at a waiting rank, to one whose last rank awaits the first. No
/// snapshot of all ranks is needed: a wait that is found undone was undone since it began, as its rank has not acted
/// since, and no rank of a cycle can act.
bool Waits::findCycle() {
  const Wait &wait = present[path.back()].front();
  for (size_t next = 0; next < present.size(); ++next) {
    if (!transport.awaits(wait, next))
      continue;
    // The cycle is closed: each of its ranks awaits the next.
    if (next == path.front())
      return true;
    // A rank that does not wait may still act. One on the path leads to a cycle without the first rank, found by
    // others.
    if (present[next].empty() || std::find(path.begin(), path.end(), next) != path.end())
      continue;
    path.push_back(next);
    if (findCycle())
      return true;
    path.pop_back();
  }
  return false;
}

/// For ranks that wait for any of several messages. A rank is stuck if each of its waits is for a stuck rank. Starts
/// with all waiting ranks, and removes those with a way out until none is left to remove. Returns whether `rank` is
/// stuck; then the path is a cycle of such ranks.
bool Waits::findStuck(size_t rank) {
  std::vector<bool> stuck(present.size());
  for (size_t each = 0; each < present.size(); ++each)
    stuck[each] = !present[each].empty();
  auto next = [&](const Wait &wait) { // a stuck rank that it awaits; or the number of ranks
    size_t other = 0;
    while (other < present.size() && !(stuck[other] && transport.awaits(wait, other)))
      ++other;
    return other;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t each = 0; each < present.size(); ++each)
      if (stuck[each] &&
          std::ranges::any_of(present[each], [&](const Wait &wait) { return next(wait) == present.size(); })) {
        stuck[each] = false;
        changed = true;
      }
  }
  if (!stuck[rank])
    return false;
  path.clear();
  // Follow stuck ranks until one repeats, and cut off the way that led to the cycle.
  for (; std::find(path.begin(), path.end(), rank) == path.end(); rank = next(present[rank].front()))
    path.push_back(rank);
  path.erase(path.begin(), std::find(path.begin(), path.end(), rank));
  return true;
}

void Waits::end(size_t rank) {
  std::lock_guard lock(mutex);
  present[rank].clear();
}

bool Waits::waits(size_t rank) const {
  std::lock_guard lock(mutex);
  return !present[rank].empty();
}

std::vector<std::string> Waits::lines() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> lines;
  for (const std::vector<Wait> &waits : present)
    for (const Wait &wait : waits)
      lines.push_back(textOf(wait));
  return lines;
}

} // namespace plc::runtime
