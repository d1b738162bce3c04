//===- BlockLayouts.cpp - offsets of values in blocks ---------------------===//
#include "BlockLayouts.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

using Group = Lifetimes::Group;
using Life = Lifetimes::Life;

// The first micro-batch that the rank runs. It is its largest: short micro-batches come last, and a replica may have no
// other.
static int64_t firstRunOf(const Lifetimes &lifetimes) {
  // Groups can only lower it, so each looks at earlier micro-batches alone.
  int64_t first = lifetimes.numMicroBatches();
  for (const Group &group : lifetimes.getGroups())
    for (int64_t mb = 0; mb < first; ++mb)
      if (!group.lives[mb].isEmpty())
        first = mb;
  return first;
}

BlockLayouts::BlockLayouts(const RankValues &rank, int64_t spare, int64_t mostBytes, bool lodges)
    : rank(rank), lifetimes(rank.lifetimes), spare(spare), mostBytes(mostBytes), largest(firstRunOf(rank.lifetimes)) {
  for (auto [clone, original] : rank.slots.getOriginals())
    repeated.insert(original);
  findUnits();
  sortGroups();
  for (size_t group = 0; group < lifetimes.getGroups().size(); ++group)
    addSource(longLives(group));
  for (const Unit &unit : units)
    addSource(unit.lives);
  if (lodges)
    guests = findGuests();
}

planner::Status BlockLayouts::layOut(const planner::MemoryStrategyRow &strategy) {
  // Groups first, then guests between the hosts' values, then temporaries in all that is idle: each step fills bytes
  // that the steps before have fixed.
  for (size_t group = 0; group < isTemporary.size(); ++group)
    if (!isTemporary[group] && llvm::none_of(guests, [&](const Guest &each) { return each.group == group; }))
      stack(group, lifetimes.getGroups()[group].values);
  for (const Guest &guest : guests)
    lodge(guest);
  temporaries.resize(units.size());
  for (size_t unit = 0; unit < units.size(); ++unit)
    if (planner::Status fault = packTemporaries(unit, strategy))
      return fault;
  return std::nullopt;
}

BlockLayouts::BlockOffset BlockLayouts::offsetOf(const Body &body, Value value) const {
  auto found = shared.find(value);
  return found != shared.end() ? found->second : temporaries[unitOf[numberOf(body)]].lookup(value);
}

//===--- Units ---===//

// Joins bodies to units: those that follow each other in every micro-batch. A body's neighbour is unknown until its
// first run, and -1 once two runs have different neighbours.
void BlockLayouts::findUnits() {
  size_t count = lifetimes.getBodies().size();
  constexpr int64_t unknown = -2;
  std::vector<int64_t> after(count, unknown), before(count, unknown);
  // One differing neighbour makes a body a border for good.
  auto agree = [](int64_t &known, int64_t found) { known = known == unknown || known == found ? found : -1; };
  int64_t lastBody = -1, lastMb = -1;
  std::vector<std::vector<int64_t>> actions(count, std::vector<int64_t>(lifetimes.numMicroBatches(), -1));
  for (auto [number, op] : llvm::enumerate(rank.actions)) {
    auto run = dyn_cast<RunOp>(op);
    if (!run || run.prepares())
      continue;
    int64_t body = numberOf(lifetimes.bodyOf(number)), mb = run.getMb();
    actions[body][mb] = number;
    agree(before[body], lastMb == mb ? lastBody : -1);
    if (lastBody >= 0)
      agree(after[lastBody], lastMb == mb ? body : -1);
    lastBody = body;
    lastMb = mb;
  }
  if (lastBody >= 0)
    agree(after[lastBody], -1);
  // With `spare` the order is open, and other runs may come between.
  auto joins = [&](int64_t body) { return !spare && after[body] >= 0 && before[after[body]] == body; };
  unitOf.resize(count);
  for (int64_t first = 0; first < int64_t(count); ++first)
    // A body that no other one always precedes begins a unit.
    if (before[first] < 0 || !joins(before[first]) || after[before[first]] != first) {
      Unit &unit = units.emplace_back();
      for (int64_t body = first;; body = after[body]) {
        unitOf[body] = units.size() - 1;
        unit.bodies.push_back(body);
        if (!joins(body))
          break;
      }
      complete(unit, actions);
    }
}

