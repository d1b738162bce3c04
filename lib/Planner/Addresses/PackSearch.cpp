//===- PackSearch.cpp - branch and bound below a height -------------------===//
#include "PackSearch.h"

#include <algorithm>
#include <numeric>

using namespace plc::planner;

PackSearch::PackSearch(const PackProblem &problem, const std::vector<size_t> &blocks) {
  // Offsets of canonical packings are sums of sizes, so multiples of the divisor: a height between two of them rounds
  // down.
  divisor = 0;
  for (size_t block : blocks)
    divisor = std::gcd(divisor, problem.roundUp(problem.blocks[block].bytes));
  for (size_t block : blocks)
    size.push_back(problem.roundUp(problem.blocks[block].bytes) / divisor);
  findSections(problem, blocks);
  mates.resize(size.size());
  // Without a mate nothing can stand below a block: far above every height, small enough to be added to a level.
  smallestMate.assign(size.size(), INT64_MAX / 4);
  for (int a = 0; a < numBlocks(); ++a)
    for (int b = 0; b < numBlocks(); ++b)
      if (a != b && first[a] < last[b] && first[b] < last[a]) {
        mates[a].push_back(b);
        smallestMate[a] = std::min(smallestMate[a], size[b]);
      }
  for (const std::vector<int> &section : members) {
    // Any member may be the first guess for a block that still fits.
    witness.push_back(section.front());
    total.push_back(0);
    for (int block : section)
      total.back() += size[block];
  }
  trouble.assign(members.size(), 0);
}

// A section ends at the first end after a begin: the live blocks there include those of all times since the section
// before.
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
      // Consecutive ends close one section only: each later end sees a subset of the same live blocks.
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

// Resets the state and searches all sections as one subproblem.
PackSearch::End PackSearch::run(int64_t heightBytes, const std::vector<int> &order, Limit most) {
  height = heightBytes / divisor;
  nodes = deadEnds = 0;
  limit = most;
  // Candidates at one level are tried in the caller's order, so a restart with another order is another search.
  rank.resize(size.size());
  for (int place = 0; place < numBlocks(); ++place)
    rank[order[place]] = place;
  low.assign(size.size(), 0);
  found.assign(size.size(), 0);
  // A section's room is what the height leaves beside its unplaced blocks: the highest level at which one may still
  // lie.
  room = total;
  for (int64_t &each : room)
    each = height - each;
  crossing.assign(members.size(), 0);
  for (int block = 0; block < numBlocks(); ++block)
    for (int section = first[block]; section + 1 < last[block]; ++section)
      ++crossing[section];
  // More lives at once than the height holds.
  if (*std::min_element(room.begin(), room.end()) < 0)
    return End::none;
  pool.resize(std::max(pool.size(), order.size()));
  std::copy(order.begin(), order.end(), pool.begin());
  top = order.size();
  return searchApart({0, numSections(), 0, top}, {});
}

// Splits a subproblem where no unplaced block connects two sections, and searches the pieces one by one.
PackSearch::End PackSearch::searchApart(const Part &part, Key least) {
  int start = part.begin;
  for (int section = part.begin; section < part.end; ++section) {
    // An unplaced block connects this section to the next.
    if (section + 1 < part.end && crossing[section])
      continue;
    // One piece: nothing to split.
    if (start == part.begin && section + 1 == part.end)
      return search(part, least);
    size_t from = top;
    if (pool.size() < from + part.to - part.from)
      pool.resize(2 * (from + part.to - part.from));
    for (size_t at = part.from; at < part.to; ++at)
      // Between two cuts every unplaced block that touches the piece lies in it.
      if (int block = pool[at]; low[block] != placed && start <= first[block] && last[block] <= section + 1)
        pool[top++] = block;
    End result = search({start, section + 1, from, top}, least);
    top = from;
    // All pieces must fit: the first failure decides, and a limit ends the whole search.
    if (result != End::found)
      return result;
    start = section + 1;
  }
  return End::found;
}

