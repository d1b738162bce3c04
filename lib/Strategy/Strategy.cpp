//===- Strategy.cpp - reads and checks a strategy -------------------------===//
#include "KeyReader.h"
#include "OptimizerKeys.h"

#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Module/ParameterGroups.h"
#include "plc/Module/OptimizerKeys.h"
#include "plc/Strategy/Choices.h"
#include "plc/Strategy/ReadOptimizer.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/InstructionSets.h"
#include "plc/Support/Profile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace plc::strategy;
using llvm::StringRef;
using llvm::Twine;
namespace keys = plc::keys;

namespace {

bool isAutomatic(const KeyReader &reader) { return reader.get(keys::parallelismKind) == ParallelismKind::automatic; }

/// Applies the preset to keys that neither the file nor a set gives. Values of keys that have no meaning under other
/// values are left out.
void applyPreset(KeyReader &reader) {
  const std::string &name = reader.get(keys::preset);
  for (const Preset &preset : allPresets())
    for (auto &[path, value] : preset.values) {
      const Key &key = *findKey(allKeys(), path);
      if (name != preset.name || reader.isGiven(path) || !isApplicable(reader.settings, key))
        continue;
      std::string wrong;
      if (isSupported(key, value, wrong, ", which preset \"" + name + "\" sets,"))
        reader.settings[path] = {value, "preset " + name};
      else
        reader.errorAt("preset", wrong + "; override it, as by '" + path + " = " + print(key.initial) + "'");
    }
}

/// Refuses keys that would be ignored: under other values, or without training.
void checkMeaning(KeyReader &reader) {
  for (const Key &key : reader.allKeys())
    if (reader.isGiven(key.path) && !isApplicable(reader.settings, key))
      reader.errorAt(key.path, "'" + Twine(key.path) + "' belongs to '" + key.whenKey + " = \"" +
                                   llvm::join(key.whenValues, "\" or \"") + "\"' and would be ignored under \"" +
                                   reader.get<std::string>(key.whenKey) + "\"");
  if (reader.get(keys::gradientKind) != GradientKind::none)
    return;
  for (const Key &key : reader.allKeys()) {
    StringRef path = key.path;
    bool trains = path.starts_with("optimizer.") || path.starts_with("checkpoint.") || path.starts_with("gradient.");
    // sums of results use accumulation groups, too
    bool anyway = path == keys::gradientKind.path || path == keys::gradientLanes.path;
    if (trains && !anyway && reader.isGiven(path))
      reader.errorAt(path, "'" + path + "' belongs to training and would be ignored: 'gradient.kind' is \"none\"");
  }
}

/// Mode `eager` excludes fusion: each equation is a kernel.
void checkMode(KeyReader &reader) {
  if (reader.get(keys::mode) != ExecutionMode::eager)
    return;
  if (reader.isGiven("fusion") && reader.get(keys::fusion))
    return reader.errorAt("fusion", "'fusion' is true but 'mode' is \"eager\", which runs each equation alone");
  if (reader.get(keys::fusion))
    reader.settings["fusion"] = {false, "mode"};
}

/// A path in a strategy file is relative to the file's folder.
std::string pathOf(const KeyReader &reader, const char *key, StringRef file) {
  const std::string &path = reader.get<std::string>(key);
  if (llvm::sys::path::is_absolute(path) || !reader.isInFile(key))
    return path;
  llvm::SmallString<128> full(llvm::sys::path::parent_path(file));
  llvm::sys::path::append(full, path);
  return full.str().str();
}

/// Derives `parallelism.kind` from keys that imply it, and checks keys that need another kind.
void checkParallelism(KeyReader &reader) {
  int64_t stages = reader.get(keys::parallelismStages);
  int64_t replicas = reader.get(keys::parallelismReplicas);
  Setting &setting = reader.settings[keys::parallelismKind.path];
  auto set = [&](ParallelismKind kind, const char *key) { setting = {std::string(plc::nameOfChoice(kind)), key}; };
  bool given = reader.isGiven(keys::parallelismKind);
  if (stages > 1 && !given) // several stages imply a pipeline
    set(ParallelismKind::pipeline, keys::parallelismStages.path);
  else if (replicas > 1 && !given && reader.get(keys::parallelismKind) != ParallelismKind::data)
    set(ParallelismKind::data, keys::parallelismReplicas.path);
  else if (reader.isGiven(keys::parallelismShard) && !given)
    set(ParallelismKind::model, keys::parallelismShard.path);
  ParallelismKind kind = reader.get(keys::parallelismKind);
  auto refuse = [&](const char *key, int64_t value, ParallelismKind needed) {
    reader.errorAt(keys::parallelismKind.path, "'" + Twine(key) + "' is " + Twine(value) +
                                                   " but 'parallelism.kind' is \"" + plc::nameOfChoice(kind) +
                                                   "\"; write \"" + plc::nameOfChoice(needed) + "\"");
  };
  bool isPipeline = kind == ParallelismKind::pipeline || kind == ParallelismKind::automatic;
  if (stages > 1 && !isPipeline)
    refuse(keys::parallelismStages.path, stages, ParallelismKind::pipeline);
  else if (replicas > 1 && kind == ParallelismKind::none)
    refuse(keys::parallelismReplicas.path, replicas, ParallelismKind::data);
  // A kind that is given asks for something to divide.
  constexpr std::pair<ParallelismKind, const char *> needs[] = {
      {ParallelismKind::pipeline, keys::parallelismStages.path},
      {ParallelismKind::data, keys::parallelismReplicas.path},
      {ParallelismKind::model, keys::parallelismShard.path}};
  for (auto [needing, key] : needs)
    if (given && kind == needing && !reader.settings[key].isGiven())
      reader.errorAt(keys::parallelismKind.path,
                     "'parallelism.kind' is \"" + Twine(plc::nameOfChoice(kind)) + "\" but '" + key + "' is not given");
  for (const char *path : {keys::parallelismBalance.path, keys::parallelismPlace.path}) {
    auto &list = reader.get<std::vector<int64_t>>(path);
    if (list.empty() || int64_t(list.size()) == stages)
      continue;
    std::string is = "is " + std::to_string(stages);
    if (kind == ParallelismKind::automatic && !reader.isGiven(keys::parallelismStages))
      is = "is not given";
    reader.errorAt(path, "'" + Twine(path) + "' has " + Twine(list.size()) + " entries but 'parallelism.stages' " + is);
  }
}

/// Each accumulation group has equally many micro-batches. If their number is open, the search keeps to that.
void checkGroups(KeyReader &reader) {
  int64_t groups = reader.get(keys::gradientLanes);
  int64_t microBatches = reader.get(keys::parallelismMicroBatches);
  bool isFree = isAutomatic(reader) && !reader.isGiven(keys::parallelismMicroBatches);
  if (!isFree && microBatches % groups)
    reader.errorAt(keys::gradientLanes.path, "'gradient.lanes' is " + Twine(groups) +
                                                 " but 'parallelism.micro_batches' is " + Twine(microBatches) +
                                                 ", which it must divide");
}

/// Each replica has equally many groups.
void checkReplicas(KeyReader &reader) {
  int64_t groups = reader.get(keys::gradientLanes), replicas = reader.get(keys::parallelismReplicas);
  if (groups % replicas)
    reader.errorAt(keys::parallelismReplicas.path, "'parallelism.replicas' is " + Twine(replicas) +
                                                       " but 'gradient.lanes' is " + Twine(groups) +
                                                       ", which it must divide");
  if (replicas == 1)
    return;
  if (reader.isGiven(keys::parallelismScheduleFile))
    reader.errorAt(keys::parallelismReplicas.path, "'parallelism.replicas' is " + Twine(replicas) +
                                                       " but 'parallelism.schedule.file' orders one pipeline");
}

/// All sharded sizes have equally many shards, and each rank of a stage has equally many of them. If `kind` says
/// "none", one rank has all.
void checkShard(KeyReader &reader) {
  auto kind = reader.get(keys::parallelismKind);
  const Counts &shard = reader.get(keys::parallelismShard);
  int64_t ranks = reader.get(keys::parallelismShardRanks);
  std::string saysRanks = "'parallelism.shard_ranks' is " + std::to_string(ranks);
  if (shard.empty()) {
    if (ranks)
      reader.errorAt(keys::parallelismShardRanks.path, saysRanks + " but 'parallelism.shard' is not given");
    return;
  }
  for (const auto &[name, parts] : shard)
    if (parts != shard.begin()->second)
      return reader.errorAt(keys::parallelismShard.path, "'parallelism.shard' divides '" + shard.begin()->first +
                                                             "' in " + Twine(shard.begin()->second) + " parts but '" +
                                                             name + "' in " + Twine(parts) + "; all need as many");
  int64_t parts = shard.begin()->second;
  if (ranks && parts % ranks)
    reader.errorAt(keys::parallelismShardRanks.path,
                   saysRanks + " but 'parallelism.shard' makes " + Twine(parts) + " parts, which it must divide");
  if (ranks > 1 && kind == ParallelismKind::none)
    reader.errorAt(keys::parallelismShardRanks.path,
                   saysRanks + " but 'parallelism.kind' is \"none\"; write \"model\"");
}

/// Refuses keys that `automatic` would ignore, because the search chooses their values.
void checkAutomatic(KeyReader &reader) {
  if (!isAutomatic(reader))
    return;
  for (const char *path : {keys::parallelismPlace.path, keys::parallelismScheduleFile.path, keys::parallelismPlan.path})
    if (reader.isGiven(path))
      reader.errorAt(path, "'" + Twine(path) +
                               "' would be ignored: the joint plan ('parallelism.kind = \"automatic\"' or " +
                               "--recommend) chooses that; leave it out, or write \"pipeline\"");
}

/// Checks the form of a given plan; its content is checked with the model.
void checkPlan(KeyReader &reader) {
  if (reader.isGiven(keys::parallelismPlan) && !StringRef(reader.get(keys::parallelismPlan)).starts_with("plan.spec"))
    reader.errorAt(keys::parallelismPlan.path,
                   "'parallelism.plan' needs the text of a 'plan.spec', as --recommend writes it");
}

/// Sets the rank map that the schedule and `chunks` imply.
void placeChunks(KeyReader &reader) {
  const auto &family = plc::rowOf(reader.get(keys::parallelismSchedule));
  if (isAutomatic(reader) && !reader.isGiven(keys::parallelismStages))
    return; // there are no stages yet
  int64_t stages = reader.get(keys::parallelismStages), chunks = reader.get(keys::parallelismChunks);
  bool byHand = reader.isGiven(keys::parallelismPlace), given = reader.isGiven(keys::parallelismChunks);
  if (byHand && (given || family.placement != plc::planner::Placement::any))
    return reader.errorAt(
        keys::parallelismPlace.path,
        "'parallelism.place' would be ignored: " + Twine(given ? "'parallelism.chunks'" : "schedule \"") +
            (given ? "" : family.name + std::string("\"")) + " places stages");
  if (given && stages % chunks)
    return reader.errorAt(keys::parallelismChunks.path, "'parallelism.chunks' is " + Twine(chunks) +
                                                            " but 'parallelism.stages' is " + Twine(stages) +
                                                            ", which it must divide");
  if (given && family.placement == plc::planner::Placement::vShape && chunks != family.chunks)
    return reader.errorAt(keys::parallelismChunks.path, "'parallelism.chunks' is " + Twine(chunks) +
                                                            " but schedule \"" + family.name + "\" has " +
                                                            Twine(family.chunks) + " stages on each rank");
  if (!given)
    chunks = family.chunks;
  if (chunks > 1 && stages > 1)
    reader.settings[keys::parallelismPlace.path] = {plc::planner::rankMapOf(family.placement, stages, chunks),
                                                    given ? keys::parallelismChunks.path
                                                          : keys::parallelismSchedule.path};
}

/// Sets a key to the value that a schedule's file implies; the strategy must not give another one.
template <typename T>
void implyByFile(KeyReader &reader, const char *key, const T &value, const std::string &file) {
  if (reader.isGiven(key) && reader.get<T>(key) != value)
    return reader.errorAt(key, "'" + Twine(key) + "' is " + print(reader.get<T>(key)) + " but schedule '" + file +
                                   "' has " + print(value));
  reader.settings[key] = {value, keys::parallelismScheduleFile.path};
}

/// Reads the schedule's file, which sets stages, ranks and micro-batches.
void readScheduleFile(KeyReader &reader, StringRef strategyFile, llvm::raw_ostream &errors) {
  Setting &schedule = reader.settings[keys::parallelismSchedule.path];
  auto kind = reader.get(keys::parallelismSchedule);
  bool isFile = plc::rowOf(kind).follows == plc::planner::OrderSource::text;
  if (!reader.isGiven(keys::parallelismScheduleFile)) {
    if (isFile)
      reader.errorAt(keys::parallelismSchedule.path,
                     "'parallelism.schedule' is \"file\" but 'parallelism.schedule.file' is not given");
    return;
  }
  if (!isFile && reader.isGiven(keys::parallelismSchedule))
    return reader.errorAt(keys::parallelismScheduleFile.path,
                          "'parallelism.schedule.file' belongs to schedule \"file\" and would be ignored under \"" +
                              Twine(plc::nameOfChoice(reader.get(keys::parallelismSchedule))) + "\"");
  if (reader.isGiven(keys::parallelismChunks))
    return reader.errorAt(keys::parallelismChunks.path,
                          "'parallelism.chunks' would be ignored: 'parallelism.schedule.file' places stages");
  schedule = {std::string(plc::nameOfChoice(plc::planner::ScheduleKind::file)), keys::parallelismScheduleFile.path};
  std::string path = pathOf(reader, keys::parallelismScheduleFile.path, strategyFile);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return reader.errorAt(keys::parallelismScheduleFile.path,
                          "cannot read schedule '" + path + "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xef\xbb\xbf"); // columns are those that an editor shows
  plc::planner::ScheduleFile table;
  if (auto error = table.read(text)) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, path), llvm::SMLoc());
    plc::Diagnostics diagnostics(sources);
    diagnostics.error(sources.FindLocForLineAndColumn(1, error->line, error->column), error->text);
    diagnostics.print(errors);
    reader.failed = true;
    return;
  }
  reader.settings[keys::parallelismScheduleFile.path].value = path;
  implyByFile<int64_t>(reader, keys::parallelismStages.path, table.rankMap().size(), path);
  // A step runs the micro-batches of all batches that it accumulates.
  int64_t batches = reader.get(keys::gradientAccumulationSteps);
  if (table.microBatches() % batches)
    return reader.errorAt(keys::gradientAccumulationSteps.path,
                          "'gradient.accumulation_steps' is " + Twine(batches) + " but schedule '" + path + "' has " +
                              Twine(table.microBatches()) + " micro-batches, which it must divide");
  implyByFile<int64_t>(reader, keys::parallelismMicroBatches.path, table.microBatches() / batches, path);
  implyByFile(reader, keys::parallelismPlace.path, table.rankMap(), path);
}

