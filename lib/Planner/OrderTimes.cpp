//===- OrderTimes.cpp - times of an order that changes a little -----------===//
#include "OrderTimes.h"

#include <algorithm>

using namespace plc::planner;

OrderTimes::OrderTimes(const Jobs &jobs)
    : jobs(jobs), before(jobs.count, -1), after(before), position(jobs.count), lasts(jobs.chainsOn.size(), -1),
      place(jobs.count), end(jobs.count), tail(jobs.count), keptEnd(jobs.count), waits(jobs.count), later(jobs.count) {
  std::vector<std::pair<int64_t, Use>> ofSources, ofUsers;
  for (int64_t chain : jobs.chains)
    for (int64_t i = 0; i < jobs.microBatches; ++i)
      for (const Jobs::Edge &edge : jobs.outOf[chain]) {
        int64_t job = jobs.jobOf(chain, i), user = jobs.jobOf(edge.chain, i), lag = jobs.lagOf(edge, i);
        ofSources.push_back({job, {user, lag}});
        ofUsers.push_back({user, {job, lag}});
      }
  users = Rows<Use>(jobs.count, ofSources);
  sources = Rows<Use>(jobs.count, ofUsers);
}

// A rank's jobs between two places, and their neighbours, know each other.
void OrderTimes::link(const std::vector<int64_t> &order, int64_t first, int64_t last) {
  for (int64_t k = first; k <= last; ++k) {
    position[order[k]] = k;
    before[order[k]] = k ? order[k - 1] : -1;
    after[order[k]] = k + 1 < int64_t(order.size()) ? order[k + 1] : -1;
  }
  lasts[jobs.rankOf(jobs.chainOf(order.back()))] = order.back();
  if (first)
    after[order[first - 1]] = order[first];
  if (last + 1 < int64_t(order.size()))
    before[order[last + 1]] = order[last];
}

// Sorts a region of the sequence; false if its jobs wait for each other in a circle, and then nothing has changed.
bool OrderTimes::sort(int64_t from, int64_t to) {
  auto isInside = [&](int64_t job) { return job >= 0 && place[job] >= from && place[job] <= to; };
  sorted.clear();
  for (int64_t at = from; at <= to; ++at) {
    int64_t job = sequence[at];
    waits[job] = isInside(before[job]);
    for (const Use &use : sources[job])
      waits[job] += isInside(use.job);
    if (!waits[job])
      sorted.push_back(job);
  }
  for (size_t at = 0; at < sorted.size(); ++at) {
    auto release = [&](int64_t job) {
      if (isInside(job) && --waits[job] == 0)
        sorted.push_back(job);
    };
    for (const Use &use : users[sorted[at]])
      release(use.job);
    release(after[sorted[at]]);
  }
  work += 2 * (to - from + 1);
  if (int64_t(sorted.size()) != to - from + 1)
    return false;
  for (int64_t at = from; at <= to; ++at) {
    sequence[at] = sorted[at - from];
    place[sequence[at]] = at;
  }
  return true;
}

int64_t OrderTimes::startOf(int64_t job) const {
  int64_t start = before[job] >= 0 ? end[before[job]] : 0;
  for (const Use &use : sources[job])
    start = std::max(start, end[use.job] + use.lag);
  return start;
}

int64_t OrderTimes::tailOfUsers(int64_t job) const {
  int64_t longest = 0;
  for (const Use &use : users[job])
    longest = std::max(longest, tail[use.job] + jobs.ns[use.job] + use.lag);
  return longest;
}

int64_t OrderTimes::tailOf(int64_t job) const {
  int64_t behind = after[job];
  return std::max(tailOfUsers(job), behind >= 0 ? tail[behind] + jobs.ns[behind] : 0);
}

int64_t OrderTimes::makespan() const {
  int64_t latest = 0;
  for (int64_t job : lasts)
    latest = job >= 0 ? std::max(latest, end[job]) : latest;
  return latest;
}

int64_t OrderTimes::begin(const JobOrders &orders) {
  sequence.clear();
  for (const std::vector<int64_t> &order : orders) {
    if (!order.empty())
      link(order, 0, int64_t(order.size()) - 1);
    sequence.insert(sequence.end(), order.begin(), order.end());
  }
  int64_t count = sequence.size();
  for (int64_t at = 0; at < count; ++at)
    place[sequence[at]] = at;
  isDirty.assign(count, false);
  sort(0, count - 1);
  for (int64_t job : sequence)
    end[job] = startOf(job) + jobs.ns[job];
  // By time what a move concerns stands close together.
  std::stable_sort(sequence.begin(), sequence.end(),
                   [&](int64_t a, int64_t b) { return end[a] - jobs.ns[a] < end[b] - jobs.ns[b]; });
  for (int64_t at = 0; at < count; ++at)
    place[sequence[at]] = at;
  for (auto job = sequence.rbegin(); job != sequence.rend(); ++job)
    tail[*job] = tailOf(*job);
  keptEnd = end;
  work += 4 * count;
  return makespan();
}

