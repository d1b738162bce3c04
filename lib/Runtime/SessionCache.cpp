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
std::unique_ptr<Module> openChecked(const std::string &file) {
  auto module = std::make_unique<Module>(file);
  const Manifest &manifest = module->manifest();
  checkAvailable(file, "parameters", parameterBytes(manifest.parameters, /*numMoments=*/0));
  return module;
}
} // namespace

SessionCache::SessionCache(const std::string &file, const ModuleOptions &options)
    : file(file), module(openChecked(file)), contents(module->manifest()), options(options),
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
      std::unique_ptr<Session> made = make(index);
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
    // A stopped session does not start again: the next run makes another.
    if (ahead == &session)
      ahead = nullptr;
    discard(entry);
    throw;
  }
  if (step > 0)
    ahead = &session;
  return session;
}

Session &SessionCache::ready(size_t index) {
  Loaded &entry = loaded[index];
  if (ahead && ahead == entry.session.get())
    return *ahead;
  const HostParameters &present = parameters();
  if (!entry.session) {
    entry.allocatedBefore = allocatedBytes();
    int64_t bytes = 0;
    for (const RankInfo &rank : contents.entries[index].ranks) {
      bytes += rank.arenaBytes;
      for (const StaticInfo &place : rank.statics)
        if (place.kind == StaticKind::Moment1 || place.kind == StaticKind::Moment2)
          bytes += place.bytes; // of the process's own copy
    }
    checkAvailable(file, "arenas of entry '" + contents.entries[index].name + "'", bytes);
    entry.session = make(index);
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

std::unique_ptr<Session> SessionCache::make(size_t index) const {
  const EntryPlan &plan = contents.entries[index];
  auto transport = options.transport ? options.transport(plan) : defaultTransport().make(plan);
  return std::make_unique<Session>(
      contents, plan, WorkerOptions{threads, static_cast<int64_t>(shortWaitNs(contents.rates)), options.shareKernels},
      options.hangTimeout, std::move(transport));
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
