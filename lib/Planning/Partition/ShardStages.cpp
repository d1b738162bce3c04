//===- ShardStages.cpp - which rank of a group computes what --------------===//
#include "ShardStages.h"

#include "plc/Dialect/Plan/Values.h"
#include "plc/Support/Errors.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace plc;
using namespace plc::plan;

namespace {

constexpr int64_t whole = -1; // the share of values that all ranks of a group need

// Finds which rank of a group a call belongs to: the share of the parameters and states that it reads, else of the
// values. Shards of one rank are neighbours, so that the rank adds up its own partial sums first. Where a call reads
// several shares:
//   - The largest operand decides. Each shard of a softmax over a divided size also reads a small value made of all
//     shards.
//   - Equally large operands of several shares mean that the call combines them. It is whole then.
class Parts {
public:
  Parts(const FlatProgram &flat, int64_t shards) : flat(flat), ofValue(flat.values.size(), whole) {
    for (auto [index, value] : llvm::enumerate(flat.values))
      if (value.shard) // consecutive shards go to one rank
        ofValue[index] = value.shard.getIndex() * shards / value.shard.getCount();
    for (const FlatCall &call : flat.precomputed)
      take(call);
    for (const FlatCall &call : flat.calls)
      ofCall.push_back(take(call));
  }

  int64_t of(size_t call) const { return ofCall[call]; }

private:
  int64_t take(const FlatCall &call) {
    std::map<int64_t, int64_t> owned, read; // bytes of the largest value, by share
    for (int64_t value : call.args)
      if (ofValue[value] != whole) { // whole operands say nothing
        // Parameters and states have a home, values can travel: so `owned` decides before `read`.
        int64_t &most = (flat.values[value].origin == FlatValue::Result ? read : owned)[ofValue[value]];
        most = std::max(most, byteSize(flat.values[value].type));
      }
    int64_t part = mostOf(owned.empty() ? read : owned);
    for (int64_t value : call.results)
      if (flat.values[value].origin != FlatValue::Site)
        ofValue[value] = part;
    return part;
  }

  // The share with the most bytes; `whole` on a tie.
  static int64_t mostOf(const std::map<int64_t, int64_t> &bytes) {
    int64_t most = 0, part = whole;
    for (auto [share, count] : bytes)
      if (count >= most) {
        part = count > most ? share : whole;
        most = count;
      }
    return part;
  }

  const FlatProgram &flat;
  std::vector<int64_t> ofValue, ofCall;
};

// Divides the stages of a pipeline in these steps:
//   - find the share of each call (`Parts`);
//   - move B and W to units of their own share (`rehome`);
//   - count how often values change ranks (`levels`), and make a stage per level and share;
//   - spread whole stages evenly (`balance`).
class Sharer {
public:
  Sharer(FlatProgram &flat, ArrayRef<int64_t> stageOf, int64_t shards) : flat(flat), parts(flat, shards) {
    std::vector<int64_t> pipeline;
    for (const FlatCall &call : flat.calls)
      pipeline.push_back(stageOf[call.unit]);
    if (!flat.isDivided)
      divideUnits(flat);
    numberAlong(pipeline);
    position.resize(flat.units.size());
    partOf.assign(flat.units.size(), whole);
    for (auto [index, call] : llvm::enumerate(flat.calls))
      if (call.role == Role::F) {
        position[call.unit] = pipeline[index];
        partOf[call.unit] = parts.of(index);
      }
    // In ascending order, since `rehome` searches these lists.
    for (int64_t unit = 0; unit < int64_t(flat.units.size()); ++unit)
      unitsOf[{position[unit], partOf[unit]}].push_back(unit);
  }

  SharedStages run(ArrayRef<int64_t> groupOf, int64_t shards) {
    rehome();
    std::vector<int64_t> level = levels();
    // `whole` is -1, so it sorts first in each level: the slices of a level wait neither for it nor for each other.
    std::map<Key, int64_t> stages;
    for (int64_t unit = 0; unit < int64_t(flat.units.size()); ++unit)
      stages[{position[unit], level[unit], partOf[unit]}];
    SharedStages shared;
    for (auto &[key, stage] : stages) {
      stage = shared.rankOf.size();
      shared.rankOf.push_back(groupOf[std::get<0>(key)] * shards + std::max<int64_t>(std::get<2>(key), 0));
      shared.pipeline.push_back(std::get<0>(key));
    }
    for (int64_t unit = 0; unit < int64_t(flat.units.size()); ++unit)
      shared.stageOf.push_back(stages[{position[unit], level[unit], partOf[unit]}]);
    balance(stages, shards, shared);
    return shared;
  }

private:
  using Key = std::tuple<int64_t, int64_t, int64_t>; // stage of the pipeline, level, share

