#include "SessionCache.h"

#include "ArenaChecks.h"
#include "Measurements.h"
#include "Transports.h"
#include "plc/Runtime/MachineShare.h"

namespace plc::runtime {

namespace {
/// Of a trace; 48 bytes each.
constexpr size_t eventsPerRank = 1 << 16;

/// Too little memory would end the program without a word, as parameters and arenas are written when they are made.
std::unique_ptr<Module> checked(std::unique_ptr<Module> module) {
  const Manifest &manifest = module->manifest();
  checkAvailable(module->fileName(), "parameters", parameterBytes(manifest.parameters, /*numMoments=*/0));
  return module;
}

size_t mostRanks(const Manifest &manifest) {
  size_t most = 0;
  for (const EntryPlan &entry : manifest.entries)
    most = std::max(most, entry.ranks.size());
  return most;
}

/// The processes of this run, all of which have the same module.
MpiWorld *joinWorld(const Module &module) {
  MpiWorld &world = MpiWorld::join();
  const Manifest &manifest = module.manifest();
  world.compare(module.fileName(), "the numerics key", manifest.numericsKey);
  world.compare(module.fileName(), "the module's hash", module.hash());
  world.compare(module.fileName(), "'training.nonfinite'", nameOfChoice(manifest.optimizer.nonFinite));
  if (auto most = static_cast<int64_t>(mostRanks(manifest)); world.count() > most)
    throw usageError("found " + std::to_string(world.count()) + " processes, but the plan of '" + module.fileName() +
                     "' has " + std::to_string(most) + " rank" + (most == 1 ? "" : "s"));
  return &world;
}
} // namespace

SessionCache::SessionCache(std::unique_ptr<Module> opened, const ModuleOptions &options)
    : module(checked(std::move(opened))), file(module->fileName()), contents(module->manifest()), options(options),
      transport(options.transportKind.value_or(contents.transport)),
      world(transport == TransportKind::Mpi && !options.transport ? joinWorld(*module) : nullptr),
      threads(options.threadsPerStage.value_or(contents.threadsPerStage)), loaded(contents.entries.size()),
      host(contents) {}

SessionCache::~SessionCache() {
  for (Loaded &entry : loaded)
    discard(entry);
}

HostParameters &SessionCache::parameters() {
  if (Session *session = std::exchange(ahead, nullptr)) {
    host.gatherFrom(session->tensors());
    for (Loaded &entry : loaded)
      if (entry.session.get() == session)
        entry.version = host.version();
  }
  return host;
}

Session &SessionCache::run(size_t index, int64_t step, const std::vector<Bytes> &inputs) {
  Session &session = ready(index);
  Loaded &entry = loaded[index];
  try {
    Results results(contents, session.plan());
    auto another = [&] {
      const HostParameters &present = parameters();
      std::unique_ptr<Session> made = make(index, connect(index));
      present.scatterTo(made->tensors());
      return made;
    };
    if (options.checkLive && !entry.checkedLive)
      checkLive(contents, results, another, inputs);
    entry.checkedLive = true;
    if (options.checkArena)
      runPoisoned(session, results, step, inputs);
    else
      session.run(step, inputs);
  } catch (...) {
    discardAfterError(index);
    throw;
  }
  if (step > 0)
    ahead = &session;
  return session;
}

std::optional<NonFiniteValue> SessionCache::findNonFinite(size_t index, const std::vector<Bytes> &inputs) {
  try {
    return ready(index).findNonFinite(inputs);
  } catch (...) {
    discardAfterError(index);
    throw;
  }
}

/// A stopped session does not start again: the next run makes another.
void SessionCache::discardAfterError(size_t index) {
  if (ahead == loaded[index].session.get())
    ahead = nullptr;
  discard(loaded[index]);
}

Session &SessionCache::ready(size_t index) {
  Loaded &entry = loaded[index];
  if (ahead && ahead == entry.session.get())
    return *ahead;
  const HostParameters &present = parameters();
  if (!entry.session) {
    entry.allocatedBefore = allocatedBytes();
    std::unique_ptr<Transport> connected = connect(index);
    checkMemory(index, *connected);
    entry.session = make(index, std::move(connected));
    if (options.trace)
      entry.session->startTrace(eventsPerRank);
    if (options.timeTasks)
      entry.session->startTaskTimes();
    if (options.checkFinite)
      entry.session->startFiniteChecks();
  }
  if (entry.version != present.version())
    present.scatterTo(entry.session->tensors());
  entry.version = present.version();
  return *entry.session;
}

std::unique_ptr<Transport> SessionCache::connect(size_t index) const {
  const EntryPlan &plan = contents.entries[index];
  return options.transport ? options.transport(plan) : makeTransport(transport, plan);
}

/// For the local ranks, and this process's own copies.
void SessionCache::checkMemory(size_t index, const Transport &connected) const {
  const EntryPlan &plan = contents.entries[index];
  int64_t bytes = 0;
  for (size_t rank : connected.localRanks())
    bytes += plan.ranks[rank].arenaBytes;
  for (const RankInfo &rank : plan.ranks)
    for (const StaticInfo &place : rank.statics)
      if (place.kind == StaticKind::Moment1 || place.kind == StaticKind::Moment2)
        bytes += place.bytes;
  checkAvailable(file, "arenas of entry '" + plan.name + "'", bytes);
}

std::unique_ptr<Session> SessionCache::make(size_t index, std::unique_ptr<Transport> connected) const {
  WorkerOptions workers{.threadsPerRank = threads,
                        .spinNs = static_cast<int64_t>(shortWaitNs(contents.rates)),
                        .shareKernels = options.shareKernels};
  return std::make_unique<Session>(contents, contents.entries[index], workers, options.hangTimeout,
                                   std::move(connected));
}

/// A session that was abandoned, and the code that it runs, must stay.
void SessionCache::discard(Loaded &entry) {
  if (entry.session && entry.session->abandoned()) {
    [[maybe_unused]] const Session *session = entry.session.release();
    [[maybe_unused]] const Module *code = module.release();
  }
  entry = Loaded();
}

} // namespace plc::runtime
