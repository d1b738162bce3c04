#include "SessionCache.h"

#include "ArenaChecks.h"
#include "ChooseWorkers.h"
#include "plc/Runtime/Base/MachineShare.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Execute/MakeTransport.h"
#include "plc/Runtime/Execute/Measurements.h"

#include <cstdio>

namespace plc::runtime {

namespace {
/// Of a trace; 48 bytes each.
constexpr size_t eventsPerRank = 1 << 16;
/// Measured of Open MPI's and MPICH's libraries, with what they keep for two processes: 10 and 11.6 MiB.
constexpr int64_t mpiBytes = int64_t(11) << 20;

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

/// The processes of this run, all of which have the same module; null if the transport is this process's own.
ProcessGroup *joinProcesses(TransportKind transport, const Module &module) {
  ProcessGroup *joined = joinGroup(transport);
  if (!joined)
    return nullptr;
  ProcessGroup &world = *joined;
  const Manifest &manifest = module.manifest();
  world.compare(module.fileName(), "the numerics key", manifest.numericsKey);
  world.compare(module.fileName(), "the module's hash", module.hash());
  world.compare(module.fileName(), "'training.nonfinite'", nameOfChoice(manifest.optimizer.nonFinite));
  if (auto most = static_cast<int64_t>(mostRanks(manifest)); world.count() > most)
    throw usageError("found " + std::to_string(world.count()) + " processes, but the plan of '" + module.fileName() +
                     "' has " + std::to_string(most) + " rank" + (most == 1 ? "" : "s"));
  return joined;
}
} // namespace

SessionCache::SessionCache(std::unique_ptr<Module> opened, const ModuleOptions &options)
    : module(checked(std::move(opened))), file(module->fileName()), contents(module->manifest()), options(options),
      transport(options.transportKind.value_or(contents.transport)),
      world(options.transport ? nullptr : joinProcesses(transport, *module)), threads(options.threadsPerStage),
      printsWorkers(options.printWorkers), chosen(contents.entries.size()), loaded(contents.entries.size()),
      host(contents) {
  if (!threads && contents.threadsPerStage)
    threads = contents.threadsPerStage;
  if (!threads)
    threads = workersOfEnvironment();
}

SessionCache::~SessionCache() {
  for (Loaded &entry : loaded)
    discard(entry);
}

void SessionCache::keepIn(size_t index) {
  if (world || options.transport)
    return;
  Session &session = ready(index);
  holder = &session;
  keeps = true;
}

/// From the holder, as it lies there. False if the host has it.
bool SessionCache::readHeld(StaticKind kind, size_t index, void *out) {
  if (holder && !holder->tensors().allLocal())
    toHost();
  return holder && holder->tensors().gather(kind, contents.parameters[index], static_cast<std::byte *>(out));
}

/// To the holder; null: zeros. False if the host has to have it, too.
bool SessionCache::writeHeld(StaticKind kind, size_t index, const void *data) {
  if (!keeps)
    toHost();
  ++version;
  if (!holder)
    return false;
  const ParameterInfo &parameter = contents.parameters[index];
  if (data)
    holder->tensors().scatter(kind, parameter, static_cast<const std::byte *>(data));
  else
    holder->tensors().clear(kind, parameter);
  holder->tensors().parametersChanged();
  return holder->tensors().holds(kind, parameter);
}

void SessionCache::readValue(size_t index, void *out) {
  if (!readHeld(StaticKind::Parameter, index, out))
    host.readValue(index, out);
}

void SessionCache::readMoment(size_t index, int which, void *out) {
  if (!readHeld(momentKinds[which - 1], index, out))
    host.readMoment(index, which, out);
}

void SessionCache::writeValue(size_t index, const void *data) {
  if (!writeHeld(StaticKind::Parameter, index, data))
    host.writeValue(index, data);
}

void SessionCache::writeMoment(size_t index, int which, const void *data) {
  if (!writeHeld(momentKinds[which - 1], index, data))
    host.writeMoment(index, which, data);
}

void SessionCache::clearMoments(size_t index) {
  for (StaticKind kind : momentKinds)
    writeHeld(kind, index, nullptr);
  host.clearMoments(index);
}

void SessionCache::share() {
  if (!world)
    return;
  toHost();
  host.share(*world);
  ++version;
}

void SessionCache::gather() {
  if (holder && !holder->tensors().allLocal())
    toHost();
}

void SessionCache::toHost() {
  keeps = false;
  if (Session *session = std::exchange(holder, nullptr))
    host.gatherFrom(session->tensors());
}

/// The present parameters, a tensor at a time.
void SessionCache::fill(const EntryTensors &tensors) const {
  Bytes bytes;
  for (size_t i = 0; i < contents.parameters.size(); ++i) {
    const ParameterInfo &parameter = contents.parameters[i];
    bytes.resize(parameter.tensor().numBytes());
    for (StaticKind kind : {StaticKind::Parameter, StaticKind::Moment1, StaticKind::Moment2})
      if (holder && holder->tensors().gather(kind, parameter, bytes.data()))
        tensors.scatter(kind, parameter, bytes.data());
      else
        host.scatterTo(tensors, kind, i);
  }
  tensors.parametersChanged();
}

Session &SessionCache::run(size_t index, const TrainingStep &step, const std::vector<Bytes> &inputs) {
  Session &session = ready(index);
  Loaded &entry = loaded[index];
  if (!std::exchange(entry.hasRun, true)) // What was allocated between is parameters' and data's.
    entry.allocatedBefore += allocatedBytes();
  try {
    Results results(contents, session.plan());
    auto another = [&] {
      std::unique_ptr<Session> made = make(index, connect(index));
      fill(made->tensors());
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
  if (step.number > 0) {
    holder = &session;
    entry.version = ++version;
  }
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

/// A stopped session does not start again: the next run makes another. The host takes the parameters that it holds, if they are whole.
void SessionCache::discardAfterError(size_t index) {
  if (const Session *session = loaded[index].session.get(); session && session == holder) {
    if (session->tensors().allLocal() && !session->abandoned() && !session->hasUpdated())
      toHost();
    holder = nullptr;
    keeps = false;
    ++version;
  }
  discard(loaded[index]);
}

Session &SessionCache::ready(size_t index) {
  Loaded &entry = loaded[index];
  if (holder && holder == entry.session.get())
    return *holder;
  gather();
  if (!entry.session) {
    int64_t before = allocatedBytes();
    std::unique_ptr<Transport> connected = connect(index);
    checkAvailable(file, "arenas of entry '" + contents.entries[index].name + "'", processMemory(index).arenas);
    entry.session = make(index, std::move(connected));
    entry.allocatedBefore = before - allocatedBytes(); // plus what there is when it first runs
    if (std::exchange(printsWorkers, false))
      printWorkers(index);
    if (options.trace)
      entry.session->startTrace(eventsPerRank);
    if (options.timeTasks)
      entry.session->startTaskTimes();
    if (options.checkFinite)
      entry.session->startFiniteChecks();
  }
  if (entry.version != version)
    fill(entry.session->tensors());
  entry.version = version;
  return *entry.session;
}

std::unique_ptr<Transport> SessionCache::connect(size_t index) const {
  const EntryPlan &plan = contents.entries[index];
  return options.transport ? options.transport(plan) : makeTransport(transport, plan);
}

std::vector<size_t> SessionCache::localRanks(size_t index) const {
  const EntryPlan &plan = contents.entries[index];
  std::vector<size_t> ranks = module::allRanks(plan);
  if (world)
    std::erase_if(ranks, [&](size_t rank) {
      return ProcessGroup::processOf(rank, plan.ranks.size(), world->count()) != world->process();
    });
  return ranks;
}

int64_t SessionCache::threadsPerStage(size_t index) const {
  if (threads)
    return *threads;
  int64_t &workers = chosen[index];
  if (!workers)
    workers =
        chooseWorkers(contents, contents.entries[index],
                      usableCpus() / static_cast<double>(world ? world->onTheseCpus() : 1), localRanks(index).size());
  return workers;
}

/// What the strategy leaves open, so that nobody wonders which cores are busy.
void SessionCache::printWorkers(size_t index) const {
  int64_t workers = threadsPerStage(index);
  if (threads || workers == 1 || (world && !world->leads()))
    return;
  size_t ranks = contents.entries[index].ranks.size();
  std::fprintf(stderr, "%lld workers for %s; 'machine.threads_per_stage' = 1 uses one\n",
               static_cast<long long>(workers),
               ranks == 1 ? "1 rank" : ("each of " + std::to_string(ranks) + " ranks").c_str());
}

/// Several processes have a copy of all parameters each, and of moments once they are saved or resumed.
module::ProcessMemory SessionCache::processMemory(size_t index) const {
  module::ProcessMemory memory =
      module::processMemory(contents.entries[index], localRanks(index), threadsPerStage(index), contents.codeBytes);
  if (!world)
    return memory;
  memory.program += mpiBytes;
  memory.copies = parameterBytes(contents.parameters, trains(index) ? contents.optimizer.numMoments() : 0);
  return memory;
}

std::unique_ptr<Session> SessionCache::make(size_t index, std::unique_ptr<Transport> connected) const {
  WorkerOptions workers{.threadsPerRank = threadsPerStage(index),
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
