//===- Keys.cpp - every key of a strategy ---------------------------------===//
#include "plc/Module/OptimizerKeys.h"
#include "plc/Strategy/Keys.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/Nearest.h"
#include "plc/Support/Rates.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>

using namespace plc;
using namespace plc::strategy;

namespace {

using Type = Key::Type;
constexpr double none = std::numeric_limits<double>::lowest();

Key text(TypedKey<std::string> key, const char *initial, std::vector<Value> supported) {
  return {key.path, Type::Text, std::string(initial), std::move(supported), none};
}
/// A key whose values are the rows of a table.
template <typename Kind>
Key choice(TypedKey<Kind> key, Kind initial) {
  static_assert(hasAllRows<Kind>(), "the table of this choice has not one row for each value of its enum");
  std::vector<Value> supported;
  for (const auto &row : Choice<Kind>::rows())
    supported.push_back(std::string(row.name));
  return text({key.path}, nameOfChoice(initial), std::move(supported));
}
Key toggle(TypedKey<bool> key, bool initial) { return {key.path, Type::Bool, initial, {}, none}; }
Key integer(TypedKey<int64_t> key, int64_t initial, double least, double most = 1e18) {
  return {key.path, Type::Integer, initial, {}, least, false, nullptr, {}, most};
}
Key number(TypedKey<double> key, double initial, double least, bool exclusive = false) {
  return {key.path, Type::Number, initial, {}, least, exclusive};
}
/// Adds a word for the default of a number, which is no value that could be given.
Key orWord(Key key, const char *word) {
  key.word = word;
  return key;
}
/// A fraction, from 0 to 1.
Key part(TypedKey<double> key, double initial) {
  return {key.path, Type::Number, initial, {}, 0, false, nullptr, {}, 1};
}
/// A key with a meaning only under some values of another key.
Key under(Key key, const char *whenKey, std::vector<std::string> whenValues) {
  key.whenKey = whenKey;
  key.whenValues = std::move(whenValues);
  return key;
}
/// A key with a meaning only under values of a choice whose rows satisfy `holds`.
template <typename Kind, typename Predicate>
Key under(Key key, const char *whenKey, Predicate holds) {
  return under(std::move(key), whenKey, namesOfChoice<Kind>(holds));
}
/// A key of recomputation with a meaning under the policies that obey a field.
Key ofPolicies(Key key, planner::RematField field) {
  return under<planner::RematPolicy>(std::move(key), keys::checkpointPolicy.path,
                                     [&](const planner::RematPolicyRow &row) { return row.obeys(field); });
}
/// A key of recomputation with a meaning under every policy that recomputes.
Key ofRecomputation(Key key) {
  return under<planner::RematPolicy>(std::move(key), keys::checkpointPolicy.path,
                                     [](const planner::RematPolicyRow &row) { return row.fields != 0; });
}
/// A key of the policies that recompute by segments. Policy `budget` is not among them: its limit must hold in every
/// micro-batch.
Key ofSegments(Key key) {
  return under<planner::RematPolicy>(
      std::move(key), keys::checkpointPolicy.path,
      [](const planner::RematPolicyRow &row) { return row.fields != 0 && !row.obeys(planner::ByteBudget); });
}
/// A key of the table of `plc/Module/OptimizerKeys.h`.
template <typename Number>
Key setting(TypedKey<Number> key) {
  const module::OptimizerKey &row = *module::findOptimizerKey(key.path);
  Number initial = module::OptimizerSettings().*std::get<Number module::OptimizerSettings::*>(row.member);
  Key made{
      key.path, row.isInteger() ? Type::Integer : Type::Number, initial, {}, row.least, row.isExclusive, nullptr, {},
      row.most};
  if (!row.field)
    return made;
  return under<RateSchedule>(std::move(made), keys::optimizerScheduleKind.path,
                             [&](const RateScheduleRow &schedule) { return schedule.fields & row.field; });
}

} // namespace

