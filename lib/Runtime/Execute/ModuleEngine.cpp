// Engine over a compiled module: entries, steps, reports.
#include "plc/Runtime/Execute/ModuleEngine.h"

#include "SessionCache.h"
#include "plc/Runtime/Execute/Measurements.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

namespace {

/// The first of the values that the processes found, the same in each. Collective. Fields travel as one text, separated
/// by NUL, which no text of an error has.
std::optional<NonFiniteValue> firstOfAll(std::optional<NonFiniteValue> found, ProcessGroup &world) {
  std::string text;
  // Times by the first process's clock, so that they compare.
  int64_t ahead = world.clockAhead();
  if (found) {
    const Error &error = found->error;
    for (const std::string &part : {std::to_string(found->isGiven), std::to_string(found->microBatch),
                                    std::to_string(found->when - ahead), error.location, std::string(error.what())})
      text += part + '\0';
    for (const std::string &note : error.notes)
      text += note + '\0';
  }
  std::optional<NonFiniteValue> first;
  for (const std::string &told : world.collect(text)) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < told.size(); at += parts.back().size() + 1)
      parts.emplace_back(told.c_str() + at);
    // This process found none: its text is empty.
    if (parts.size() < 5)
      continue;
    NonFiniteValue value{parts[0] == "1", std::stoll(parts[1]), std::stoll(parts[2]),
                         Error(BadInput, parts[3], parts[4])};
    value.error.notes.assign(parts.begin() + 5, parts.end());
    // By time, so every process names the same value.
    if (!first || value.isBefore(*first))
      first = std::move(value);
  }
  return first;
}

/// A compiled module as the commands see it: its entries and their results. It owns no tensors: sessions and parameters
/// belong to the cache. `gradient` is an entry of this class alone. It runs the plan of `train` without the update.
class ModuleEngine : public Engine {
public:
  ModuleEngine(std::unique_ptr<Module> module, const ModuleOptions &options)
      : cache(std::move(module), options), manifest(cache.manifest()), world(cache.processes()),
        sharesKernels(options.shareKernels) {
    listEntries();
  }

  std::string modelName() const override { return manifest.model; }
  ElementType realType() const override { return manifest.real; }
  std::string numericsKey() const override { return manifest.numericsKey; }
  std::string planJson() const override { return manifest.planJson; }
  const std::vector<EntryInfo> &entries() const override { return infos; }
  const std::vector<ParameterInfo> &parameters() const override { return manifest.parameters; }
  const OptimizerSettings &optimizer() const override { return manifest.optimizer; }

  void keepParametersIn(const EntryInfo &entry) override { cache.keepIn(planOf(entry)); }
  void readParameter(size_t index, void *out) override { cache.readValue(index, out); }
  void writeParameter(size_t index, const void *data) override { cache.writeValue(index, data); }
  void readMoment(size_t index, int which, void *out) override { cache.readMoment(index, which, out); }
  void writeMoment(size_t index, int which, const void *data) override { cache.writeMoment(index, which, data); }
  void clearMoments(size_t index) override { cache.clearMoments(index); }
  void readAverage(size_t index, void *out) override { cache.readAverage(index, out); }
  void writeAverage(size_t index, const void *data) override { cache.writeAverage(index, data); }
  void useAverages(bool uses) override { cache.useAverages(uses); }

  StepResult trainStep(int64_t step, const std::vector<Bytes> &inputs) override {
    const EntryInfo &train = *findEntry("train");
    std::vector<Bytes> all;
    TrainingStep next{step, lossScale().value};
    Session &session = cache.run(planOf(train), next, withOwnInputs(planOf(train), next, inputs, all));
    // After the run: a step that threw has not made these parameters.
    setOrigin({step, origin().seed});
    StepResult result;
    if (size_t loss = train.findOutput(lossName); loss < train.outputs.size())
      setLosses(result, train.outputs[loss].type, session.tensors().gatherRows(loss));
    result.scalars = scalarsOf(train, [&](size_t index) { return session.tensors().gatherOutput(index); });
    session.setNorms(result);
    updateLossScale(result);
    return result;
  }

  std::optional<Error> findNonFinite(const std::vector<Bytes> &inputs) override {
    size_t train = planOf(*findEntry("train"));
    std::vector<Bytes> all;
    std::optional<NonFiniteValue> first =
        cache.findNonFinite(train, withOwnInputs(train, {origin().step}, inputs, all));
    if (world)
      first = firstOfAll(first, *world);
    return first ? std::optional(std::move(first->error)) : std::nullopt;
  }

