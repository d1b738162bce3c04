//===- PackSearch.cpp - branch and bound over canonical packings ----------===//
#include "PackSearch.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

PackSearch::PackSearch(const PackProblem &problem, const std::vector<size_t> &blocks) {
  divisor = 0;
  for (size_t block : blocks)
    divisor = std::gcd(divisor, problem.roundUp(problem.blocks[block].bytes));
  for (size_t block : blocks)
    size.push_back(problem.roundUp(problem.blocks[block].bytes) / divisor);
  findSections(problem, blocks);
  mates.resize(size.size());
  smallestMate.assign(size.size(), INT64_MAX / 4);
  for (int a = 0; a < numBlocks(); ++a)
    for (int b = 0; b < numBlocks(); ++b)
      if (a != b && first[a] < last[b] && first[b] < last[a]) {
        mates[a].push_back(b);
        smallestMate[a] = std::min(smallestMate[a], size[b]);
      }
  for (const std::vector<int> &section : members) {
    witness.push_back(section.front());
    total.push_back(0);
    for (int block : section)
      total.back() += size[block];
  }
  trouble.assign(members.size(), 0);
}

// A section ends where a block ends and one has begun since the section before: what lives elsewhere lives here, too.
void PackSearch::findSections(const PackProblem &problem, const std::vector<size_t> &blocks) {
  struct Event {
    int64_t time;
    bool begins;
    int block;
    auto operator<=>(const Event &) const = default;
  };
  std::vector<Event> events;
  for (int block = 0; block < numBlocks(); ++block) {
    events.push_back({problem.blocks[blocks[block]].begin, true, block});
    events.push_back({problem.blocks[blocks[block]].end, false, block});
  }
  std::sort(events.begin(), events.end());
  first.resize(size.size());
  last.resize(size.size());
  int sections = 0;
  bool grew = false;
  for (const Event &event : events) {
    if (event.begins) {
      first[event.block] = sections;
    } else {
      sections += grew;
      last[event.block] = sections;
    }
    grew = event.begins;
  }
  members.resize(sections);
  for (int block = 0; block < numBlocks(); ++block)
    for (int section = first[block]; section < last[block]; ++section)
      members[section].push_back(block);
}

PackSearch::End PackSearch::run(int64_t heightBytes, const std::vector<int> &order, int64_t mostNodes) {
  height = heightBytes / divisor;
  nodes = 0;
  limit = mostNodes;
  rank.resize(size.size());
  for (int place = 0; place < numBlocks(); ++place)
    rank[order[place]] = place;
  low.assign(size.size(), 0);
  at.assign(size.size(), -1);
  found.assign(size.size(), 0);
  left = total;
  crossing.assign(members.size(), 0);
  for (int block = 0; block < numBlocks(); ++block)
    for (int section = first[block]; section + 1 < last[block]; ++section)
      ++crossing[section];
  if (*std::max_element(total.begin(), total.end()) > height)
    return End::none;
  return searchApart(0, members.size(), order, 0, 0);
}

// Sections [begin, end), each run of them that no block to be placed joins to the next on its own.
PackSearch::End PackSearch::searchApart(int begin, int end, const std::vector<int> &among, int64_t level,
                                        int rankAtLevel) {
  int start = begin;
  for (int section = begin; section < end; ++section) {
    if (section + 1 < end && crossing[section])
      continue;
    if (start == begin && section + 1 == end)
      return search(begin, end, among, level, rankAtLevel);
    std::vector<int> inside;
    for (int block : among)
      if (at[block] < 0 && start <= first[block] && last[block] <= section + 1)
        inside.push_back(block);
    if (End result = search(start, section + 1, inside, level, rankAtLevel); result != End::found)
      return result;
    start = section + 1;
  }
  return End::found;
}

// The next block lies at (level, rankAtLevel) or behind, and not so high that another one fits below it: whatever is
// placed later would leave that one's place empty, and a packing that fills it is no worse.
PackSearch::End PackSearch::search(int begin, int end, const std::vector<int> &among, int64_t level, int rankAtLevel) {
  if (++nodes > limit)
    return End::limit;
  std::vector<int> unplaced, candidates;
  int64_t lowestTop = INT64_MAX;
  for (int block : among)
    if (at[block] < 0) {
      unplaced.push_back(block);
      lowestTop = std::min(lowestTop, low[block] + size[block]);
    }
  if (unplaced.empty())
    return End::found;
  for (int block : unplaced)
    if (low[block] < lowestTop && std::pair(low[block], rank[block]) >= std::pair(level, rankAtLevel))
      candidates.push_back(block);
  std::sort(candidates.begin(), candidates.end(), [&](int a, int b) { return precedes(a, b); });
  for (int block : candidates) {
    size_t raises = trail.size();
    End result = End::none;
    if (place(block, begin, end))
      result = searchApart(begin, end, unplaced, at[block], rank[block]);
    unplace(block, raises);
    if (result != End::none)
      return result;
  }
  return End::none;
}

// False if a section has no room for what is left in it. Whatever the answer, `unplace` takes the block back.
bool PackSearch::place(int block, int begin, int end) {
  int64_t top = low[block] + size[block];
  at[block] = found[block] = low[block];
  for (int section = first[block]; section < last[block]; ++section) {
    left[section] -= size[block];
    crossing[section] -= section + 1 < last[block];
  }
  for (int mate : mates[block])
    if (at[mate] < 0 && low[mate] < top) {
      trail.push_back({mate, low[mate]});
      low[mate] = top;
    }
  // What failed last fails often.
  if (begin <= suspect && suspect < end && !hasRoom(suspect, at[block], rank[block]))
    return false;
  for (int section = begin; section < end; ++section)
    if (!hasRoom(section, at[block], rank[block])) {
      suspect = section;
      ++trouble[section];
      return false;
    }
  return true;
}

void PackSearch::unplace(int block, size_t raises) {
  for (; trail.size() > raises; trail.pop_back())
    low[trail.back().block] = trail.back().from;
  for (int section = first[block]; section < last[block]; ++section) {
    left[section] += size[block];
    crossing[section] += section + 1 < last[block];
  }
  at[block] = -1;
}

// Whether some block can be the section's next one: no higher than what is left in it allows. A block that is too late
// for its place must wait for a mate below it.
bool PackSearch::hasRoom(int section, int64_t level, int rankAtLevel) {
  if (!left[section])
    return true;
  int64_t room = height - left[section];
  auto fits = [&](int block) {
    if (at[block] >= 0)
      return false;
    bool inTime = std::pair(low[block], rank[block]) >= std::pair(level, rankAtLevel);
    return (inTime ? low[block] : level + smallestMate[block]) <= room;
  };
  if (fits(witness[section]))
    return true;
  auto next = std::find_if(members[section].begin(), members[section].end(), fits);
  if (next == members[section].end())
    return false;
  witness[section] = *next;
  return true;
}

std::vector<int64_t> PackSearch::offsets() const {
  std::vector<int64_t> bytes;
  for (int64_t offset : found)
    bytes.push_back(offset * divisor);
  return bytes;
}

int64_t PackSearch::crowdOf(int block) const {
  return *std::max_element(total.begin() + first[block], total.begin() + last[block]);
}

double PackSearch::troubleOf(int block) const {
  return std::accumulate(trouble.begin() + first[block], trouble.begin() + last[block], 0.0);
}

void PackSearch::forget() {
  for (double &each : trouble)
    each *= 0.95;
}
