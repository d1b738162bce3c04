//===- BlockPlaces.cpp - a place for each group of values -----------------===//
#include "Places.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

using Life = Lifetimes::Life;

// Bodies that always run one directly after the other, for one micro-batch: B and W under most schedules, all three on one
// rank. Values that only they touch share bytes call by call.
struct Unit {
  std::vector<int64_t> bodies;
  std::vector<int64_t> starts; // of each body, and the end: its first call, counted in the unit
  std::vector<Life> lives;     // by micro-batch
  struct Touch {
    int64_t first, last;
  };
  llvm::MapVector<Value, Touch> touches; // in calls of the unit

  int64_t calls() const { return starts.back(); }
};

// What a slot lies behind: a block, or a place for the whole step, of which each micro-batch has its part; neither, if no
// call names any slot.
struct Base {
  int64_t block = -1;
  Value fixed;
  bool operator==(const Base &other) const { return block == other.block && fixed == other.fixed; }
};

struct Frame {
  SmallVector<Base> bases;
  SmallVector<int64_t> slots; // pairs of a base and an offset
};

// Values at places of their own, of a group, or of what is left of a unit's temporaries.
struct Block {
  std::vector<Life> lives; // by micro-batch
  bool isDropped = true;
  int64_t extent[2] = {0, 0};     // where the last one ends, in short micro-batches, too
  std::vector<int64_t> offsets{}; // by micro-batch
  struct Member {
    Value value;
    size_t group;
  };
  SmallVector<Member> members{}; // of groups, that are no temporaries
};

struct Place {
  int64_t block, offset;
};

class BlockPlaces : public Places {
  using Body = Lifetimes::Body;
  using Group = Lifetimes::Group;

public:
  BlockPlaces(const RankValues &rank, int64_t spare)
      : Places(rank), lifetimes(rank.lifetimes), spare(spare), largest(firstRunOf(rank.lifetimes)) {
    for (auto [clone, original] : rank.slots.getOriginals())
      repeated.insert(original);
    findUnits();
    sortGroups();
  }

  planner::Fault pack(const planner::MemoryStrategyRow &strategy) override {
    std::vector<Guest> guests = findGuests();
    for (size_t group = 0; group < blockOf.size(); ++group)
      if (!isTemporary[group] && llvm::none_of(guests, [&](const Guest &each) { return each.group == group; }))
        stack(group);
    for (const Guest &guest : guests)
      if (!lodge(guest))
        stack(guest.group);
    temporaries.resize(units.size());
    for (size_t unit = 0; unit < units.size(); ++unit)
      if (planner::Fault fault = packTemporaries(unit, strategy))
        return fault;
    for (size_t body = 0; body < lifetimes.getBodies().size(); ++body)
      frames.push_back(frameOf(body));
    return packBlocks(strategy);
  }

  std::string describe() const override {
    return std::to_string(blocks.size()) + " blocks of " + std::to_string(lifetimes.countValues()) + " values";
  }

  int64_t offsetOf(Value value, int64_t mb) const override {
    if (auto place = rank.statics.offsetOf(value, std::max<int64_t>(mb, 0)))
      return *place;
    return blocks[blockOf[lifetimes.groupOf(value)]].offsets[mb];
  }

  SmallVector<int64_t> addressesOf(RunOp run, int64_t action) const override {
    SmallVector<int64_t> at;
    for (const Base &base : frames[numberOf(lifetimes.bodyOf(action))].bases)
      at.push_back(base.fixed       ? *rank.statics.offsetOf(base.fixed, run.getMb())
                   : base.block < 0 ? rank.staticBytes
                                    : blocks[base.block].offsets[run.getMb()]);
    return at;
  }

  void writeFrames(OpBuilder &builder, Location loc) const override {
    for (auto [body, frame] : llvm::zip(lifetimes.getBodies(), frames)) {
      TaskOp task = body.task;
      FrameOp::create(builder, loc, cast<StageOp>(task->getParentOp()).getSymName(), task.getRole(), body.keeps,
                      frame.bases.size(), frame.slots);
    }
  }