// Merges the touches of a unit's bodies on one timeline of calls, and finds the unit's lifetimes.
void BlockLayouts::complete(Unit &unit, const std::vector<std::vector<int64_t>> &actions) {
  int64_t calls = 0;
  for (int64_t number : unit.bodies) {
    const Body &body = lifetimes.getBodies()[number];
    unit.starts.push_back(calls);
    for (const Body::Touch &touch : body.touches) {
      // Bodies come in order, so the first touch stays and the last one moves.
      Unit::Touch &whole = unit.touches.insert({touch.value, {calls + touch.first, calls + touch.last}}).first->second;
      whole.last = calls + touch.last;
    }
    calls += body.calls;
  }
  unit.starts.push_back(calls);
  for (int64_t mb = 0; mb < lifetimes.numMicroBatches(); ++mb) {
    int64_t begin = actions[unit.bodies.front()][mb], end = actions[unit.bodies.back()][mb];
    unit.lives.push_back(begin < 0 ? Life() : Life{begin, end + 1});
  }
}

// A group is temporary if it lives within one unit in each micro-batch. A message may hold bytes longer than any task.
void BlockLayouts::sortGroups() {
  ArrayRef<Group> groups = lifetimes.getGroups();
  isTemporary.assign(groups.size(), true);
  for (auto [number, body] : llvm::enumerate(lifetimes.getBodies())) {
    const Unit &unit = units[unitOf[number]];
    for (int64_t group : body.groups)
      for (auto [life, whole] : llvm::zip(groups[group].lives, unit.lives))
        isTemporary[group] = isTemporary[group] && (whole.isEmpty() || life.isEmpty() ||
                                                    (whole.begin <= life.begin && life.end <= whole.end));
  }
  for (auto [number, group] : llvm::enumerate(groups))
    isTemporary[number] = isTemporary[number] && !group.isCarried;
}

void BlockLayouts::addSource(std::vector<Life> lives) {
  Source &source = sources.emplace_back();
  for (auto [mb, life] : llvm::enumerate(lives))
    if (!life.isEmpty())
      // One micro-batch of each size suffices to ask for bytes.
      source.lastRun[rank.isShort(mb)] = mb;
  source.lives = std::move(lives);
}

//===--- Blocks ---===//

// Items keep both ends, because a short micro-batch may leave the rest of a segment to others.
void BlockLayouts::put(int64_t block, Value value, int64_t at, size_t source) {
  Block::Item item{at, {at, at}, source};
  for (bool isShort : {false, true})
    if (int64_t mb = sources[source].lastRun[isShort]; mb >= 0)
      item.ends[isShort] = at + rank.bytesOf(value, mb);
  blocks[block].extent = std::max(blocks[block].extent, at + rank.bytesOf(value, largest));
  blocks[block].items.push_back(item);
}

// Whether a group begins, and ends, in a unit in all micro-batches.
std::pair<bool, bool> BlockLayouts::endsIn(const Unit &unit, const Group &group) const {
  bool begins = true, ends = true;
  for (auto [life, whole] : llvm::zip(group.lives, unit.lives)) {
    begins &= whole.isEmpty() || life.isEmpty() || whole.begin <= life.begin;
    ends &= whole.isEmpty() || life.isEmpty() || life.end <= whole.end;
  }
  return {begins, ends};
}

// Extends the lifetime of a group to the whole unit in which it begins or ends. Temporaries of the unit lie in its
// bytes while they are not yet written, or after the last read.
std::vector<Life> BlockLayouts::longLives(size_t number) const {
  const Group &group = lifetimes.getGroups()[number];
  std::vector<Life> lives = group.lives;
  for (const Unit &unit : units)
    if (!group.isCarried && touches(unit, number)) {
      auto [begins, ends] = endsIn(unit, group);
      for (auto [life, whole] : llvm::zip(lives, unit.lives)) {
        if (life.isEmpty() || whole.isEmpty())
          continue;
        life.begin = begins ? std::min(life.begin, whole.begin) : life.begin;
        life.end = ends ? std::max(life.end, whole.end) : life.end;
      }
    }
  return lives;
}

bool BlockLayouts::touches(const Unit &unit, int64_t group) const {
  return llvm::any_of(unit.bodies,
                      [&](int64_t body) { return llvm::is_contained(lifetimes.getBodies()[body].groups, group); });
}

// Stacks the values of a group one behind the other: all of them are live when another unit begins, so no two may share
// bytes. Starts a new block where the next value would exceed `mostBytes`.
void BlockLayouts::stack(size_t group, ArrayRef<Value> values) {
  int64_t at = mostBytes;
  for (Value value : values) {
    int64_t bytes = rank.bytesOf(value, largest);
    // `at` begins at `mostBytes`, so the first value opens a block.
    if (at + bytes > mostBytes) {
      blocks.emplace_back();
      at = 0;
    }
    putShared(blocks.size() - 1, group, value, at);
    at += bytes;
  }
}