std::optional<int64_t> OrderTimes::tryOrder(const std::vector<int64_t> &order, int64_t first, int64_t last,
                                            int64_t most) {
  link(order, first, last);
  neighbour = first ? order[first - 1] : -1;
  from = to = place[order[first]];
  for (int64_t k = first; k <= last; ++k) {
    from = std::min(from, place[order[k]]);
    to = std::max(to, place[order[k]]);
  }
  changed.clear();
  region.assign(sequence.begin() + from, sequence.begin() + to + 1);
  if (!sort(from, to))
    return std::nullopt;
  int64_t latest = to;
  auto touch = [&](int64_t job) {
    isDirty[place[job]] = true;
    latest = std::max(latest, place[job]);
  };
  std::fill(isDirty.begin() + from, isDirty.begin() + to + 1, true);
  if (last + 1 < int64_t(order.size()))
    touch(order[last + 1]);
  for (int64_t at = from; at <= latest; ++at) {
    if (!isDirty[at])
      continue;
    isDirty[at] = false;
    ++work;
    int64_t job = sequence[at], ends = startOf(job) + jobs.ns[job];
    if (ends == end[job])
      continue;
    end[job] = ends;
    changed.push_back(job);
    // Behind the region what follows a job is what followed it.
    if (at > to && ends + tail[job] > most) {
      std::fill(isDirty.begin() + at, isDirty.begin() + latest + 1, false);
      return std::nullopt;
    }
    for (const Use &use : users[job])
      touch(use.job);
    if (after[job] >= 0)
      touch(after[job]);
  }
  int64_t takes = makespan();
  return takes <= most ? std::optional(takes) : std::nullopt;
}

void OrderTimes::undo(const std::vector<int64_t> &order, int64_t first, int64_t last) {
  link(order, first, last);
  for (int64_t at = from; at <= to; ++at) {
    sequence[at] = region[at - from];
    place[sequence[at]] = at;
  }
  for (int64_t job : changed)
    end[job] = keptEnd[job];
  work += to - from + 1 + int64_t(changed.size());
}

void OrderTimes::keep() {
  for (int64_t job : changed)
    keptEnd[job] = end[job];
  int64_t earliest = from;
  auto touch = [&](int64_t job) {
    isDirty[place[job]] = true;
    earliest = std::min(earliest, place[job]);
  };
  std::fill(isDirty.begin() + from, isDirty.begin() + to + 1, true);
  if (neighbour >= 0)
    touch(neighbour);
  for (int64_t at = to; at >= earliest; --at) {
    if (!isDirty[at])
      continue;
    isDirty[at] = false;
    ++work;
    int64_t job = sequence[at], behind = tailOf(job);
    if (behind == tail[job])
      continue;
    tail[job] = behind;
    for (const Use &use : sources[job])
      touch(use.job);
    if (before[job] >= 0)
      touch(before[job]);
  }
}

void OrderTimes::findPairs(std::vector<std::pair<int64_t, int64_t>> &pairs) {
  pairs.clear();
  int64_t takes = makespan(), job = -1;
  for (int64_t last : lasts)
    if (last >= 0 && end[last] == takes)
      job = last;
  while (job >= 0) {
    int64_t rank = jobs.rankOf(jobs.chainOf(job)), start = end[job] - jobs.ns[job], earlier = -1;
    if (before[job] >= 0 && end[before[job]] == start) {
      earlier = before[job];
      pairs.emplace_back(rank, position[earlier]);
    } else {
      for (const Use &use : sources[job])
        if (end[use.job] + use.lag == start)
          earlier = use.job;
    }
    job = earlier;
    ++work;
  }
}

int64_t OrderTimes::pathThrough(const std::vector<int64_t> &order, size_t first, size_t last) {
  int64_t free = first ? keptEnd[order[first - 1]] : 0, longest = 0;
  for (size_t k = first; k <= last; ++k) {
    int64_t job = order[k];
    for (const Use &use : sources[job])
      free = std::max(free, keptEnd[use.job] + use.lag);
    free += jobs.ns[job];
    later[k - first] = free;
  }
  int64_t behind = last + 1 < order.size() ? tail[order[last + 1]] + jobs.ns[order[last + 1]] : 0;
  for (size_t k = last + 1; k-- > first;) {
    behind = std::max(behind, tailOfUsers(order[k]));
    longest = std::max(longest, later[k - first] + behind);
    behind += jobs.ns[order[k]];
  }
  work += int64_t(last - first) + 1;
  return longest;
}