/// Checks the keys of recomputation against each other.
void checkCheckpoints(KeyReader &reader) {
  if (!reader.get(keys::checkpointAttention) && !reader.get(keys::checkpointFfn))
    reader.errorAt(keys::checkpointFfn.path,
                   "'checkpoint.attention' and 'checkpoint.ffn' are both false, so nothing is left to "
                   "recompute; write 'checkpoint.policy = \"none\"'");
  std::vector<int64_t> layers = reader.get(keys::checkpointLayers);
  auto policy = reader.get(keys::checkpointPolicy);
  if (plc::rowOf(policy).obeys(plc::planner::Layers) && layers.empty())
    reader.errorAt(keys::checkpointPolicy.path, "'checkpoint.policy' is \"" + Twine(plc::nameOfChoice(policy)) +
                                                    "\" but 'checkpoint.layers' is not given");
  if (plc::rowOf(policy).obeys(plc::planner::ByteBudget) && !reader.isGiven(keys::memoryBudget))
    reader.errorAt(keys::checkpointPolicy.path, "'checkpoint.policy' is \"" + Twine(plc::nameOfChoice(policy)) +
                                                    "\" but 'memory.budget' is not given");
  llvm::sort(layers);
  int64_t least = reader.get(keys::checkpointMinInterval);
  for (size_t i = 1; i < layers.size(); ++i)
    if (layers[i] == layers[i - 1])
      reader.errorAt(keys::checkpointLayers.path, "'checkpoint.layers' has " + Twine(layers[i]) + " twice");
    else if (layers[i] - layers[i - 1] < least)
      reader.errorAt(keys::checkpointLayers.path, "'checkpoint.layers' has " + Twine(layers[i - 1]) + " and " +
                                                      Twine(layers[i]) + " but 'checkpoint.min_interval' is " +
                                                      Twine(least));
}