void BlockLayouts::putShared(int64_t block, size_t group, Value value, int64_t at) {
  put(block, value, at, group);
  shared[value] = {block, at};
  blocks[block].members.push_back({value, group});
}

//===--- Guests ---===//

// Whether the unit runs in each micro-batch in which the group lives.
static bool coversAll(ArrayRef<Life> unit, const Group &group) {
  return llvm::all_of(llvm::zip(group.lives, unit),
                      [](auto each) { return std::get<0>(each).isEmpty() || !std::get<1>(each).isEmpty(); });
}

// Finds one guest and one host for each unit: the largest groups of each kind, since these have the most bytes to
// share.
std::vector<BlockLayouts::Guest> BlockLayouts::findGuests() const {
  ArrayRef<Group> groups = lifetimes.getGroups();
  std::vector<Guest> guests;
  llvm::DenseSet<size_t> taken; // hosts, and guests
  for (auto [number, unit] : llvm::enumerate(units)) {
    // The largest of each; a group is a guest or a host once.
    int64_t guest = -1, host = -1, guestBytes = 0, hostBytes = 0;
    for (size_t group = 0; group < groups.size(); ++group) {
      // A message may arrive before the unit begins or leave after it, so carried groups do not take part.
      if (isTemporary[group] || groups[group].isCarried || taken.contains(group) || !touches(unit, group) ||
          !coversAll(unit.lives, groups[group]))
        continue;
      auto [begins, ends] = endsIn(unit, groups[group]);
      int64_t bytes = 0;
      for (Value value : groups[group].values)
        bytes += rank.bytesOf(value, largest);
      // A guest begins in the unit and stays; a host ends in it. So the guest's values can follow the host's in their
      // bytes.
      if (begins && !ends && bytes > guestBytes) {
        guest = group;
        guestBytes = bytes;
      } else if (ends && !begins && bytes > hostBytes) {
        host = group;
        hostBytes = bytes;
      }
    }
    if (guest < 0 || host < 0)
      continue;
    guests.push_back({size_t(guest), size_t(host), number});
    taken.insert(guest);
    taken.insert(host);
  }
  return guests;
}

// Puts the values of a guest into holes of its host's blocks, and stacks the rest. The whole block then lives as long
// as the guest, which costs bytes where many micro-batches wait; `BlockOffsets::layOut` decides whether it is worth it.
void BlockLayouts::lodge(const Guest &each) {
  const Unit &unit = units[each.unit];
  llvm::SetVector<int64_t> hosts;
  for (Value value : lifetimes.getGroups()[each.host].values)
    hosts.insert(shared.lookup(value).block);
  std::vector<Value> left = lifetimes.getGroups()[each.group].values;
  // Block by block: what found no hole in one tries the next.
  for (int64_t block : hosts) {
    planner::PackProblem problem;
    problem.alignment = bufferAlignment;
    std::vector<int64_t> offsets;
    for (const Block::Member &member : blocks[block].members) {
      auto touch = unit.touches.find(member.value);
      // A host's value is live from the unit's begin to its last touch.
      problem.blocks.push_back({rank.bytesOf(member.value, largest), 0,
                                touch == unit.touches.end() ? unit.calls() : touch->second.last + 1});
      offsets.push_back(shared.lookup(member.value).offset);
    }
    for (Value value : left) {
      auto touch = unit.touches.find(value);
      problem.blocks.push_back(
          {rank.bytesOf(value, largest), touch == unit.touches.end() ? 0 : touch->second.first, unit.calls()});
    }
    size_t fixed = offsets.size();
    offsets.resize(problem.blocks.size(), -1);
    planner::fillHoles(problem, blocks[block].extent, offsets);
    std::vector<Value> others;
    for (auto [value, at] : llvm::zip(left, ArrayRef(offsets).drop_front(fixed)))
      if (at < 0)
        others.push_back(value);
      else
        putShared(block, each.group, value, at);
    left = std::move(others);
  }
  stack(each.group, left);
}

