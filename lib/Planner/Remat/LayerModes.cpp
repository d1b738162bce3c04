//===- LayerModes.cpp - segments by layers, and saved layers --------------===//
#include "plc/Planner/Remat/RematPolicies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace plc::planner;

namespace {

std::string must(const char *what, int64_t found) {
  return std::string(what) + " is " + std::to_string(found) + " but must be positive";
}

Status checkLayers(const RematMode &mode, int64_t count) {
  bool layers = mode.grain == Grain::layer;
  const char *what = layers ? "layer " : "kernel ", *whats = layers ? " layers" : " kernels";
  if (mode.layers.empty())
    return "policy 'selective' selects no layers";
  std::vector<int64_t> sorted = mode.layers;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    std::string name = what + std::to_string(sorted[i]);
    if (sorted[i] < 0 || sorted[i] >= count)
      return name + " is selected but the model has " + std::to_string(count) + whats;
    if (i && sorted[i] == sorted[i - 1])
      return name + " is selected twice";
    if (i && sorted[i] - sorted[i - 1] < mode.minInterval)
      return "layers " + std::to_string(sorted[i - 1]) + " and " + std::to_string(sorted[i]) +
             " are selected but min-interval is " + std::to_string(mode.minInterval);
  }
  return std::nullopt;
}

// Makes a segment of each layer that `kept` leaves out; the others are saved whole.
void cutLayers(RematProblem &problem, const std::vector<bool> &kept) {
  for (auto &call : problem.calls)
    call.segment = call.selected && call.layer >= 0 && !kept[call.layer] ? call.layer : -1;
}

// Sets the layers that fit in a fraction of what saving all takes. Each layer is weighed alone, by the bytes that it
// adds to saving nothing: exact unless layers share values (Rationale of the plan dialect).
Status chooseKept(double fraction, RematProblem &problem, std::vector<bool> &kept) {
  int64_t layers = problem.numLayers();
  // Saving every layer: the whole that the fraction is of.
  kept.assign(layers, true);
  cutLayers(problem, kept);
  int64_t all = problem.keptBytes(recompute(problem)), target = std::floor(fraction * double(all));
  // Everything fits.
  if (target >= all)
    return std::nullopt;
  kept.assign(layers, false);
  cutLayers(problem, kept);
  // Some bytes are saved in any case; layers share the rest of the target.
  int64_t least = problem.keptBytes(recompute(problem));
  SubsetSumProblem choice{{}, std::max<int64_t>(target - least, 0)};
  // The weight of a layer: the bytes that saving it alone adds. Sharing may make that less than nothing, which counts
  // as 0.
  for (int64_t layer = 0; layer < layers; ++layer) {
    std::vector<bool> alone(layers, false);
    alone[layer] = true;
    cutLayers(problem, alone);
    choice.bytes.push_back(std::max<int64_t>(problem.keptBytes(recompute(problem)) - least, 0));
  }
  return solveSubsetSum(choice, kept);
}

// The number of layers, or of calls, by the mode's grain.
int64_t numUnits(const RematMode &mode, const RematProblem &problem) {
  return mode.grain == Grain::layer ? problem.numLayers() : int64_t(problem.calls.size());
}

// Makes a segment of the units from a start up to the next; units before the first start save everything.
void cutAtStarts(const RematMode &mode, const std::vector<bool> &starts, RematProblem &problem) {
  // first[u]: the start at or before unit u.
  std::vector<int64_t> first(starts.size());
  for (int64_t unit = 0, last = -1; unit < int64_t(starts.size()); ++unit)
    first[unit] = last = starts[unit] ? unit : last;
  for (size_t i = 0; i < problem.calls.size(); ++i) {
    auto &call = problem.calls[i];
    int64_t unit = mode.grain == Grain::layer ? call.layer : int64_t(i);
    // A call of no layer, or one that the user left out, is never recomputed.
    call.segment = call.selected && unit >= 0 ? first[unit] : -1;
  }
}

Status checkDistance(const RematMode &mode) {
  return mode.minInterval > 0 ? Status() : must("min-interval", mode.minInterval);
}

} // namespace

// Recomputes nothing.
Status plc::planner::chooseNone(const RematMode &mode, RematProblem &problem) {
  if (Status fault = checkDistance(mode))
    return fault;
  cutAtStarts(mode, std::vector<bool>(numUnits(mode, problem)), problem);
  return std::nullopt;
}

// Sets no segments: under a budget the search decides for each call (lib/Search/Recomputation.cpp).
Status plc::planner::chooseBudget(const RematMode &mode, RematProblem &problem) { return chooseNone(mode, problem); }