  std::vector<Bytes> run(const EntryInfo &entry, const std::vector<Bytes> &inputs) override {
    std::vector<Bytes> all;
    Session &session = cache.run(planOf(entry), {}, withOwnInputs(planOf(entry), {stepOf(entry)}, inputs, all));
    return Results(manifest, session.plan()).gather(session);
  }

  bool leads() const override { return !world || world->leads(); }
  int64_t numProcesses() const override { return world ? world->count() : 1; }
  int64_t agree(int64_t value) override {
    if (!world)
      return value;
    std::vector<int64_t> values = world->gather(value);
    // The largest value, so that one process with a fault is heard by all.
    return *std::max_element(values.begin(), values.end());
  }
  void share(void *data, size_t bytes) override {
    if (world)
      world->broadcast(0, data, bytes);
  }
  void shareParameters() override {
    cache.share();
    // Broadcasts, which all processes make in this order.
    Origin ofLeader = origin();
    share(&ofLeader, sizeof(ofLeader));
    setOrigin(ofLeader);
    LossScale scaleOfLeader = lossScale();
    share(&scaleOfLeader, sizeof(scaleOfLeader));
    setLossScale(scaleOfLeader);
    shareSettings();
  }
  void gatherParameters() override { cache.gather(); }

  void restart(const EntryInfo &entry) override {
    if (const Session *session = cache.find(planOf(entry))) // a session that is made later starts with initial states
      session->tensors().restart();
  }

  std::optional<int64_t> statePositions(const EntryInfo &entry) const override {
    std::optional<int64_t> least;
    for (const RankInfo &rank : manifest.entries[planOf(entry)].ranks)
      for (const BufferInfo &buffer : rank.buffers)
        if (buffer.kind == BufferKind::State)
          // A state that is written whole has no last position.
          least = std::min(least.value_or(INT64_MAX), buffer.positions ? buffer.positions : INT64_MAX);
    return least;
  }

  std::vector<StateInfo> states(const EntryInfo &entry) const override {
    const EntryPlan &plan = manifest.entries[planOf(entry)];
    std::vector<StateInfo> found;
    for (const RankInfo &rank : plan.ranks)
      for (const BufferInfo &buffer : rank.buffers)
        if (buffer.kind == BufferKind::State)
          found.push_back({buffer.name, buffer.type, buffer.bytes, plan.microBatches});
    return found;
  }
  std::vector<Bytes> readStates(const EntryInfo &entry) override {
    return cache.ready(planOf(entry)).tensors().readStates();
  }
  void writeStates(const EntryInfo &entry, const std::vector<Bytes> &states) override {
    cache.ready(planOf(entry)).tensors().writeStates(states);
  }

  std::vector<RankMemory> memory(const EntryInfo &entry) override {
    // Before the first run nothing was measured.
    const Session *session = cache.hasRun(planOf(entry)) ? cache.find(planOf(entry)) : nullptr;
    return session ? memoryOf(manifest, *session, cache.threadsPerStage(planOf(entry)),
                              allocatedBytes() - cache.allocatedBefore(planOf(entry)))
                   : std::vector<RankMemory>();
  }

  module::ProcessMemory processMemory(const EntryInfo &entry) const override {
    return cache.processMemory(planOf(entry));
  }
  int64_t processesHere() const override { return world ? world->onTheseCpus() : 1; }

  std::vector<KernelProfile> profile() override {
    const EntryInfo *train = findEntry("train");
    const Session *session = train ? cache.find(planOf(*train)) : nullptr;
    return session ? profileOf(manifest, *session) : std::vector<KernelProfile>();
  }

  std::optional<RunTimes> lastRun(const EntryInfo &entry) override {
    const Session *session = cache.find(planOf(entry));
    return session ? timesOf(manifest, *session, cache.threadsPerStage(planOf(entry)), sharesKernels) : std::nullopt;
  }

  void writeTrace(const std::string &file) override {
    std::vector<TraceTrack> tracks;
    // Entries that have not run have no session.
    for (size_t i = 0; i < manifest.entries.size(); ++i)
      if (const Session *session = cache.find(i))
        session->addTracks(tracks);
    if (!world)
      return writeTraceFile(file, tracks);
    // One start for all processes, by the first one's clock. Each writes its events relative to that.
    int64_t ahead = world->clockAhead();
    std::optional<int64_t> first = firstEvent(tracks);
    // A process without events takes part with the latest possible start.
    std::vector<int64_t> firsts = world->gather(first ? *first - ahead : INT64_MAX);
    int64_t start = *std::min_element(firsts.begin(), firsts.end());
    std::vector<std::string> events = world->collect(traceEvents(tracks, first ? start + ahead : 0));
    if (world->leads())
      writeTraceFile(file, events);
  }

