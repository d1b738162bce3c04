//===- Strategy.cpp - reads and checks a strategy -------------------------===//
#include "KeyReader.h"

#include "plc/Planner/Remat/RematPolicies.h"
#include "plc/Planner/Schedule/ScheduleFile.h"
#include "plc/Planner/Schedule/Schedules.h"
#include "plc/Strategy/Choices.h"
#include "plc/Support/Diagnostics.h"
#include "plc/Support/InstructionSets.h"
#include "plc/Support/Optimizers.h"
#include "plc/Support/Profile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace plc::strategy;
using llvm::StringRef;
using llvm::Twine;

namespace {

template <typename T>
const T &get(const KeyReader &reader, const char *path) {
  return std::get<T>(reader.settings.find(path)->second.value);
}

template <typename Kind>
Kind getChoice(const KeyReader &reader, const char *path) {
  return *plc::parseChoice<Kind>(get<std::string>(reader, path));
}

/// Whether the key `whenKey` has a value that gives this key a meaning.
bool isApplicable(const std::map<std::string, Setting> &settings, const Key &key) {
  return !key.whenKey ||
         llvm::is_contained(key.whenValues, std::get<std::string>(settings.find(key.whenKey)->second.value));
}
bool isApplicable(const KeyReader &reader, const Key &key) { return isApplicable(reader.settings, key); }

bool isAutomatic(const KeyReader &reader) {
  return getChoice<ParallelismKind>(reader, "parallelism.kind") == ParallelismKind::automatic;
}

/// Applies the preset to keys that neither the file nor a set gives. Values of keys that have no meaning under other
/// values are left out.
void applyPreset(KeyReader &reader) {
  const std::string &name = get<std::string>(reader, "preset");
  for (const Preset &preset : allPresets())
    for (auto &[path, value] : preset.values) {
      const Key &key = *findKey(allKeys(), path);
      if (name != preset.name || reader.isGiven(path) || !isApplicable(reader, key))
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
  for (const Key &key : allKeys())
    if (reader.isGiven(key.path) && !isApplicable(reader, key))
      reader.errorAt(key.path, "'" + Twine(key.path) + "' belongs to '" + key.whenKey + " = \"" +
                                   llvm::join(key.whenValues, "\" or \"") + "\"' and would be ignored under \"" +
                                   get<std::string>(reader, key.whenKey) + "\"");
  if (getChoice<GradientKind>(reader, "gradient.kind") != GradientKind::none)
    return;
  for (const Key &key : allKeys()) {
    StringRef path = key.path;
    bool trains = path.starts_with("optimizer.") || path.starts_with("checkpoint.") || path.starts_with("gradient.");
    bool anyway = path == "gradient.kind" || path == "gradient.lanes"; // sums of results use accumulation groups, too
    if (trains && !anyway && reader.isGiven(path))
      reader.errorAt(path, "'" + path + "' belongs to training and would be ignored: 'gradient.kind' is \"none\"");
  }
}

/// Mode `eager` excludes fusion: each equation is a kernel.
void checkMode(KeyReader &reader) {
  if (getChoice<ExecutionMode>(reader, "mode") != ExecutionMode::eager)
    return;
  if (reader.isGiven("fusion") && get<bool>(reader, "fusion"))
    return reader.errorAt("fusion", "'fusion' is true but 'mode' is \"eager\", which runs each equation alone");
  if (get<bool>(reader, "fusion"))
    reader.settings["fusion"] = {false, "mode"};
}

/// A path in a strategy file is relative to the file's folder.
std::string pathOf(const KeyReader &reader, const char *key, StringRef file) {
  const std::string &path = get<std::string>(reader, key);
  if (llvm::sys::path::is_absolute(path) || !reader.isInFile(key))
    return path;
  llvm::SmallString<128> full(llvm::sys::path::parent_path(file));
  llvm::sys::path::append(full, path);
  return full.str().str();
}

/// Derives `parallelism.kind` from keys that imply it, and checks keys that need another kind.
void checkParallelism(KeyReader &reader) {
  int64_t stages = get<int64_t>(reader, "parallelism.stages");
  int64_t replicas = get<int64_t>(reader, "parallelism.replicas");
  Setting &setting = reader.settings["parallelism.kind"];
  auto set = [&](ParallelismKind kind, const char *key) { setting = {std::string(plc::nameOfChoice(kind)), key}; };
  bool given = reader.isGiven("parallelism.kind");
  if (stages > 1 && !given) // several stages imply a pipeline
    set(ParallelismKind::pipeline, "parallelism.stages");
  else if (replicas > 1 && !given && getChoice<ParallelismKind>(reader, "parallelism.kind") != ParallelismKind::data)
    set(ParallelismKind::data, "parallelism.replicas");
  else if (reader.isGiven("parallelism.shard") && !given)
    set(ParallelismKind::model, "parallelism.shard");
  ParallelismKind kind = getChoice<ParallelismKind>(reader, "parallelism.kind");
  auto refuse = [&](const char *key, int64_t value, ParallelismKind needed) {
    reader.errorAt("parallelism.kind", "'" + Twine(key) + "' is " + Twine(value) + " but 'parallelism.kind' is \"" +
                                           plc::nameOfChoice(kind) + "\"; write \"" + plc::nameOfChoice(needed) + "\"");
  };
  bool isPipeline = kind == ParallelismKind::pipeline || kind == ParallelismKind::automatic;
  if (stages > 1 && !isPipeline)
    refuse("parallelism.stages", stages, ParallelismKind::pipeline);
  else if (replicas > 1 && kind == ParallelismKind::none)
    refuse("parallelism.replicas", replicas, ParallelismKind::data);
  // A kind that is given asks for something to divide.
  constexpr std::pair<ParallelismKind, const char *> needs[] = {{ParallelismKind::pipeline, "parallelism.stages"},
                                                                {ParallelismKind::data, "parallelism.replicas"},
                                                                {ParallelismKind::model, "parallelism.shard"}};
  for (auto [needing, key] : needs)
    if (given && kind == needing && !reader.settings[key].isGiven())
      reader.errorAt("parallelism.kind",
                     "'parallelism.kind' is \"" + Twine(plc::nameOfChoice(kind)) + "\" but '" + key + "' is not given");
  for (const char *path : {"parallelism.balance", "parallelism.place"}) {
    auto &list = get<std::vector<int64_t>>(reader, path);
    if (list.empty() || int64_t(list.size()) == stages)
      continue;
    std::string is = "is " + std::to_string(stages);
    if (kind == ParallelismKind::automatic && !reader.isGiven("parallelism.stages"))
      is = "is not given";
    reader.errorAt(path, "'" + Twine(path) + "' has " + Twine(list.size()) + " entries but 'parallelism.stages' " + is);
  }
}

/// Each accumulation group has equally many micro-batches. If their number is open, the search keeps to that.
void checkLanes(KeyReader &reader) {
  int64_t lanes = get<int64_t>(reader, "gradient.lanes");
  int64_t microBatches = get<int64_t>(reader, "parallelism.micro_batches");
  bool isFree = isAutomatic(reader) && !reader.isGiven("parallelism.micro_batches");
  if (!isFree && microBatches % lanes)
    reader.errorAt("gradient.lanes", "'gradient.lanes' is " + Twine(lanes) + " but 'parallelism.micro_batches' is " +
                                         Twine(microBatches) + ", which it must divide");
}

/// Each replica has equally many lanes.
void checkReplicas(KeyReader &reader) {
  int64_t lanes = get<int64_t>(reader, "gradient.lanes"), replicas = get<int64_t>(reader, "parallelism.replicas");
  if (lanes % replicas)
    reader.errorAt("parallelism.replicas", "'parallelism.replicas' is " + Twine(replicas) +
                                               " but 'gradient.lanes' is " + Twine(lanes) + ", which it must divide");
  if (replicas == 1)
    return;
  if (reader.isGiven("parallelism.schedule.file"))
    reader.errorAt("parallelism.replicas", "'parallelism.replicas' is " + Twine(replicas) +
                                               " but 'parallelism.schedule.file' orders one pipeline");
}

/// All sharded sizes have equally many shards, and each rank of a stage has equally many of them. If `kind` says
/// "none", one rank has all.
void checkShard(KeyReader &reader) {
  auto kind = getChoice<ParallelismKind>(reader, "parallelism.kind");
  const Counts &shard = get<Counts>(reader, "parallelism.shard");
  int64_t ranks = get<int64_t>(reader, "parallelism.shard_ranks");
  std::string saysRanks = "'parallelism.shard_ranks' is " + std::to_string(ranks);
  if (shard.empty()) {
    if (ranks)
      reader.errorAt("parallelism.shard_ranks", saysRanks + " but 'parallelism.shard' is not given");
    return;
  }
  for (const auto &[name, parts] : shard)
    if (parts != shard.begin()->second)
      return reader.errorAt("parallelism.shard", "'parallelism.shard' divides '" + shard.begin()->first + "' in " +
                                                     Twine(shard.begin()->second) + " parts but '" + name + "' in " +
                                                     Twine(parts) + "; all need as many");
  int64_t parts = shard.begin()->second;
  if (ranks && parts % ranks)
    reader.errorAt("parallelism.shard_ranks",
                   saysRanks + " but 'parallelism.shard' makes " + Twine(parts) + " parts, which it must divide");
  if (ranks > 1 && kind == ParallelismKind::none)
    reader.errorAt("parallelism.shard_ranks", saysRanks + " but 'parallelism.kind' is \"none\"; write \"model\"");
}

/// Refuses keys that `automatic` would ignore, because the search chooses their values.
void checkAutomatic(KeyReader &reader) {
  if (!isAutomatic(reader))
    return;
  for (const char *path : {"parallelism.place", "parallelism.schedule.file", "parallelism.plan"})
    if (reader.isGiven(path))
      reader.errorAt(path, "'" + Twine(path) +
                               "' would be ignored: the joint plan ('parallelism.kind = \"automatic\"' or " +
                               "--recommend) chooses that; leave it out, or write \"pipeline\"");
}

/// Checks the form of a given plan; its content is checked with the model.
void checkPlan(KeyReader &reader) {
  if (reader.isGiven("parallelism.plan") &&
      !StringRef(get<std::string>(reader, "parallelism.plan")).starts_with("plan.spec"))
    reader.errorAt("parallelism.plan", "'parallelism.plan' needs the text of a 'plan.spec', as --recommend writes it");
}

/// Sets the rank map that the schedule and `chunks` imply.
void placeChunks(KeyReader &reader) {
  const auto &family = plc::rowOf(getChoice<plc::planner::ScheduleKind>(reader, "parallelism.schedule"));
  if (isAutomatic(reader) && !reader.isGiven("parallelism.stages"))
    return; // there are no stages yet
  int64_t stages = get<int64_t>(reader, "parallelism.stages"), chunks = get<int64_t>(reader, "parallelism.chunks");
  bool byHand = reader.isGiven("parallelism.place"), given = reader.isGiven("parallelism.chunks");
  if (byHand && (given || family.placement != plc::planner::Placement::any))
    return reader.errorAt("parallelism.place", "'parallelism.place' would be ignored: " +
                                                   Twine(given ? "'parallelism.chunks'" : "schedule \"") +
                                                   (given ? "" : family.name + std::string("\"")) + " places stages");
  if (given && stages % chunks)
    return reader.errorAt("parallelism.chunks", "'parallelism.chunks' is " + Twine(chunks) +
                                                    " but 'parallelism.stages' is " + Twine(stages) +
                                                    ", which it must divide");
  if (given && family.placement == plc::planner::Placement::vee && chunks != family.chunks)
    return reader.errorAt("parallelism.chunks", "'parallelism.chunks' is " + Twine(chunks) + " but schedule \"" +
                                                    family.name + "\" has " + Twine(family.chunks) +
                                                    " stages on each rank");
  if (!given)
    chunks = family.chunks;
  if (chunks > 1 && stages > 1)
    reader.settings["parallelism.place"] = {plc::planner::placeStages(family.placement, stages, chunks),
                                            given ? "parallelism.chunks" : "parallelism.schedule"};
}

/// Sets a key to the value that a schedule's file implies; the strategy must not give another one.
template <typename T>
void implyByFile(KeyReader &reader, const char *key, const T &value, const std::string &file) {
  if (reader.isGiven(key) && get<T>(reader, key) != value)
    return reader.errorAt(key, "'" + Twine(key) + "' is " + print(get<T>(reader, key)) + " but schedule '" + file +
                                   "' has " + print(value));
  reader.settings[key] = {value, "parallelism.schedule.file"};
}

/// Reads the schedule's file, which sets stages, ranks and micro-batches.
void readScheduleFile(KeyReader &reader, StringRef strategyFile, llvm::raw_ostream &errors) {
  Setting &schedule = reader.settings["parallelism.schedule"];
  auto kind = getChoice<plc::planner::ScheduleKind>(reader, "parallelism.schedule");
  bool isFile = plc::rowOf(kind).follows == plc::planner::OrderSource::text;
  if (!reader.isGiven("parallelism.schedule.file")) {
    if (isFile)
      reader.errorAt("parallelism.schedule",
                     "'parallelism.schedule' is \"file\" but 'parallelism.schedule.file' is not given");
    return;
  }
  if (!isFile && reader.isGiven("parallelism.schedule"))
    return reader.errorAt("parallelism.schedule.file",
                          "'parallelism.schedule.file' belongs to schedule \"file\" and would be ignored under \"" +
                              get<std::string>(reader, "parallelism.schedule") + "\"");
  if (reader.isGiven("parallelism.chunks"))
    return reader.errorAt("parallelism.chunks",
                          "'parallelism.chunks' would be ignored: 'parallelism.schedule.file' places stages");
  schedule = {std::string(plc::nameOfChoice(plc::planner::ScheduleKind::file)), "parallelism.schedule.file"};
  std::string path = pathOf(reader, "parallelism.schedule.file", strategyFile);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return reader.errorAt("parallelism.schedule.file",
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
  reader.settings["parallelism.schedule.file"].value = path;
  implyByFile<int64_t>(reader, "parallelism.stages", table.place().size(), path);
  // A step runs the micro-batches of all batches that it accumulates.
  int64_t batches = get<int64_t>(reader, "gradient.accumulation_steps");
  if (table.microBatches() % batches)
    return reader.errorAt("gradient.accumulation_steps",
                          "'gradient.accumulation_steps' is " + Twine(batches) + " but schedule '" + path + "' has " +
                              Twine(table.microBatches()) + " micro-batches, which it must divide");
  implyByFile<int64_t>(reader, "parallelism.micro_batches", table.microBatches() / batches, path);
  implyByFile(reader, "parallelism.place", table.place(), path);
}

/// Checks the keys of recomputation against each other.
void checkCheckpoints(KeyReader &reader) {
  if (!get<bool>(reader, "checkpoint.attention") && !get<bool>(reader, "checkpoint.ffn"))
    reader.errorAt("checkpoint.ffn",
                   "'checkpoint.attention' and 'checkpoint.ffn' are both false, so nothing is left to "
                   "recompute; write 'checkpoint.policy = \"none\"'");
  std::vector<int64_t> layers = get<std::vector<int64_t>>(reader, "checkpoint.layers");
  auto policy = getChoice<plc::planner::RematPolicy>(reader, "checkpoint.policy");
  if (plc::rowOf(policy).obeys(plc::planner::Layers) && layers.empty())
    reader.errorAt("checkpoint.policy", "'checkpoint.policy' is \"" + Twine(plc::nameOfChoice(policy)) +
                                            "\" but 'checkpoint.layers' is not given");
  if (plc::rowOf(policy).obeys(plc::planner::ByteBudget) && !reader.isGiven("memory.budget"))
    reader.errorAt("checkpoint.policy", "'checkpoint.policy' is \"" + Twine(plc::nameOfChoice(policy)) +
                                            "\" but 'memory.budget' is not given");
  llvm::sort(layers);
  int64_t least = get<int64_t>(reader, "checkpoint.min_interval");
  for (size_t i = 1; i < layers.size(); ++i)
    if (layers[i] == layers[i - 1])
      reader.errorAt("checkpoint.layers", "'checkpoint.layers' has " + Twine(layers[i]) + " twice");
    else if (layers[i] - layers[i - 1] < least)
      reader.errorAt("checkpoint.layers", "'checkpoint.layers' has " + Twine(layers[i - 1]) + " and " +
                                              Twine(layers[i]) + " but 'checkpoint.min_interval' is " + Twine(least));
}

void checkOptimizer(KeyReader &reader) {
  for (const char *factor : {"optimizer.beta1", "optimizer.beta2", "optimizer.momentum"})
    if (double value = get<double>(reader, factor); !(value < 1))
      reader.errorAt(factor, "'" + Twine(factor) + "' is " + print(value) + " but must be less than 1");
  const plc::RateScheduleRow &schedule = plc::rowOf(getChoice<plc::RateSchedule>(reader, "optimizer.schedule.kind"));
  int64_t warmup = get<int64_t>(reader, "optimizer.schedule.warmup");
  int64_t total = get<int64_t>(reader, "optimizer.schedule.total");
  if (schedule.ends && !total)
    reader.errorAt("optimizer.schedule.kind", "'optimizer.schedule.kind' is \"" + Twine(schedule.name) +
                                                  "\" but 'optimizer.schedule.total' is not given");
  else if (schedule.ends && total <= warmup)
    reader.errorAt("optimizer.schedule.total", "'optimizer.schedule.total' is " + Twine(total) +
                                                   " but must be more than 'optimizer.schedule.warmup', " +
                                                   Twine(warmup));
}

/// Whether a key's default stands for none, being no value that could be given.
bool isNone(const Key &key) {
  if (key.type == Key::Type::Integers || key.type == Key::Type::Counts)
    return true;
  if (key.type == Key::Type::Text)
    return std::get<std::string>(key.initial).empty();
  if (key.type == Key::Type::Number)
    return !key.word && key.exclusive && std::get<double>(key.initial) <= key.least;
  return (key.type == Key::Type::Integer || key.type == Key::Type::Bytes) && std::get<int64_t>(key.initial) < key.least;
}

} // namespace

std::optional<Strategy> Strategy::load(StringRef tool, StringRef file, llvm::ArrayRef<std::string> sets,
                                       llvm::raw_ostream &errors) {
  KeyReader reader(tool, errors, allKeys());
  if (!file.empty())
    reader.readFile("strategy", file);
  for (const std::string &set : sets)
    reader.readSet(set);
  if (!reader.failed)
    readScheduleFile(reader, file, errors);
  if (!reader.failed)
    // The order matters: later checks read what earlier ones have derived.
    for (auto check : {applyPreset, checkMode, checkParallelism, checkLanes, checkReplicas, checkShard, checkAutomatic,
                       checkPlan, placeChunks, checkMeaning, checkCheckpoints, checkOptimizer})
      check(reader);
  KeyReader rates(tool, errors, rateKeys());
  if (reader.isGiven("machine.rates") && !reader.failed) {
    std::string path = pathOf(reader, "machine.rates", file);
    if (std::error_code error = llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Exist))
      reader.errorAt("machine.rates", "cannot read rates '" + path + "': " + error.message());
    else
      rates.readFile("rates", path);
    reader.settings["machine.rates"].value = path;
  }
  std::optional<double> updates;
  if (reader.isGiven("machine.profile") && !reader.failed) {
    std::string path = pathOf(reader, "machine.profile", file), why;
    if (std::optional<Profile> profile = Profile::read(path, why))
      updates = profile->nsPerUpdatedByte();
    else
      reader.errorAt("machine.profile", why);
    reader.settings["machine.profile"].value = path;
  }
  if (reader.failed || rates.failed)
    return std::nullopt;
  KeyPlaces places = reader.places();
  Strategy strategy(std::move(reader.settings), std::move(rates.settings), std::move(places));
  strategy.nsPerUpdatedByte = updates;
  return strategy;
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
  const InstructionSetRow &isa = rowOf(getChoice<InstructionSet>("machine.isa"));
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
  for (const Key &key : allKeys()) {
    const Setting &setting = settings.find(key.path)->second;
    bool absent = !setting.isGiven() && isNone(key);
    os << llvm::left_justify(key.path, 30) << " = "
       << llvm::left_justify(absent ? "(none)" : print(key, setting.value), 12) << "  # "
       << (setting.isGiven() ? setting.origin : "default") << "\n";
  }
}

/// A value in the format of a strategy file.
static std::string valueOf(const Key &key, const Setting &setting) {
  if (key.type == Key::Type::Bytes)
    return "\"" + std::to_string(std::get<int64_t>(setting.value)) + "B\"";
  if (!llvm::is_contained({"machine.rates", "machine.profile"}, StringRef(key.path)))
    return print(key, setting.value);
  llvm::SmallString<128> path(std::get<std::string>(setting.value)); // the file may be moved
  llvm::sys::fs::make_absolute(path);
  return print(Value(path.str().str()));
}

void Strategy::write(llvm::raw_ostream &os) const {
  // A preset is written as its values. A rank map is written only if the user gave it; otherwise its source is written.
  auto isWritten = [&](const Key &key) {
    StringRef path = key.path;
    return isGiven(path) && isApplicable(settings, key) && (path != "parallelism.place" || isOwn(path));
  };
  StringRef table;
  for (const Key &key : allKeys()) {
    if (!isWritten(key))
      continue;
    auto [first, rest] = StringRef(key.path).split('.');
    if (!rest.empty() && first != table)
      os << "\n[" << (table = first) << "]\n";
    os << (rest.empty() ? first : rest) << " = " << valueOf(key, settings.find(key.path)->second) << "\n";
  }
}
