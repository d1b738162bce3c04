//===- Keys.cpp - every key of a strategy ---------------------------------===//
#include "plc/Planner/Addresses/Pack.h"
#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/Strategy.h"
#include "plc/Support/Contractions.h"
#include "plc/Support/InstructionSets.h"
#include "plc/Support/Nearest.h"
#include "plc/Support/NonFiniteSteps.h"
#include "plc/Support/Optimizers.h"
#include "plc/Support/Precisions.h"
#include "plc/Support/Rates.h"
#include "plc/Support/Transports.h"
#include "plc/Support/WholeChoice.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <limits>

using namespace plc;
using namespace plc::strategy;

namespace {

using Type = Key::Type;
constexpr double none = std::numeric_limits<double>::lowest();

Key text(const char *path, const char *initial, std::vector<Value> supported, std::vector<std::string> refused) {
  return {path, Type::Text, std::string(initial), std::move(supported), std::move(refused), none};
}
/// A key whose values are the rows of a table.
template <typename Kind>
Key choice(const char *path, Kind initial) {
  static_assert(hasAllRows<Kind>(), "the table of this choice has not one row for each value of its enum");
  std::vector<Value> supported;
  for (const auto &row : Choice<Kind>::rows())
    supported.push_back(std::string(row.name));
  auto planned = Choice<Kind>::planned();
  return text(path, nameOfChoice(initial), std::move(supported), {planned.begin(), planned.end()});
}
Key toggle(const char *path, bool initial) { return {path, Type::Bool, initial, {}, {}, none}; }
Key integer(const char *path, int64_t initial, double least, double most = 1e18) {
  return {path, Type::Integer, initial, {}, {}, least, false, nullptr, {}, most};
}
Key number(const char *path, double initial, double least, bool exclusive = false) {
  return {path, Type::Number, initial, {}, {}, least, exclusive};
}
/// Adds a word for the default of a number, which is no value that could be given.
Key orWord(Key key, const char *word) {
  key.word = word;
  return key;
}
/// A fraction, from 0 to 1.
Key part(const char *path, double initial) { return {path, Type::Number, initial, {}, {}, 0, false, nullptr, {}, 1}; }
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
  return under<planner::RematPolicy>(std::move(key), "checkpoint.policy",
                                     [&](const planner::RematPolicyRow &row) { return row.obeys(field); });
}
/// A key of recomputation with a meaning under every policy that recomputes.
Key ofRecomputation(Key key) {
  return under<planner::RematPolicy>(std::move(key), "checkpoint.policy",
                                     [](const planner::RematPolicyRow &row) { return row.fields != 0; });
}
/// A key of the policies that recompute by segments. Policy `budget` is not among them: its limit must hold in every
/// micro-batch.
Key ofSegments(Key key) {
  return under<planner::RematPolicy>(std::move(key), "checkpoint.policy", [](const planner::RematPolicyRow &row) {
    return row.fields != 0 && !row.obeys(planner::ByteBudget);
  });
}
Key ofOptimizers(Key key, bool OptimizerRow::*has) {
  return under<OptimizerKind>(std::move(key), "optimizer.kind", [&](const OptimizerRow &row) { return row.*has; });
}

} // namespace