  int64_t flopsPerRun(const EntryInfo &entry) const override {
    return flopsOf(manifest, manifest.entries[planOf(entry)]);
  }

  int64_t numWorkers(const EntryInfo &entry) const override {
    return static_cast<int64_t>(manifest.entries[planOf(entry)].ranks.size()) * cache.threadsPerStage(planOf(entry));
  }

  int64_t smallestGather() const override {
    int64_t least = INT64_MAX;
    for (const KernelInfo &kernel : manifest.kernels)
      for (const GatherInfo &gather : kernel.gathers)
        least = std::min(least, gather.extent);
    return least;
  }

private:
  void changeOptimizer(const OptimizerSettings &settings) override { cache.setOptimizer(settings); }
  void shareSettings();
  void listEntries();
  const std::vector<Bytes> &withOwnInputs(size_t plan, const TrainingStep &step, const std::vector<Bytes> &inputs,
                                          std::vector<Bytes> &all) const;
  // The index of an entry's plan in the manifest; `gradient` runs the plan of `train`.
  size_t planOf(const EntryInfo &entry) const {
    const EntryInfo &planned = entry.isGradient() ? *findEntry("train") : entry;
    return static_cast<size_t>(&planned - infos.data());
  }

  SessionCache cache;
  const Manifest &manifest;
  ProcessGroup *const world; // nullptr: one process has all ranks
  const bool sharesKernels;
  std::vector<EntryInfo> infos; // those of the manifest, in order, and last `gradient`
};

/// Afterwards all processes have the leader's settings of the run, which it may have from a checkpoint. They travel as
/// one text, a line for each.
void ModuleEngine::shareSettings() {
  if (!world)
    return;
  std::string text;
  for (const auto &[key, value] : runSettings().given())
    text += key + "=" + value + "\n";
  auto size = static_cast<int64_t>(text.size());
  share(&size, sizeof(size));
  text.resize(static_cast<size_t>(size));
  share(text.data(), text.size());
  SettingTexts ofLeader;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    std::string line = text.substr(at, text.find('\n', at) - at);
    ofLeader[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  RunSettings settings = runSettings();
  settings.replace(ofLeader);
  setRun(settings);
}

/// Adds the inputs that the engine gives (`step()`, `loss_scale()`) to those of the caller. Without such inputs nothing
/// is copied; else `all` owns the result.
const std::vector<Bytes> &ModuleEngine::withOwnInputs(size_t plan, const TrainingStep &step,
                                                      const std::vector<Bytes> &inputs, std::vector<Bytes> &all) const {
  const std::vector<TensorInfo> &infos = manifest.entries[plan].inputs;
  // No input of the engine: the usual case.
  if (infos.size() == inputs.size())
    return inputs;
  all = inputs;
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].isGivenByEngine())
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), ownInput(infos[i].source, step));
  return all;
}

/// Lists the manifest's entries, and `gradient`: `train` without its update, with the gradients among its outputs.
/// Inputs that the engine gives are hidden from callers.
void ModuleEngine::listEntries() {
  for (const EntryPlan &plan : manifest.entries) {
    infos.push_back(plan);
    if (!plan.trains())
      infos.back().outputs = Results(manifest, plan).infos();
  }
  // Behind all others, so that `planOf` is the distance from the first entry.
  for (const EntryPlan &plan : manifest.entries)
    if (plan.trains()) {
      EntryInfo &gradient = infos.emplace_back(plan);
      gradient.name = module::gradientEntry;
      gradient.outputs = Results(manifest, plan).infos();
    }
  for (EntryInfo &info : infos)
    std::erase_if(info.inputs, [](const TensorInfo &input) { return input.isGivenByEngine(); });
}

} // namespace

RunSettings settingsOf(const Module &module, const ModuleOptions &options) {
  RunSettings settings(module.manifest().optimizer);
  settings.replace(options.settings);
  for (const std::string &key : options.keptSettings)
    settings.keep(key);
  settings.check();
  return settings;
}

std::unique_ptr<Engine> openModule(const std::string &file, const ModuleOptions &options) {
  return openModule(std::make_unique<Module>(file), options);
}

std::unique_ptr<Engine> openModule(std::unique_ptr<Module> module, const ModuleOptions &options) {
  const RunSettings settings = settingsOf(*module, options);
  module->setOptimizer(settings.settings()); // before processes compare what they run
  auto engine = std::make_unique<ModuleEngine>(std::move(module), options);
  engine->setRun(settings);
  return engine;
}

} // namespace plc::runtime