// Chooses the candidates of a node. The next block comes at `least` or later in the order. It is not so high that
// another block fits below it: nothing would fill that gap later, and a packing that fills it is no worse.
PackSearch::End PackSearch::search(const Part &part, Key least) {
  if (++nodes > limit.nodes)
    return End::limit;
  size_t base = top;
  if (pool.size() < base + 2 * (part.to - part.from))
    pool.resize(2 * (pool.size() + part.to - part.from));
  int *next = pool.data() + base;
  int64_t lowestTop = placed;
  for (const int *each = pool.data() + part.from, *end = pool.data() + part.to; each != end; ++each)
    if (int64_t bottom = low[*each]; bottom != placed) {
      *next++ = *each;
      lowestTop = std::min(lowestTop, bottom + size[*each]);
    }
  size_t unplaced = next - pool.data();
  if (unplaced == base)
    return End::found;
  // Normal form: offsets rise along the order of placement, so each packing is visited in one order only.
  for (const int *each = pool.data() + base, *end = next; each != end; ++each)
    if (low[*each] < lowestTop && !(keyOf(*each) < least))
      *next++ = *each;
  top = next - pool.data();
  End result = tryEach({part.begin, part.end, base, unplaced});
  top = base;
  return result;
}

// Tries the candidates, which stand behind the subproblem's blocks in the pool, by rising key. Few of them are tried,
// so they are selected and not sorted. If a section has no room at a candidate's key, it has none at later keys either.
PackSearch::End PackSearch::tryEach(const Part &part) {
  for (size_t at = part.to, end = top; at < end; ++at) {
    auto next =
        std::min_element(pool.begin() + at, pool.begin() + end, [&](int a, int b) { return keyOf(a) < keyOf(b); });
    std::swap(*next, pool[at]);
    int block = pool[at];
    Key key = keyOf(block);
    // The suspect has no room at this key, so at no later one: the node is done.
    if (part.begin <= suspect && suspect < part.end && !hasRoom(suspect, key))
      break;
    // The trail remembers raised mates, so that undoing costs what placing has cost.
    size_t raises = trail.size();
    End result = place(block, part) ? searchApart(part, key) : End::none;
    unplace(block, key, raises);
    // A found packing stays in place; a limit unwinds without further tries.
    if (result != End::none)
      return result;
  }
  return ++deadEnds > limit.deadEnds ? End::limit : End::none;
}

// Places a block. Returns false if a section then has no room for its unplaced blocks. `unplace` undoes it in either
// case.
bool PackSearch::place(int block, const Part &part) {
  Key key = keyOf(block);
  int64_t above = key.level + size[block];
  // The level is copied, because `low` now only marks the block as placed.
  found[block] = key.level;
  low[block] = placed;
  for (int section = first[block]; section < last[block]; ++section) {
    room[section] += size[block];
    crossing[section] -= section + 1 < last[block];
  }
  for (int mate : mates[block])
    if (low[mate] < above) {
      trail.push_back({mate, low[mate]});
      low[mate] = above;
    }
  // The section that failed last fails often, so it is checked first.
  if (part.begin <= suspect && suspect < part.end && !hasRoom(suspect, key))
    return false;
  for (int section = part.begin; section < part.end; ++section)
    if (!hasRoom(section, key)) {
      suspect = section;
      ++trouble[section];
      return false;
    }
  return true;
}

void PackSearch::unplace(int block, Key key, size_t raises) {
  for (; trail.size() > raises; trail.pop_back())
    low[trail.back().block] = trail.back().from;
  for (int section = first[block]; section < last[block]; ++section) {
    room[section] -= size[block];
    crossing[section] += section + 1 < last[block];
  }
  low[block] = key.level;
}

// Whether some member can be the section's next block: its lowest offset is within the section's room. A block whose
// key has passed must wait for a mate below it.
bool PackSearch::hasRoom(int section, Key least) {
  int64_t most = room[section];
  auto fits = [&](int block) {
    return low[block] <= most && (!(keyOf(block) < least) || least.level + smallestMate[block] <= most);
  };
  // The block that fitted last usually still does. A section without unplaced blocks needs no room.
  if (fits(witness[section]) || most == height)
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

// A half-life of some 14 restarts. Not tuned.
void PackSearch::forget() {
  for (double &each : trouble)
    each *= 0.95;
}