// A checkpoint every `interval` units, or every `minInterval` if that is more.
Status plc::planner::chooseUniform(const RematMode &mode, RematProblem &problem) {
  if (Status fault = checkDistance(mode))
    return fault;
  if (mode.interval <= 0)
    return must("interval", mode.interval);
  std::vector<bool> starts(numUnits(mode, problem));
  // From the first unit on, so that no unit is outside of the segments.
  for (int64_t unit = 0; unit < int64_t(starts.size()); unit += std::max(mode.interval, mode.minInterval))
    starts[unit] = true;
  cutAtStarts(mode, starts, problem);
  return std::nullopt;
}

// The units of `layers` are the checkpoints.
Status plc::planner::chooseSelective(const RematMode &mode, RematProblem &problem) {
  if (Status fault = checkDistance(mode))
    return fault;
  std::vector<bool> starts(numUnits(mode, problem));
  if (Status fault = checkLayers(mode, starts.size()))
    return fault;
  for (int64_t unit : mode.layers)
    starts[unit] = true;
  cutAtStarts(mode, starts, problem);
  return std::nullopt;
}

// Saves as many bytes of whole layers as fit in `memoryFraction` of what policy `none` saves, deeper layers first. Each
// other layer is a segment.
Status plc::planner::chooseDynamic(const RematMode &mode, RematProblem &problem) {
  if (Status fault = checkDistance(mode))
    return fault;
  if (!(mode.memoryFraction >= 0 && mode.memoryFraction <= 1))
    return "memory-fraction is " + std::to_string(mode.memoryFraction) + " but must be from 0 to 1";
  std::vector<bool> kept;
  if (Status fault = chooseKept(mode.memoryFraction, problem, kept))
    return fault;
  cutLayers(problem, kept);
  return std::nullopt;
}

Status SubsetSumProblem::check() const {
  for (size_t layer = 0; layer < bytes.size(); ++layer)
    if (bytes[layer] < 0)
      return "layer " + std::to_string(layer) + " has " + std::to_string(bytes[layer]) + " bytes";
  if (limit < 0)
    return "the limit is " + std::to_string(limit) + " bytes";
  return std::nullopt;
}

Status SubsetSumProblem::verify(const std::vector<bool> &kept) const {
  if (kept.size() != bytes.size())
    return "tells of " + std::to_string(kept.size()) + " layers whether they are kept, but there are " +
           std::to_string(bytes.size());
  int64_t sum = 0;
  for (size_t layer = 0; layer < bytes.size(); ++layer)
    sum += kept[layer] ? bytes[layer] : 0;
  if (sum > limit)
    return "keeps " + std::to_string(sum) + " bytes of " + std::to_string(limit);
  return std::nullopt;
}

int64_t SubsetSumProblem::bound() const {
  return std::min(limit, std::accumulate(bytes.begin(), bytes.end(), int64_t(0)));
}

// Thins ascending sums out to at most `most`: keeps the largest one, and drops those too close to the next larger one.
// So an answer is never above the limit, only a little below the best.
static std::vector<int64_t> thinOut(const std::vector<int64_t> &sums, size_t most) {
  if (sums.size() <= most)
    return sums;
  // Sums at least this far apart are at most `most`, because they lie in [0, largest].
  int64_t distance = sums.back() / int64_t(most) + 1;
  std::vector<int64_t> kept;
  // From the largest down, so that the best sum of the row survives exactly.
  for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum)
    if (kept.empty() || kept.back() - *sum >= distance)
      kept.push_back(*sum);
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// sums[i] has the sums that the first i layers can reach within the limit, ascending. Backwards from the largest: a
// layer is saved if the sum without it is in the row before. Asking that first makes deeper layers win ties.
Status plc::planner::solveSubsetSum(const SubsetSumProblem &problem, std::vector<bool> &kept) {
  if (Status fault = problem.check())
    return fault;
  // Rows share the memory evenly, so many layers mean coarser rows, never more bytes.
  std::vector<std::vector<int64_t>> sums{{0}};
  size_t mostOfRow = std::max<size_t>(mostSums / std::max<size_t>(problem.bytes.size(), 1), 2);
  for (int64_t bytes : problem.bytes) {
    const std::vector<int64_t> &before = sums.back();
    std::vector<int64_t> with, after;
    for (int64_t sum : before)
      // Compared by a difference, which cannot overflow.
      if (bytes <= problem.limit - sum)
        with.push_back(sum + bytes);
    std::set_union(before.begin(), before.end(), with.begin(), with.end(), std::back_inserter(after));
    sums.push_back(thinOut(after, mostOfRow));
  }
  kept.assign(problem.bytes.size(), false);
  // Backwards through the rows; a row was made from the thinned row before it, so each step finds its sum there.
  int64_t sum = sums.back().back();
  for (size_t layer = kept.size(); layer-- > 0;) {
    int64_t without = sum - problem.bytes[layer];
    kept[layer] = std::binary_search(sums[layer].begin(), sums[layer].end(), without);
    sum = kept[layer] ? without : sum;
  }
  return problem.verify(kept);
}