/// Whether a key's default stands for none, being no value that could be given.
bool isNone(const Key &key) {
  if (key.isOptional)
    return true;
  if (key.type == Key::Type::Integers || key.type == Key::Type::Counts)
    return true;
  if (key.type == Key::Type::Text)
    return std::get<std::string>(key.initial).empty();
  if (key.type == Key::Type::Number)
    return !key.word && key.exclusive && std::get<double>(key.initial) <= key.least;
  return (key.type == Key::Type::Integer || key.type == Key::Type::Bytes) && std::get<int64_t>(key.initial) < key.least;
}

} // namespace

/// Reports why a strategy has no rules of an optimizer that it names.
static void takeOptimizer(KeyReader &reader, const ChosenOptimizer &optimizer) {
  if (!optimizer.error.empty())
    reader.errorAt(optimizer.key, optimizer.error);
  reader.failed |= !optimizer.rules;
}

std::optional<Strategy> Strategy::load(StringRef tool, StringRef file, llvm::ArrayRef<std::string> sets,
                                       llvm::raw_ostream &errors) {
  OptimizerChoice optimizer(file, sets, errors);
  KeyReader reader(tool, errors, optimizer.keys());
  if (!file.empty())
    reader.readFile("strategy", file);
  for (const std::string &set : sets)
    reader.readSet(set);
  takeOptimizer(reader, optimizer.common);
  for (const std::optional<ChosenOptimizer> &ofGroup : optimizer.ofGroups)
    if (ofGroup)
      takeOptimizer(reader, *ofGroup);
  if (!reader.failed)
    readScheduleFile(reader, file, errors);
  if (!reader.failed)
    // The order matters: later checks read what earlier ones have derived.
    for (auto check : {applyPreset, checkMode, checkParallelism, checkGroups, checkReplicas, checkShard, checkAutomatic,
                       checkPlan, placeChunks, checkMeaning, checkCheckpoints, checkOptimizer})
      check(reader);
  KeyReader rates(tool, errors, rateKeys());
  if (reader.isGiven(keys::machineRates) && !reader.failed) {
    std::string path = pathOf(reader, keys::machineRates.path, file);
    if (std::error_code error = llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Exist))
      reader.errorAt(keys::machineRates.path, "cannot read rates '" + path + "': " + error.message());
    else
      rates.readFile("rates", path);
    reader.settings[keys::machineRates.path].value = path;
  }
  std::optional<double> updates;
  if (reader.isGiven(keys::machineProfile) && !reader.failed) {
    std::string path = pathOf(reader, keys::machineProfile.path, file), why;
    if (std::optional<Profile> profile = Profile::read(path, why))
      updates = profile->nsPerUpdatedByte();
    else
      reader.errorAt(keys::machineProfile.path, why);
    reader.settings[keys::machineProfile.path].value = path;
  }
  if (reader.failed || rates.failed)
    return std::nullopt;
  KeyLocations locations = reader.locations();
  Strategy strategy(reader.allKeys(), std::move(reader.settings), std::move(rates.settings), std::move(locations));
  strategy.nsPerUpdatedByte = updates;
  strategy.chosen = {{optimizer.common.rules->header(), optimizer.common.file}};
  for (const std::optional<ChosenOptimizer> &ofGroup : optimizer.ofGroups) {
    strategy.chosenOfGroup.push_back(0);
    if (!ofGroup)
      continue;
    auto known = llvm::find_if(strategy.chosen, [&](const auto &each) { return each.header.name == ofGroup->name; });
    strategy.chosenOfGroup.back() = known - strategy.chosen.begin();
    if (known == strategy.chosen.end())
      strategy.chosen.push_back({ofGroup->rules->header(), ofGroup->file});
    else if (known->file != ofGroup->file) { // moments are known by the optimizer's name
      errors << tool << ": error: '" << ofGroup->key << "' and another 'kind' name different optimizers '"
             << ofGroup->name << "'; give one of them another name\n";
      return std::nullopt;
    }
  }
  return strategy;
}