  // Renumbers the units stage by stage. In program order a unit of one branch may precede units of another branch in
  // earlier stages. The code below relies on lower numbers for earlier units.
  void numberAlong(ArrayRef<int64_t> pipeline) {
    std::vector<int64_t> stageOf(flat.units.size()), order(flat.units.size()), number(flat.units.size());
    for (auto [call, stage] : llvm::zip(flat.calls, pipeline))
      if (call.role == Role::F)
        stageOf[call.unit] = stage;
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](int64_t a, int64_t b) { return stageOf[a] < stageOf[b]; });
    std::vector<FlatProgram::Unit> units;
    for (int64_t unit : order) {
      number[unit] = units.size();
      units.push_back(std::move(flat.units[unit]));
    }
    flat.units = std::move(units);
    for (FlatCall &call : flat.calls)
      call.unit = number[call.unit];
  }

  // Spreads whole stages: the longest first, each to the rank with the least work so far (Graham, "Bounds on
  // multiprocessing timing anomalies", 1969). All ranks of the group receive the values anyway, so the choice costs no
  // message.
  void balance(const std::map<Key, int64_t> &stages, int64_t shards, SharedStages &shared) {
    std::vector<int64_t> ns(stages.size());
    for (const FlatCall &call : flat.calls)
      ns[shared.stageOf[call.unit]] += KernelOp(call.kernel).getNs();
    std::map<int64_t, int64_t> load; // by rank
    std::vector<std::pair<int64_t, int64_t>> wholes;
    for (const auto &[key, stage] : stages)
      if (std::get<2>(key) == whole)
        wholes.emplace_back(-ns[stage], stage); // negative, so that the longest sorts first
      else
        load[shared.rankOf[stage]] += ns[stage];
    std::sort(wholes.begin(), wholes.end());
    for (auto [time, stage] : wholes) {
      int64_t first = shared.rankOf[stage], best = first;
      for (int64_t rank = first; rank < first + shards; ++rank)
        if (load[rank] < load[best])
          best = rank;
      load[best] -= time; // `time` is negative
      shared.rankOf[stage] = best;
    }
  }

  // Moves each call of B or W to the last legal unit of its own share: not behind the makers of the gradients that it
  // reads, nor behind its layer. So gradients only go backward along the units, and no rank waits for a later one. A
  // call that adds to a gradient stays with the unit that reads the parameter, where that is legal.
  void rehome() {
    DenseMap<StringAttr, int64_t> ends; // of layer calls
    for (const FlatCall &call : flat.calls)
      if (call.role == Role::F)
        ends[call.path] = std::max(ends.lookup(call.path), call.unit);
    for (auto [index, call] : llvm::enumerate(flat.calls)) {
      if (call.role == Role::F)
        continue;
      // The latest unit that is allowed: the end of the layer, or an earlier maker of a gradient.
      int64_t last = std::max(call.unit, ends.lookup(call.path));
      bool adds = false;
      for (int64_t value : call.args) {
        adds |= flat.values[value].origin == FlatValue::Site;
        if (int64_t maker = flat.values[value].call; maker >= 0 && flat.calls[maker].role != Role::F)
          last = std::min(last, flat.calls[maker].unit);
      }
      if (adds && partOf[call.unit] == parts.of(index) && call.unit <= last)
        continue;
      const std::vector<int64_t> &own = unitsOf[{position[std::min(call.unit, last)], parts.of(index)}];
      // No unit of its share that early: it stays where it may.
      auto behind = std::upper_bound(own.begin(), own.end(), last);
      call.unit = behind == own.begin() ? std::min(call.unit, last) : *std::prev(behind);
    }
  }

  // For each unit, within its stage of the pipeline: how often at least its operands have changed ranks. Units that
  // exchange values, forward or backward, keep their order. This is a longest path over the pairs of units.
  std::vector<int64_t> levels() {
    std::set<std::pair<int64_t, int64_t>> orders;
    for (const FlatCall &call : flat.calls)
      for (int64_t value : call.args)
        if (int64_t maker = flat.values[value].call; maker >= 0)
          if (int64_t other = flat.calls[maker].unit; other != call.unit)
            orders.emplace(std::max(other, call.unit), std::min(other, call.unit));
    std::vector<int64_t> level(flat.units.size());
    for (auto [behind, before] : orders) // ascending, so the level of `before` is final
      if (position[behind] == position[before])
        level[behind] = std::max(level[behind], level[before] + (partOf[behind] != partOf[before]));
    return level;
  }

  FlatProgram &flat;
  Parts parts;
  std::vector<int64_t> position, partOf; // of units
  std::map<std::pair<int64_t, int64_t>, std::vector<int64_t>> unitsOf;
};

} // namespace

FailureOr<SharedStages> plc::plan::shareStages(ein::ModelOp model, FlatProgram &flat, ArrayRef<int64_t> stageOf,
                                               ArrayRef<int64_t> groupOf, int64_t shards) {
  SharedStages shared = Sharer(flat, stageOf, shards).run(groupOf, shards);
  // A rank without work would have no stage, and ranks are numbered without gaps.
  int64_t ranks = (*std::max_element(groupOf.begin(), groupOf.end()) + 1) * shards;
  for (int64_t rank = 0; rank < ranks; ++rank)
    if (!llvm::is_contained(shared.rankOf, rank)) {
      std::string stages;
      for (auto [stage, group] : llvm::enumerate(groupOf))
        if (group == rank / shards)
          stages += (stages.empty() ? "" : " or ") + std::to_string(stage);
      return emitKeyError(model, "parallelism.shard", "rank ")
             << rank << " would have nothing to do: no parameter with a divided size is in stage " << stages
             << " of the pipeline";
    }
  return shared;
}

bool plc::plan::hasParts(const FlatProgram &flat) {
  return llvm::any_of(flat.values,
                      [](const FlatValue &value) { return value.origin == FlatValue::Param && value.shard; });
}
