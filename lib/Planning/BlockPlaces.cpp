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
  const std::vector<Life> *lives;
  bool isDropped = true;
  int64_t extent[2] = {0, 0};     // where the last one ends, in short micro-batches, too
  std::vector<int64_t> offsets{}; // by micro-batch
};

struct Place {
  int64_t block, offset;
};

class BlockPlaces : public Places {
  using Body = Lifetimes::Body;
  using Group = Lifetimes::Group;

public:
  explicit BlockPlaces(const RankValues &rank) : Places(rank), lifetimes(rank.lifetimes) {
    for (auto [clone, original] : rank.slots.getOriginals())
      repeated.insert(original);
    findUnits();
    sortGroups();
  }

  planner::Fault pack(const planner::MemoryStrategyRow &strategy) override {
    for (size_t group = 0; group < blockOf.size(); ++group)
      if (!isTemporary[group])
        stack(group);
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
      for (auto [mb, life] : llvm::enumerate(*block.lives))
        if (block.isDropped && !life.isEmpty())
          found.push_back({rank.actions[life.end - 1], int64_t(mb), block.offsets[mb], block.extent[rank.isShort(mb)]});
    return found;
  }

private:
  size_t numberOf(const Body &body) const { return &body - lifetimes.getBodies().data(); }

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
      if (!run)
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
    auto joins = [&](int64_t body) { return after[body] >= 0 && before[after[body]] == body; };
    unitOf.resize(count);
    for (int64_t first = 0; first < int64_t(count); ++first)
      if (before[first] < 0 || after[before[first]] != first) {
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
    for (int64_t mb : {int64_t(0), lifetimes.numMicroBatches() - 1}) {
      int64_t &extent = blocks[block].extent[rank.isShort(mb)];
      extent = std::max(extent, at + rank.bytesOf(value, mb));
    }
  }

  // All live when another unit begins, so none shares bytes with another.
  void stack(size_t group) {
    blockOf[group] = blocks.size();
    blocks.push_back({&lifetimes.getGroups()[group].lives});
    int64_t at = 0;
    for (Value value : lifetimes.getGroups()[group].values) {
      put(blockOf[group], value, at);
      shared[value] = {blockOf[group], at};
      at += rank.bytesOf(value, 0);
    }
  }

  planner::Fault packTemporaries(size_t number, const planner::MemoryStrategyRow &strategy) {
    const Unit &unit = units[number];
    SmallVector<Value> left;
    llvm::SetVector<int64_t> groups;
    for (auto &[value, touch] : unit.touches)
      if (!shared.contains(value))
        left.push_back(value);
    for (int64_t body : unit.bodies)
      for (int64_t group : lifetimes.getBodies()[body].groups)
        if (!isTemporary[group] && !lifetimes.getGroups()[group].isCarried)
          groups.insert(group);
    for (int64_t group : groups)
      fill(number, group, left);
    if (left.empty())
      return std::nullopt;
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    for (Value value : left)
      problem.blocks.push_back(lifeIn(unit, value));
    planner::Packing packing;
    if (planner::Fault fault = strategy.pack(problem, packing))
      return fault;
    int64_t block = blocks.size();
    bool isRepeated = llvm::any_of(left, [&](Value value) { return repeated.contains(value); });
    blocks.push_back({&unit.lives, /*isDropped=*/isRepeated || unit.bodies.size() > 1});
    for (auto [value, at] : llvm::zip(left, packing.offsets)) {
      put(block, value, at);
      temporaries[number][value] = {block, at};
    }
    return std::nullopt;
  }

  planner::PackProblem::Block lifeIn(const Unit &unit, Value value) const {
    Unit::Touch touch = unit.touches.lookup(value);
    return {rank.bytesOf(value, 0), touch.first, touch.last + 1};
  }

  // Places temporaries where values of a group's block are not made yet, or are dead; the others stay in `left`.
  void fill(size_t number, int64_t group, SmallVector<Value> &left) {
    const Unit &unit = units[number];
    const Group &known = lifetimes.getGroups()[group];
    bool begins = true, ends = true; // in this unit, in all micro-batches
    for (auto [life, whole] : llvm::zip(known.lives, unit.lives)) {
      begins &= whole.isEmpty() || life.isEmpty() || whole.begin <= life.begin;
      ends &= whole.isEmpty() || life.isEmpty() || life.end <= whole.end;
    }
    if (!begins && !ends)
      return;
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    std::vector<int64_t> offsets;
    int64_t capacity = blocks[blockOf[group]].extent[0];
    auto isTaken = [&](int64_t bytes, int64_t from, int64_t to, int64_t at) {
      if (from >= to)
        return;
      problem.blocks.push_back({bytes, from, to});
      offsets.push_back(at);
    };
    // The block is there only from the first run that touches it to the last.
    auto touches = [&](int64_t body) { return llvm::is_contained(lifetimes.getBodies()[body].groups, group); };
    size_t first = llvm::find_if(unit.bodies, touches) - unit.bodies.begin(), last = unit.bodies.size();
    while (!touches(unit.bodies[last - 1]))
      --last;
    isTaken(capacity, 0, begins ? unit.starts[first] : 0, 0);
    isTaken(capacity, ends ? unit.starts[last] : unit.calls(), unit.calls(), 0);
    for (Value value : known.values) {
      auto touch = unit.touches.find(value);
      bool known = touch != unit.touches.end();
      isTaken(rank.bytesOf(value, 0), begins && known ? touch->second.first : 0,
              ends && known ? touch->second.last + 1 : unit.calls(), shared.lookup(value).offset);
    }
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
      put(blockOf[group], value, at);
      temporaries[number][value] = {blockOf[group], at};
    }
    left = std::move(others);
  }

  planner::Fault packBlocks(const planner::MemoryStrategyRow &strategy) {
    planner::PackProblem problem;
    problem.alignment = placeAlignment;
    std::vector<size_t> kinds; // in lanes, a block of each micro-batch lies where one of another has been
    for (auto [number, block] : llvm::enumerate(blocks))
      for (auto [mb, life] : llvm::enumerate(*block.lives))
        if (!life.isEmpty()) {
          problem.blocks.push_back({block.extent[rank.isShort(mb)], life.begin, life.end});
          kinds.push_back(number);
        }
    planner::Packing packing;
    if (planner::Fault fault =
            strategy.packKinds ? strategy.packKinds(problem, kinds, packing) : strategy.pack(problem, packing))
      return fault;
    const int64_t *next = packing.offsets.data();
    for (Block &block : blocks)
      for (Life life : *block.lives)
        block.offsets.push_back(life.isEmpty() ? -1 : rank.staticBytes + *next++);
    end = rank.staticBytes + packing.bytes;
    return std::nullopt;
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

std::unique_ptr<Places> plc::plan::placeBlocks(const RankValues &rank) { return std::make_unique<BlockPlaces>(rank); }