  // Of each block once; temporaries only where another task, or what a clone makes again, could still be read.
  std::vector<Death> deaths() const override {
    std::vector<Death> found;
    for (const Block &block : blocks)
      for (auto [mb, life] : llvm::enumerate(block.lives))
        if (block.isDropped && !life.isEmpty())
          found.push_back({rank.actions[life.end - 1], int64_t(mb), block.offsets[mb], extentOf(block, mb)});
    return found;
  }

private:
  size_t numberOf(const Body &body) const { return &body - lifetimes.getBodies().data(); }

  // The first micro-batch that the rank runs, which is its largest: short ones come last, and a replica may have no other.
  static int64_t firstRunOf(const Lifetimes &lifetimes) {
    int64_t first = lifetimes.numMicroBatches();
    for (const Group &group : lifetimes.getGroups())
      for (int64_t mb = 0; mb < first; ++mb)
        if (!group.lives[mb].isEmpty())
          first = mb;
    return first;
  }

  //===--- Units ---===//

  // For each body: which one follows all of its runs, or comes before them, for the same micro-batch; -1: none does.
  void findUnits() {
    size_t count = lifetimes.getBodies().size();
    constexpr int64_t unknown = -2;
    std::vector<int64_t> after(count, unknown), before(count, unknown);
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
    // In another order others may run between them.
    auto joins = [&](int64_t body) { return !spare && after[body] >= 0 && before[after[body]] == body; };
    unitOf.resize(count);
    for (int64_t first = 0; first < int64_t(count); ++first)
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

  void complete(Unit &unit, const std::vector<std::vector<int64_t>> &actions) {
    int64_t calls = 0;
    for (int64_t number : unit.bodies) {
      const Body &body = lifetimes.getBodies()[number];
      unit.starts.push_back(calls);
      for (const Body::Touch &touch : body.touches) {
        Unit::Touch &whole =
            unit.touches.insert({touch.value, {calls + touch.first, calls + touch.last}}).first->second;
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

  // Temporary is what lives in one unit only, in each micro-batch.
  void sortGroups() {
    ArrayRef<Group> groups = lifetimes.getGroups();
    isTemporary.assign(groups.size(), true);
    blockOf.assign(groups.size(), -1);
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

  //===--- Blocks ---===//

  void put(int64_t block, Value value, int64_t at) {
    for (int64_t mb : {largest, lifetimes.numMicroBatches() - 1}) {
      int64_t &extent = blocks[block].extent[rank.isShort(mb)];
      extent = std::max(extent, at + rank.bytesOf(value, mb));
    }
  }

  int64_t extentOf(const Block &block, int64_t mb) const { return block.extent[rank.isShort(mb)]; }

  // Whether a group begins, and ends, in a unit in all micro-batches.
  std::pair<bool, bool> endsIn(const Unit &unit, const Group &group) const {
    bool begins = true, ends = true;
    for (auto [life, whole] : llvm::zip(group.lives, unit.lives)) {
      begins &= whole.isEmpty() || life.isEmpty() || whole.begin <= life.begin;
      ends &= whole.isEmpty() || life.isEmpty() || life.end <= whole.end;
    }
    return {begins, ends};
  }

  // What begins or ends in a unit is there from its beginning, or up to its end: temporaries lie in bytes that are not
  // written yet, or that the unit's earlier tasks have freed.
  std::vector<Life> livesOf(size_t number) const {
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

  bool touches(const Unit &unit, int64_t group) const {
    return llvm::any_of(unit.bodies, [&](int64_t body) { return touchesGroup(body, group); });
  }
  bool touchesGroup(int64_t body, int64_t group) const {
    return llvm::is_contained(lifetimes.getBodies()[body].groups, group);
  }

  // All live when another unit begins, so none shares bytes with another.
  void stack(size_t group) {
    blockOf[group] = blocks.size();
    blocks.push_back({livesOf(group)});
    int64_t at = 0;
    for (Value value : lifetimes.getGroups()[group].values) {
      putShared(blockOf[group], group, value, at);
      at += rank.bytesOf(value, largest);
    }
  }

  void putShared(int64_t block, size_t group, Value value, int64_t at) {
    put(block, value, at);
    shared[value] = {block, at};
    blocks[block].members.push_back({value, group});
  }

  //===--- Guests ---===//

  // A group that begins in a unit (what B leaves for a W that does not follow it), and another one that ends in it (what F
  // has left for B): call by call the one may take the bytes that the other frees.
  struct Guest {
    size_t group, host, unit;
  };

  bool coversAll(const Unit &unit, const Group &group) const {
    return llvm::all_of(llvm::zip(group.lives, unit.lives),
                        [](auto each) { return std::get<0>(each).isEmpty() || !std::get<1>(each).isEmpty(); });
  }

  std::vector<Guest> findGuests() const {
    ArrayRef<Group> groups = lifetimes.getGroups();
    std::vector<Guest> guests;
    llvm::DenseSet<size_t> taken; // hosts, and guests
    for (auto [number, unit] : llvm::enumerate(units)) {
      // The largest of each.
      int64_t guest = -1, host = -1, guestBytes = 0, hostBytes = 0;
      for (size_t group = 0; group < groups.size(); ++group) {
        if (isTemporary[group] || groups[group].isCarried || taken.contains(group) || !touches(unit, group) ||
            !coversAll(unit, groups[group]))
          continue;
        auto [begins, ends] = endsIn(unit, groups[group]);
        int64_t bytes = 0;
        for (Value value : groups[group].values)
          bytes += rank.bytesOf(value, largest);
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

  // The host's block is then there as long as the guest: with n of them at one time it takes n times what they leave idle,
  // and the bytes of one that both need while the unit runs are saved. False if that does not pay.
  bool lodge(const Guest &each) {
    const Unit &unit = units[each.unit];
    const Group &guest = lifetimes.getGroups()[each.group];
    int64_t block = blockOf[each.host], bytes = extentOf(blocks[block], largest), filled = 0;
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    std::vector<int64_t> offsets;
    for (const Block::Member &member : blocks[block].members) {
      auto touch = unit.touches.find(member.value);
      problem.blocks.push_back({rank.bytesOf(member.value, largest), 0,
                                touch == unit.touches.end() ? unit.calls() : touch->second.last + 1});
      offsets.push_back(shared.lookup(member.value).offset);
    }
    size_t fixed = offsets.size();
    for (Value value : guest.values) {
      auto touch = unit.touches.find(value);
      problem.blocks.push_back(
          {rank.bytesOf(value, largest), touch == unit.touches.end() ? 0 : touch->second.first, unit.calls()});
    }
    offsets.resize(problem.blocks.size(), -1);
    planner::fillHoles(problem, bytes, offsets);
    for (size_t index = fixed; index < offsets.size(); ++index)
      filled += offsets[index] < 0 ? 0 : problem.blocks[index].bytes;
    if (mostAtOnce(guest) * (bytes - filled) >= bytes)
      return false;
    std::vector<Life> lives = livesOf(each.group);
    for (auto [life, longer] : llvm::zip(blocks[block].lives, lives))
      life.end = std::max(life.end, longer.end);
    int64_t at = 0;
    for (auto [index, value] : llvm::enumerate(guest.values)) {
      if (offsets[fixed + index] >= 0) {
        putShared(block, each.group, value, offsets[fixed + index]);
        continue;
      }
      if (blockOf[each.group] < 0) {
        blockOf[each.group] = blocks.size();
        blocks.push_back({lives});
      }
      putShared(blockOf[each.group], each.group, value, at);
      at += rank.bytesOf(value, largest);
    }
    return true;
  }

  static int64_t mostAtOnce(const Group &group) {
    std::vector<std::pair<int64_t, int64_t>> changes; // ends come first
    for (Life life : group.lives)
      if (!life.isEmpty()) {
        changes.push_back({life.begin, 1});
        changes.push_back({life.end, -1});
      }
    llvm::sort(changes);
    int64_t now = 0, most = 0;
    for (auto [time, change] : changes)
      most = std::max(most, now += change);
    return most;
  }

  planner::Fault packTemporaries(size_t number, const planner::MemoryStrategyRow &strategy) {
    const Unit &unit = units[number];
    SmallVector<Value> left;
    llvm::SetVector<int64_t> inside; // blocks of groups that the unit touches
    for (auto &[value, touch] : unit.touches)
      if (!shared.contains(value))
        left.push_back(value);
    for (int64_t body : unit.bodies)
      for (int64_t group : lifetimes.getBodies()[body].groups)
        if (!isTemporary[group] && !lifetimes.getGroups()[group].isCarried)
          for (Value value : lifetimes.getGroups()[group].values)
            inside.insert(shared.lookup(value).block);
    for (int64_t block : inside)
      fill(number, block, left);
    if (left.empty())
      return std::nullopt;
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    for (Value value : left)
      problem.blocks.push_back(lifeIn(unit, value));
    planner::Packing packing;
    if (planner::Fault fault = strategy.pack(problem, packing))
      return fault;
    int64_t block = spare ? blockOfAllRuns() : int64_t(blocks.size());
    bool isRepeated = llvm::any_of(left, [&](Value value) { return repeated.contains(value); });
    if (!spare)
      blocks.push_back({unit.lives, /*isDropped=*/isRepeated || unit.bodies.size() > 1});
    for (auto [value, at] : llvm::zip(left, packing.offsets)) {
      put(block, value, at);
      temporaries[number][value] = {block, at};
    }
    return std::nullopt;
  }

  // What tasks make for themselves alone, one task after the other, apart from what lives between them: so it keeps none of
  // them from running before another.
  int64_t blockOfAllRuns() {
    if (ofAllRuns < 0) {
      ofAllRuns = blocks.size();
      blocks.push_back({{{0, int64_t(rank.actions.size())}}, /*isDropped=*/false});
    }
    return ofAllRuns;
  }

  planner::PackProblem::Block lifeIn(const Unit &unit, Value value) const {
    Unit::Touch touch = unit.touches.lookup(value);
    return {rank.bytesOf(value, largest), touch.first, touch.last + 1};
  }

  // Whether a group lives at no time of a unit.
  bool isAbsent(const Unit &unit, const Group &group) const {
    return llvm::all_of(llvm::zip(group.lives, unit.lives), [](auto each) {
      auto [life, whole] = each;
      return life.isEmpty() || whole.isEmpty() || life.end <= whole.begin || whole.end <= life.begin;
    });
  }

  // Places temporaries where values of a block are not made yet, or are dead; the others stay in `left`.
  void fill(size_t number, int64_t block, SmallVector<Value> &left) {
    const Unit &unit = units[number];
    ArrayRef<Group> groups = lifetimes.getGroups();
    bool frees = false;
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    std::vector<int64_t> offsets;
    int64_t capacity = extentOf(blocks[block], largest);
    auto isTaken = [&](int64_t bytes, int64_t from, int64_t to, int64_t at) {
      if (from >= to)
        return;
      problem.blocks.push_back({bytes, from, to});
      offsets.push_back(at);
    };
    for (auto [value, group] : blocks[block].members) {
      if (isAbsent(unit, groups[group])) {
        frees = true;
        continue;
      }
      auto [begins, ends] = endsIn(unit, groups[group]);
      frees |= begins || ends;
      auto touch = unit.touches.find(value);
      bool known = touch != unit.touches.end();
      isTaken(rank.bytesOf(value, largest), begins && known ? touch->second.first : 0,
              ends && known ? touch->second.last + 1 : unit.calls(), shared.lookup(value).offset);
    }
    if (!frees)
      return;
    size_t fixed = offsets.size();
    for (Value value : left)
      problem.blocks.push_back(lifeIn(unit, value));
    offsets.resize(problem.blocks.size(), -1);
    planner::fillHoles(problem, capacity, offsets);
    SmallVector<Value> others;
    for (auto [index, value] : llvm::enumerate(left)) {
      int64_t at = offsets[fixed + index];
      if (at < 0) {
        others.push_back(value);
        continue;
      }
      put(block, value, at);
      temporaries[number][value] = {block, at};
    }
    left = std::move(others);
  }

  planner::Fault packBlocks(const planner::MemoryStrategyRow &strategy) {
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    std::vector<size_t> kinds; // in lanes, a block of each micro-batch lies where one of another has been
    for (auto [number, block] : llvm::enumerate(blocks))
      for (auto [mb, life] : llvm::enumerate(block.lives))
        if (!life.isEmpty()) {
          problem.blocks.push_back(
              {extentOf(block, number == size_t(ofAllRuns) ? largest : mb), earlyBegin(block, mb), life.end});
          kinds.push_back(number);
        }
    planner::Packing packing;
    if (planner::Fault fault =
            strategy.packKinds ? strategy.packKinds(problem, kinds, packing) : strategy.pack(problem, packing))
      return fault;
    const int64_t *next = packing.offsets.data();
    for (Block &block : blocks)
      for (Life life : block.lives)
        block.offsets.push_back(life.isEmpty() ? -1 : rank.staticBytes + *next++);
    if (ofAllRuns >= 0)
      blocks[ofAllRuns].offsets.resize(lifetimes.numMicroBatches(), blocks[ofAllRuns].offsets.front());
    end = rank.staticBytes + packing.bytes;
    return std::nullopt;
  }

  // When the block of the micro-batch begins that runs so many before: up to there this one's place is left to nobody.
  int64_t earlyBegin(const Block &block, int64_t mb) const {
    int64_t begin = block.lives[mb].begin;
    for (int64_t earlier = mb - 1; earlier >= std::max<int64_t>(0, mb - spare); --earlier)
      if (!block.lives[earlier].isEmpty())
        begin = std::min(begin, block.lives[earlier].begin);
    return begin;
  }

  // Slots in their order. A slot that the body does not touch has no place, and is given that of base 0.
  Frame frameOf(size_t number) const {
    const Body &body = lifetimes.getBodies()[number];
    DenseSet<Value> touched;
    for (const Body::Touch &touch : body.touches)
      touched.insert(touch.value);
    Frame frame;
    for (Value slot : rank.slots.of(body.task)) {
      Value value = rank.slots.valueIn(body.keeps, slot);
      Base base;
      int64_t offset = 0;
      if (rank.statics.placeOf(value) >= 0) {
        base.fixed = value;
      } else if (touched.contains(value)) {
        auto found = shared.find(value);
        Place place = found != shared.end() ? found->second : temporaries[unitOf[number]].lookup(value);
        base.block = place.block;
        offset = place.offset;
      } else {
        frame.slots.append({0, 0});
        continue;
      }
      auto found = llvm::find(frame.bases, base);
      frame.slots.append({found - frame.bases.begin(), offset});
      if (found == frame.bases.end())
        frame.bases.push_back(base);
    }
    if (frame.bases.empty() && !frame.slots.empty())
      frame.bases.emplace_back();
    return frame;
  }

  const Lifetimes &lifetimes;
  const int64_t spare, largest;
  int64_t ofAllRuns = -1; // a block that all micro-batches share; -1: there is none
  std::vector<Unit> units;
  std::vector<size_t> unitOf; // each body
  DenseSet<Value> repeated;
  std::vector<bool> isTemporary; // each group
  std::vector<int64_t> blockOf;  // each group that is not temporary
  std::vector<Block> blocks;
  DenseMap<Value, Place> shared;                   // what is in blocks of groups
  std::vector<DenseMap<Value, Place>> temporaries; // by unit
  std::vector<Frame> frames;                       // by body
};

} // namespace

std::unique_ptr<Places> plc::plan::placeBlocks(const RankValues &rank, int64_t spare) {
  return std::make_unique<BlockPlaces>(rank, spare);
}