void Strategy::chooseOptimizer() {
  for (const plc::module::OptimizerHeader &header : plc::language::standardOptimizers())
    if (header.name == get(keys::optimizerKind))
      chosen.front() = {header, ""};
}

bool Strategy::useRates(StringRef text) {
  std::string unsaid;
  llvm::raw_string_ostream errors(unsaid);
  KeyReader rates("", errors, rateKeys());
  rates.readText(llvm::MemoryBuffer::getMemBufferCopy(text));
  if (rates.failed || !llvm::all_of(rateKeys(), [&](const Key &key) { return rates.isGiven(key.path); }))
    return false;
  ratesOfFile = std::move(rates.settings);
  return true;
}

plc::PerRate Strategy::rates() const {
  // With `native` plans must not depend on the compiling machine, so AVX-512 is assumed.
  const InstructionSetRow &isa = rowOf(get(keys::machineIsa));
  auto shippedOf = [&](const RateRow &row) {
    return isa.matrix && !isa.asHost ? row.amx : isa.wide ? row.avx512 : row.avx2;
  };
  PerRate rates;
  for (auto [index, row] : llvm::enumerate(Choice<Rate>::rows())) {
    const Setting &given = ratesOfFile.find(row.name)->second;
    rates[Rate(index)] = given.isGiven() ? std::get<double>(given.value) : shippedOf(row);
  }
  if (nsPerUpdatedByte)
    rates[Rate::updatedByte] = *nsPerUpdatedByte;
  return rates;
}