llvm::ArrayRef<Key> plc::strategy::allKeys() {
  using planner::MemoryStrategy, planner::RecomputingRuns, planner::Grain, planner::RematPolicy, planner::ScheduleKind;
  static const std::vector<Key> keys = {
      text(keys::preset, "", {"training", "inference", "memory-efficient", "high-throughput", "debug"}),
      choice(keys::mode, ExecutionMode::lazy),
      toggle(keys::fusion, true),
      toggle(keys::profiling, false),
      choice(keys::gradientKind, GradientKind::full),
      integer(keys::gradientAccumulationSteps, 1, 1, 4096),
      integer(keys::gradientLanes, 1, 1, 4096),
      choice(keys::checkpointPolicy, RematPolicy::none),
      ofPolicies(integer(keys::checkpointInterval, 2, 1), planner::Interval),
      ofPolicies({keys::checkpointLayers.path, Type::Integers, std::vector<int64_t>(), {}, 0}, planner::Layers),
      ofPolicies(part(keys::checkpointMemoryFraction, 0.3), planner::MemoryFraction),
      ofRecomputation(toggle(keys::checkpointAttention, true)),
      ofRecomputation(toggle(keys::checkpointFfn, true)),
      ofPolicies(integer(keys::checkpointMinInterval, 1, 1), planner::Checkpoints),
      ofPolicies(choice(keys::checkpointGrain, Grain::layer), planner::Checkpoints),
      ofSegments(choice(keys::checkpointMicroBatches, RecomputingRuns::always)),
      choice(keys::checkpointLoops, LoopValues::policy),
      choice(keys::precisionCompute, Precision::F32),
      orWord(under<Precision>(number(keys::precisionLossScale, 0, 0, true), keys::precisionCompute.path,
                              [](const PrecisionRow &row) { return row.scalesLoss; }),
             "dynamic"),
      choice(keys::memoryStrategy, MemoryStrategy::automatic),
      {keys::memoryBudget.path, Type::Bytes, int64_t(0), {}, 1},
      choice(keys::parallelismKind, ParallelismKind::none),
      integer(keys::parallelismStages, 1, 1, 1024),
      integer(keys::parallelismReplicas, 1, 1, 1024),
      {keys::parallelismShard.path, Type::Counts, Counts(), {}, 2, false, nullptr, {}, 1024},
      integer(keys::parallelismShardRanks, 0, 1, 1024),
      integer(keys::parallelismMicroBatches, 1, 1, 4096),
      choice(keys::parallelismSchedule, ScheduleKind::oneFOneB),
      text(keys::parallelismScheduleFile, "", {}),
      integer(keys::parallelismChunks, 0, 1, 1024),
      {keys::parallelismBalance.path, Type::Integers, std::vector<int64_t>(), {}, 1},
      {keys::parallelismPlace.path, Type::Integers, std::vector<int64_t>(), {}, 0},
      text(keys::parallelismPlan, "", {}),
      choice(keys::parallelismGrain, Grain::layer),
      choice(keys::machineTransport, TransportKind::Threads),
      integer(keys::machineThreadsPerStage, 0, 1, 256),
      under(integer(keys::machineRanks, 0, 1, 1024), keys::parallelismKind.path,
            {nameOfChoice(ParallelismKind::automatic)}),
      choice(keys::machineIsa, InstructionSet::native),
      choice(keys::machineContractions, Contractions::automatic),
      text(keys::machineRates, "", {}),
      text(keys::machineProfile, "", {}),
      text(keys::optimizerKind, "adamw", {}),
      setting(keys::optimizerLr),
      choice(keys::optimizerScheduleKind, RateSchedule::Constant),
      setting(keys::optimizerScheduleWarmup),
      setting(keys::optimizerScheduleTotal),
      setting(keys::optimizerScheduleFloor),
      setting(keys::optimizerSchedulePeriod),
      setting(keys::optimizerSchedulePeriodFactor),
      setting(keys::optimizerSchedulePower),
      setting(keys::optimizerScheduleDecay),
      setting(keys::optimizerSchedulePctStart),
      setting(keys::optimizerScheduleDivFactor),
      setting(keys::optimizerScheduleFinalDivFactor),
      setting(keys::optimizerClipNorm),
      setting(keys::optimizerClipValue),
      setting(keys::optimizerEma),
      {keys::optimizerLayerDecay.path, Type::Number, 1.0, {}, 0, /*exclusive=*/true, nullptr, {}, 1},
      toggle(keys::optimizerDecayMatricesOnly, false),
      choice(keys::trainingNonfinite, NonFiniteStep::Stop),
  };
  return keys;
}

llvm::ArrayRef<Key> plc::strategy::rateKeys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> keys;
    for (const RateRow &row : Choice<Rate>::rows())
      keys.push_back(
          {row.name, Type::Number, row.least, {}, row.least, /*exclusive=*/row.least == 0, nullptr, {}, row.most});
    return keys;
  }();
  return keys;
}

const Key *plc::strategy::findKey(llvm::ArrayRef<Key> keys, llvm::StringRef path) {
  for (const Key &key : keys)
    if (path == key.path)
      return &key;
  return nullptr;
}

/// The distinct names in a table of keys, or of all keys up to their first point, in order.
static std::string namesIn(llvm::ArrayRef<Key> keys, llvm::StringRef table) {
  llvm::SetVector<llvm::StringRef> names;
  for (const Key &key : keys)
    if (llvm::StringRef path = key.path; key.whenKey && key.whenKey == llvm::StringRef(keys::optimizerKind.path))
      continue; // of another optimizer
    else if (table.empty() || (path.consume_front(table) && path.consume_front(".")))
      names.insert(path.split('.').first);
  return llvm::join(names.takeVector(), ", ");
}

/// Keys that had another name: a strategy of before learns the new one.
static constexpr std::pair<llvm::StringLiteral, const char *> renamedKeys[] = {
    {"checkpoint.turns", keys::checkpointLoops.path}};

std::string plc::strategy::suggestionFor(llvm::ArrayRef<Key> keys, llvm::StringRef path) {
  for (auto [former, now] : renamedKeys)
    if (path == former && findKey(keys, now))
      return std::string("; it is '") + now + "' now";
  llvm::StringRef table = path.contains('.') ? path.rsplit('.').first : "";
  bool inTable = !table.empty() && !namesIn(keys, table).empty();
  plc::Nearest nearest(inTable ? path.rsplit('.').second : path);
  for (const Key &key : keys) {
    auto [keyTable, name] = llvm::StringRef(key.path).rsplit('.');
    if (inTable && keyTable == table)
      nearest.offer(name, key.path);
    if (inTable)
      continue;
    nearest.offer(key.path);
    // A single word may be a key without its table, or a table.
    if (!path.contains('.'))
      nearest.offer(name, key.path), nearest.offer(keyTable, key.path);
  }
  if (!nearest.found().empty())
    return nearest.text();
  return inTable ? "; '" + table.str() + "' has " + namesIn(keys, table) : "; there are " + namesIn(keys, "");
}