llvm::ArrayRef<Key> plc::strategy::allKeys() {
  using planner::MemoryStrategy, planner::RecomputingRuns, planner::Grain, planner::RematPolicy, planner::ScheduleKind;
  static const std::vector<Key> keys = {
      text("preset", "", {"training", "inference", "memory-efficient", "high-throughput", "debug"}, {}),
      choice("mode", ExecutionMode::lazy),
      toggle("fusion", true),
      toggle("profiling", false),
      choice("gradient.kind", GradientKind::full),
      integer("gradient.accumulation_steps", 1, 1, 4096),
      integer("gradient.lanes", 1, 1, 4096),
      choice("checkpoint.policy", RematPolicy::none),
      ofPolicies(integer("checkpoint.interval", 2, 1), planner::Interval),
      ofPolicies({"checkpoint.layers", Type::Integers, std::vector<int64_t>(), {}, {}, 0}, planner::Layers),
      ofPolicies(part("checkpoint.memory_fraction", 0.3), planner::MemoryFraction),
      ofRecomputation(toggle("checkpoint.attention", true)),
      ofRecomputation(toggle("checkpoint.ffn", true)),
      ofPolicies(integer("checkpoint.min_interval", 1, 1), planner::Checkpoints),
      ofPolicies(choice("checkpoint.grain", Grain::layer), planner::Checkpoints),
      ofSegments(choice("checkpoint.micro_batches", RecomputingRuns::always)),
      choice("checkpoint.turns", TurnValues::policy),
      choice("precision.compute", Precision::F32),
      orWord(under<Precision>(number("precision.loss_scale", 0, 0, true), "precision.compute",
                              [](const PrecisionRow &row) { return row.scalesLoss; }),
             "dynamic"),
      choice("memory.strategy", MemoryStrategy::automatic),
      {"memory.budget", Type::Bytes, int64_t(0), {}, {}, 1},
      choice("parallelism.kind", ParallelismKind::none),
      integer("parallelism.stages", 1, 1, 1024),
      integer("parallelism.replicas", 1, 1, 1024),
      {"parallelism.shard", Type::Counts, Counts(), {}, {}, 2, false, nullptr, {}, 1024},
      integer("parallelism.shard_ranks", 0, 1, 1024),
      integer("parallelism.micro_batches", 1, 1, 4096),
      choice("parallelism.schedule", ScheduleKind::oneFOneB),
      text("parallelism.schedule.file", "", {}, {}),
      integer("parallelism.chunks", 0, 1, 1024),
      {"parallelism.balance", Type::Integers, std::vector<int64_t>(), {}, {}, 1},
      {"parallelism.place", Type::Integers, std::vector<int64_t>(), {}, {}, 0},
      text("parallelism.plan", "", {}, {}),
      choice("parallelism.grain", Grain::layer),
      choice("machine.transport", TransportKind::Threads),
      integer("machine.threads_per_stage", 0, 1, 256),
      under(integer("machine.ranks", 0, 1, 1024), "parallelism.kind", {nameOfChoice(ParallelismKind::automatic)}),
      choice("machine.isa", InstructionSet::native),
      choice("machine.contractions", Contractions::automatic),
      text("machine.rates", "", {}, {}),
      text("machine.profile", "", {}, {}),
      choice("optimizer.kind", OptimizerKind::AdamW),
      number("optimizer.lr", 3e-4, 0),
      ofOptimizers(number("optimizer.weight_decay", 0.01, 0), &OptimizerRow::decaysWeight),
      ofOptimizers(number("optimizer.beta1", 0.9, 0), &OptimizerRow::isAdaptive),
      ofOptimizers(number("optimizer.beta2", 0.999, 0), &OptimizerRow::isAdaptive),
      ofOptimizers(number("optimizer.eps", 1e-8, 0, true), &OptimizerRow::isAdaptive),
      ofOptimizers(number("optimizer.momentum", 0.9, 0), &OptimizerRow::hasMomentum),
      choice("optimizer.schedule.kind", RateSchedule::Constant),
      integer("optimizer.schedule.warmup", 0, 0),
      under<RateSchedule>(integer("optimizer.schedule.total", 0, 1), "optimizer.schedule.kind",
                          [](const RateScheduleRow &row) { return row.ends; }),
      number("optimizer.clip_norm", 0, 0, true),
      choice("training.nonfinite", NonFiniteStep::Stop),
  };
  return keys;
}

llvm::ArrayRef<Key> plc::strategy::rateKeys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> keys;
    for (const RateRow &row : Choice<Rate>::rows())
      keys.push_back(
          {row.name, Type::Number, row.least, {}, {}, row.least, /*exclusive=*/row.least == 0, nullptr, {}, row.most});
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
    if (llvm::StringRef path = key.path; table.empty() || (path.consume_front(table) && path.consume_front(".")))
      names.insert(path.split('.').first);
  return llvm::join(names.takeVector(), ", ");
}

std::string plc::strategy::suggestionFor(llvm::ArrayRef<Key> keys, llvm::StringRef path) {
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