std::string Strategy::ratesText() const {
  PerRate rates = this->rates();
  std::string text;
  for (auto [index, row] : llvm::enumerate(Choice<Rate>::rows()))
    if (double ns = rates[Rate(index)]; ns != row.avx512)
      text += (text.empty() ? "" : " ") + std::string(row.name) + "=" + print(ns);
  return text;
}

void Strategy::explain(llvm::raw_ostream &os) const {
  for (const Key &key : known) {
    const Setting &setting = settings.find(key.path)->second;
    bool absent = !setting.isGiven() && isNone(key);
    os << llvm::left_justify(key.path, 30) << " = "
       << llvm::left_justify(absent ? "(none)" : print(key, setting.value), 12) << "  # "
       << (setting.isGiven() ? setting.origin : "default") << "\n";
  }
}

/// The optimizer that a key names; null for other keys.
const NamedOptimizer *Strategy::namedBy(StringRef path) const {
  if (path == keys::optimizerKind.path)
    return &chosen.front();
  for (size_t group = 0; group < chosenOfGroup.size(); ++group)
    if (path == plc::module::groupKey(group, plc::module::kindName))
      return &chosen[chosenOfGroup[group]];
  return nullptr;
}

/// A value in the format of a strategy file.
std::string Strategy::textOf(const Key &key, const Setting &setting) const {
  if (key.type == Key::Type::Bytes)
    return "\"" + std::to_string(std::get<int64_t>(setting.value)) + "B\"";
  if (const NamedOptimizer *named = namedBy(key.path); named && !named->file.empty()) {
    llvm::SmallString<128> path(named->file); // the file may be moved
    llvm::sys::fs::make_absolute(path);
    return print(Value("use " + path.str().str() + ":" + named->header.name));
  }
  if (!llvm::is_contained({keys::machineRates.path, keys::machineProfile.path}, StringRef(key.path)))
    return print(key, setting.value);
  llvm::SmallString<128> path(std::get<std::string>(setting.value)); // the file may be moved
  llvm::sys::fs::make_absolute(path);
  return print(Value(path.str().str()));
}

void Strategy::write(llvm::raw_ostream &os) const {
  // A preset is written as its values. A rank map is written only if the user gave it; otherwise its source is written.
  auto isWritten = [&](const Key &key) {
    StringRef path = key.path;
    return isGiven(path) && isApplicable(settings, key) && (path != keys::parallelismPlace.path || isOwn(path));
  };
  StringRef table;
  for (const Key &key : known) {
    if (!isWritten(key))
      continue;
    auto [first, rest] = StringRef(key.path).split('.');
    bool isOfGroup = StringRef(key.path).starts_with((Twine(groupsPath) + ".").str());
    if (isOfGroup) // the table has the group's number, its header has none
      std::tie(first, rest) = StringRef(key.path).rsplit('.');
    if (!rest.empty() && first != table) {
      table = first;
      os << "\n" << (isOfGroup ? ("[[" + Twine(groupsPath) + "]]").str() : ("[" + first + "]").str()) << "\n";
    }
    os << (rest.empty() ? first : rest) << " = " << textOf(key, settings.find(key.path)->second) << "\n";
  }
}