// Places the temporaries of a unit: first in idle bytes of blocks that the unit touches, the rest in a block of their
// own.
planner::Status BlockLayouts::packTemporaries(size_t number, const planner::MemoryStrategyRow &strategy) {
  const Unit &unit = units[number];
  SmallVector<Value> left;
  llvm::SetVector<int64_t> inside; // blocks of groups that the unit touches
  for (auto &[value, touch] : unit.touches)
    if (!shared.contains(value))
      left.push_back(value);
  for (int64_t body : unit.bodies)
    for (int64_t group : lifetimes.getBodies()[body].groups)
      if (!isTemporary[group])
        for (Value value : lifetimes.getGroups()[group].values)
          inside.insert(shared.lookup(value).block);
  // Idle bytes of existing blocks cost nothing, so they are tried before a block is made.
  for (int64_t block : inside)
    fill(number, block, left);
  if (left.empty())
    return std::nullopt;
  planner::PackProblem problem;
  problem.alignment = bufferAlignment;
  for (Value value : left)
    problem.blocks.push_back(lifeIn(unit, value));
  planner::Packing packing;
  if (planner::Status fault = strategy.pack(problem, packing))
    return fault;
  int64_t block = spare ? blockOfAllRuns() : int64_t(blocks.size());
  // A drop is needed if another task could still read the bytes, or a clone's original is expected there.
  bool isRepeated = llvm::any_of(left, [&](Value value) { return repeated.contains(value); });
  if (!spare)
    blocks.push_back({/*isDropped=*/isRepeated || unit.bodies.size() > 1});
  for (auto [value, at] : llvm::zip(left, packing.offsets)) {
    put(block, value, at, lifetimes.getGroups().size() + number);
    temporaries[number][value] = {block, at};
  }
  return std::nullopt;
}

// With open orders, temporaries of all tasks share one block apart from all others. A rank runs one task at a time, so
// this block keeps no task from running before another.
int64_t BlockLayouts::blockOfAllRuns() {
  if (ofAllRuns < 0) {
    ofAllRuns = blocks.size();
    blocks.push_back({/*isDropped=*/false, /*isOfAllRuns=*/true});
  }
  return ofAllRuns;
}

planner::PackProblem::Block BlockLayouts::lifeIn(const Unit &unit, Value value) const {
  Unit::Touch touch = unit.touches.lookup(value);
  return {rank.bytesOf(value, largest), touch.first, touch.last + 1};
}

// Whether a group is live at no time of a unit.
static bool isAbsent(ArrayRef<Life> unit, const Group &group) {
  return llvm::all_of(llvm::zip(group.lives, unit), [](auto each) {
    auto [life, whole] = each;
    return life.isEmpty() || whole.isEmpty() || life.end <= whole.begin || whole.end <= life.begin;
  });
}

// Places temporaries in bytes of a block whose values are not yet written, or dead; those that do not fit stay in
// `left`.
void BlockLayouts::fill(size_t number, int64_t block, SmallVector<Value> &left) {
  const Unit &unit = units[number];
  ArrayRef<Group> groups = lifetimes.getGroups();
  bool frees = false;
  planner::PackProblem problem;
  problem.alignment = bufferAlignment;
  std::vector<int64_t> offsets;
  auto isTaken = [&](int64_t bytes, int64_t from, int64_t to, int64_t at) {
    if (from >= to)
      return;
    problem.blocks.push_back({bytes, from, to});
    offsets.push_back(at);
  };
  for (auto [value, group] : blocks[block].members) {
    // Another group of the same block may be dead while the unit runs: all of its bytes are free.
    if (isAbsent(unit.lives, groups[group])) {
      frees = true;
      continue;
    }
    auto [begins, ends] = endsIn(unit, groups[group]);
    frees |= begins || ends;
    auto touch = unit.touches.find(value);
    bool known = touch != unit.touches.end();
    // A message may write it before its first reader runs, or read it after its last writer.
    bool isReceived = groups[group].isCarried && value.getDefiningOp<PopOp>();
    bool isSent = groups[group].isCarried && !isReceived;
    // Before its first touch a value that begins here is not yet written; after the last touch one that ends here is
    // dead.
    isTaken(rank.bytesOf(value, largest), begins && known && !isReceived ? touch->second.first : 0,
            ends && known && !isSent ? touch->second.last + 1 : unit.calls(), shared.lookup(value).offset);
  }
  if (!frees) // every byte is taken all the time
    return;
  size_t fixed = offsets.size();
  for (Value value : left)
    problem.blocks.push_back(lifeIn(unit, value));
  offsets.resize(problem.blocks.size(), -1);
  planner::fillHoles(problem, blocks[block].extent, offsets);
  SmallVector<Value> others;
  for (auto [index, value] : llvm::enumerate(left)) {
    int64_t at = offsets[fixed + index];
    if (at < 0) {
      others.push_back(value);
      continue;
    }
    put(block, value, at, lifetimes.getGroups().size() + number);
    temporaries[number][value] = {block, at};
  }
  left = std::move(others);
}
