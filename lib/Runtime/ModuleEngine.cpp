#include "plc/Runtime/ModuleEngine.h"

#include "ArenaChecks.h"
#include "Module.h"
#include "plc/Runtime/MachineShare.h"

#include <algorithm>
#include <cstring>
#include <malloc.h>
#include <tuple>

namespace plc::runtime {

namespace {

/// Bytes that malloc has given out, all threads together.
int64_t allocatedBytes() {
  struct mallinfo2 info = ::mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

/// Per thread beside the arena: BLIS's packed blocks (skx: 384 x 3072 and 480 x 384 floats), kernel scratch, tables.
constexpr int64_t outsideBytesPerThread = int64_t(16) << 20;

constexpr StaticKind momentKinds[] = {StaticKind::Moment1, StaticKind::Moment2};

/// Of a trace; 48 bytes each.
constexpr size_t eventsPerRank = 1 << 16;

class ModuleEngine : public Engine {
public:
  ModuleEngine(const std::string &file, const ModuleOptions &options)
      : file(file), module(std::make_unique<Module>(file)), manifest(module->manifest()), options(options),
        threads(options.threadsPerStage.value_or(manifest.threadsPerStage)) {
    listEntries();
    sessions.resize(infos.size());
    checkAvailable(file, "parameters", parameterBytes(manifest.parameters, manifest.optimizer));
    for (const ParameterInfo &parameter : manifest.parameters) {
      size_t bytes = parameter.tensor().numBytes();
      size_t momentBytes = parameter.frozen ? 0 : bytes;
      host.push_back({Bytes(bytes), std::vector<Bytes>(numMoments(), Bytes(momentBytes))});
    }
  }

  ~ModuleEngine() override {
    for (Loaded &loaded : sessions)
      discard(loaded);
  }

  std::string modelName() const override { return manifest.model; }
  ElementType realType() const override { return manifest.real; }
  std::string numericsKey() const override { return manifest.numericsKey; }
  std::string planJson() const override { return manifest.planJson; }
  const std::vector<EntryInfo> &entries() const override { return infos; }
  const std::vector<ParameterInfo> &parameters() const override { return manifest.parameters; }
  const OptimizerSettings &optimizer() const override { return manifest.optimizer; }

  void readParameter(size_t index, void *out) override {
    pull();
    std::memcpy(out, host[index].value.data(), host[index].value.size());
  }
  void writeParameter(size_t index, const void *data) override {
    pull();
    std::memcpy(host[index].value.data(), data, host[index].value.size());
    ++version;
  }
  void readMoment(size_t index, int which, void *out) override {
    pull();
    Bytes &moment = host[index].moment(which);
    std::memcpy(out, moment.data(), moment.size());
  }
  void writeMoment(size_t index, int which, const void *data) override {
    pull();
    Bytes &moment = host[index].moment(which);
    std::memcpy(moment.data(), data, moment.size());
    ++version;
  }

  StepResult trainStep(int64_t step, const std::vector<Bytes> &inputs) override {
    size_t index = indexOf(*findEntry("train"));
    Session &session = ready(index);
    runSession(index, step, inputs);
    trainAhead = true;
    StepResult result;
    for (size_t i = 0; i < infos[index].outputs.size(); ++i)
      if (infos[index].outputs[i].name == "loss")
        result.microBatchLosses = session.outputPerMicroBatch(i);
    GradientNorm norm;
    for (auto &rank : session.ranks())
      for (auto &[path, sum] : rank->owned().squares())
        norm.add(path, sum);
    result.gradNorm = norm.norm();
    return result;
  }

  std::vector<Bytes> run(const EntryInfo &entry, const std::vector<Bytes> &inputs) override {
    size_t index = indexOf(entry.name == "gradient" ? *findEntry("train") : entry);
    runSession(index, 0, inputs);
    return Results(manifest, manifest.entries[index]).read(*sessions[index].session);
  }

  std::vector<RankMemory> memory() override;
  std::vector<KernelProfile> profile() override;
  void writeTrace(const std::string &file) override;
  int64_t flopsPerStep() const override;
  int64_t smallestGather() const override;
  int64_t numWorkers() const override {
    size_t ranks = 1;
    for (const EntryPlan &entry : manifest.entries)
      if (entry.name == "train")
        ranks = entry.ranks.size();
    return static_cast<int64_t>(ranks) * threads;
  }

private:
  struct HostParameter {
    Bytes value;
    std::vector<Bytes> moments; // of the trained: numMoments()
    Bytes &moment(int which) { return moments[static_cast<size_t>(which - 1)]; }
  };
  struct Loaded {
    std::unique_ptr<Session> session;
    uint64_t version = 0; // of the parameters it holds
    bool checkedLive = false;
  };

  size_t numMoments() const { return static_cast<size_t>(manifest.optimizer.numMoments()); }
  void listEntries();
  void runSession(size_t index, int64_t step, const std::vector<Bytes> &inputs);
  std::unique_ptr<Session> makeSession(size_t index);
  size_t indexOf(const EntryInfo &entry) const { return static_cast<size_t>(&entry - infos.data()); }
  Session &ready(size_t index);
  void discard(Loaded &loaded);
  void checkArenas(const EntryPlan &plan) const;
  void pull();
  void push(Session &session);

  std::string file;
  std::unique_ptr<Module> module;
  const Manifest &manifest;
  ModuleOptions options;
  int64_t threads;
  std::vector<EntryInfo> infos;    // the manifest's, and last `gradient`
  std::vector<Loaded> sessions;    // by entry, made when first used
  std::vector<HostParameter> host; // the truth, unless trainAhead
  uint64_t version = 1;            // of host
  bool trainAhead = false;         // the train session has stepped since host was current
  int64_t allocatedBefore = 0;     // the train session existed
};

/// The manifest's, and `gradient`: train without its update, whose outputs are all that it makes.
void ModuleEngine::listEntries() {
  for (const EntryPlan &plan : manifest.entries) {
    infos.push_back(plan);
    if (plan.name != "train")
      infos.back().outputs = Results(manifest, plan).infos();
  }
  for (const EntryPlan &plan : manifest.entries)
    if (plan.name == "train") {
      EntryInfo &gradient = infos.emplace_back(plan);
      gradient.name = "gradient";
      gradient.outputs = Results(manifest, plan).infos();
    }
}

/// Parameters are those of the last step, read or write if this fails: a stopped session does not start again, the next
/// run makes another.
void ModuleEngine::runSession(size_t index, int64_t step, const std::vector<Bytes> &inputs) {
  Session &session = ready(index);
  try {
    Results results(manifest, session.plan());
    if (options.checkLive && !sessions[index].checkedLive)
      checkLive(manifest, results, [&] { return makeSession(index); }, inputs);
    sessions[index].checkedLive = true;
    if (options.checkArena)
      runPoisoned(session, results, step, inputs);
    else
      session.run(step, inputs);
  } catch (...) {
    if (infos[index].name == "train")
      trainAhead = false;
    discard(sessions[index]);
    throw;
  }
}

/// With the present parameters.
std::unique_ptr<Session> ModuleEngine::makeSession(size_t index) {
  pull();
  auto session = std::make_unique<Session>(manifest, manifest.entries[index], threads, options.hangTimeout);
  push(*session);
  return session;
}

Session &ModuleEngine::ready(size_t index) {
  Loaded &loaded = sessions[index];
  bool train = infos[index].name == "train";
  if (train && trainAhead)
    return *loaded.session;
  pull();
  if (!loaded.session) {
    if (train)
      allocatedBefore = allocatedBytes();
    checkArenas(manifest.entries[index]);
    loaded.session = std::make_unique<Session>(manifest, manifest.entries[index], threads, options.hangTimeout);
    for (auto &rank : loaded.session->ranks()) {
      if (options.trace)
        rank->startTrace(eventsPerRank);
      if (options.checkFinite)
        rank->startFiniteChecks();
    }
  }
  if (loaded.version != version)
    push(*loaded.session);
  loaded.version = version;
  return *loaded.session;
}

/// Each arena is painted as a whole: too large a one would end the program without a word.
void ModuleEngine::checkArenas(const EntryPlan &plan) const {
  int64_t bytes = 0;
  for (const RankInfo &rank : plan.ranks)
    bytes += rank.arenaBytes;
  checkAvailable(file, "arenas of entry '" + plan.name + "'", bytes);
}

/// A session that was abandoned, and the code that it runs, must stay.
void ModuleEngine::discard(Loaded &loaded) {
  if (loaded.session && loaded.session->abandoned()) {
    (void)loaded.session.release();
    (void)module.release();
  }
  loaded = Loaded();
}

/// Makes host current.
void ModuleEngine::pull() {
  if (!trainAhead)
    return;
  trainAhead = false;
  Loaded &train = sessions[indexOf(*findEntry("train"))];
  for (size_t i = 0; i < host.size(); ++i)
    for (auto &rank : train.session->ranks()) {
      const std::string &path = manifest.parameters[i].path;
      const StaticInfo *place = nullptr;
      const std::byte *value = rank->find(StaticKind::Parameter, path, &place);
      if (!value || !place->owned)
        continue;
      std::memcpy(host[i].value.data(), value, host[i].value.size());
      for (size_t which = 0; which < numMoments(); ++which)
        if (const std::byte *from = rank->find(momentKinds[which], path); from && !manifest.parameters[i].frozen)
          std::memcpy(host[i].moments[which].data(), from, host[i].moments[which].size());
    }
  train.version = ++version;
}

/// Copies host into every place of a session.
void ModuleEngine::push(Session &session) {
  for (size_t i = 0; i < host.size(); ++i)
    for (auto &rank : session.ranks()) {
      const std::string &path = manifest.parameters[i].path;
      auto copy = [&](StaticKind kind, const Bytes &from) {
        if (std::byte *place = rank->find(kind, path); place && !from.empty())
          std::memcpy(place, from.data(), from.size());
      };
      copy(StaticKind::Parameter, host[i].value);
      for (size_t which = 0; which < numMoments(); ++which)
        copy(momentKinds[which], host[i].moments[which]);
    }
}

void ModuleEngine::writeTrace(const std::string &file) {
  std::vector<TraceTrack> tracks;
  for (size_t i = 0; i < manifest.entries.size(); ++i)
    if (sessions[i].session)
      for (auto &rank : sessions[i].session->ranks())
        tracks.push_back({infos[i].name, rank->stage(), rank->number(), rank->trace()});
  writeTraceFile(file, tracks);
}

std::vector<KernelProfile> ModuleEngine::profile() {
  const EntryInfo *train = findEntry("train");
  std::vector<KernelProfile> profiles;
  if (!manifest.profiling || !train || !sessions[indexOf(*train)].session)
    return profiles;
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    const KernelInfo &kernel = manifest.kernels[i];
    KernelProfile profile{kernel.name, kernel.where.empty() ? "" : kernel.where.front(), 0, 0, kernel.bytes};
    for (auto &rank : sessions[indexOf(*train)].session->ranks()) {
      profile.calls += rank->times()[i].calls;
      profile.nanoseconds += rank->times()[i].nanoseconds;
    }
    if (profile.calls)
      profiles.push_back(std::move(profile));
  }
  std::sort(profiles.begin(), profiles.end(),
            [](auto &a, auto &b) { return std::tie(b.nanoseconds, a.kernel) < std::tie(a.nanoseconds, b.kernel); });
  return profiles;
}

std::vector<RankMemory> ModuleEngine::memory() {
  const EntryInfo *train = findEntry("train");
  std::vector<RankMemory> figures;
  if (!train || !sessions[indexOf(*train)].session)
    return figures;
  auto &ranks = sessions[indexOf(*train)].session->ranks();
  // The heap is the process's: each rank is charged an equal share, beside the code, which all share.
  auto count = static_cast<int64_t>(ranks.size());
  int64_t heap = std::max<int64_t>(0, allocatedBytes() - allocatedBefore) / count;
  for (int64_t i = 0; i < count; ++i) {
    RankMemory &rank = figures.emplace_back();
    rank.rank = i;
    rank.plannedBytes = ranks[static_cast<size_t>(i)]->plannedBytes();
    rank.measuredBytes = ranks[static_cast<size_t>(i)]->measuredBytes();
    rank.outsideBound = manifest.codeBytes + threads * outsideBytesPerThread;
    rank.outsideMeasured = manifest.codeBytes + heap;
  }
  return figures;
}

int64_t ModuleEngine::smallestGather() const {
  int64_t least = INT64_MAX;
  for (const KernelInfo &kernel : manifest.kernels)
    for (const GatherInfo &gather : kernel.gathers)
      least = std::min(least, gather.extent);
  return least;
}

int64_t ModuleEngine::flopsPerStep() const {
  int64_t flops = 0;
  for (const EntryPlan &entry : manifest.entries) {
    if (entry.name != "train")
      continue;
    for (const RankInfo &rank : entry.ranks)
      for (const ActionInfo &action : rank.actions)
        if (action.op == ActionInfo::Op::Run)
          for (const CallInfo &call : rank.tasks[static_cast<size_t>(action.target)].calls)
            flops += manifest.kernels[static_cast<size_t>(entry.kernelOf(call, action.microBatch))].flops;
  }
  return flops;
}

} // namespace

std::unique_ptr<Engine> openModule(const std::string &file, const ModuleOptions &options) {
  return std::make_unique<ModuleEngine>(file, options);
}

} // namespace plc::runtime
