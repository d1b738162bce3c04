// Makes sessions, and moves parameters between them and the host.
#include "SessionCache.h"

#include "ArenaChecks.h"
#include "ChooseWorkers.h"
#include "plc/Runtime/Base/MachineShare.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Base/RunSettings.h"
#include "plc/Runtime/Execute/MakeTransport.h"
#include "plc/Runtime/Execute/Measurements.h"
#include "plc/Support/Counted.h"

#include <cstdio>

namespace plc::runtime {

namespace {
/// Newest events that a trace keeps of a rank. Of 56 bytes each, so 3.5 MiB. Not tuned: large enough for many steps of
/// a small plan, small beside an arena.
constexpr size_t eventsPerRank = 1 << 16;
/// Bytes of an MPI library with its state for two processes. Measured: 10 MiB of Open MPI, 11.6 of MPICH.
constexpr int64_t mpiBytes = int64_t(11) << 20;

/// Throws if the parameters exceed the memory that is available. Without this check the system would end the program
/// without a message, because parameters and arenas are written when they are made.
std::unique_ptr<Module> checked(std::unique_ptr<Module> module) {
  const Manifest &manifest = module->manifest();
  checkAvailable(module->fileName(), "parameters", parameterBytes(manifest.parameters, /*trained=*/nullptr));
  return module;
}

/// The ranks of the largest entry: more processes than that would have nothing to do.
size_t mostRanks(const Manifest &manifest) {
  size_t most = 0;
  for (const EntryPlan &entry : manifest.entries)
    most = std::max(most, entry.ranks.size());
  return most;
}

/// Joins the processes of this run, all of which must have the same module; null if the transport is within this
/// process.
ProcessGroup *joinProcesses(TransportKind transport, const Module &module) {
  ProcessGroup *joined = joinGroup(transport);
  if (!joined)
    return nullptr;
  ProcessGroup &world = *joined;
  const Manifest &manifest = module.manifest();
  // The numerics key first: it explains more than a hash does.
  world.compare(module.fileName(), "the numerics key", manifest.numericsKey);
  world.compare(module.fileName(), "the module's hash", module.hash());
  world.compare(module.fileName(), "'training.nonfinite'", nameOfChoice(manifest.optimizer.nonFinite));
  std::string settings;
  for (const auto &[key, value] : describeSettings(manifest.optimizer))
    settings += (settings.empty() ? "" : ", ") + key + " = " + value;
  world.compare(module.fileName(), "the optimizer's settings", settings);
  if (auto most = static_cast<int64_t>(mostRanks(manifest)); world.count() > most)
    throw usageError("found " + std::to_string(world.count()) + " processes, but the plan of '" + module.fileName() +
                     "' has " + counted(most, "rank"));
  return joined;
}
} // namespace

SessionCache::SessionCache(std::unique_ptr<Module> given, const ModuleOptions &options)
    : module(checked(std::move(given))), file(module->fileName()), opened(*module), contents(module->manifest()),
      options(options), transport(options.transportKind.value_or(contents.transport)),
      world(options.transport ? nullptr : joinProcesses(transport, *module)), threads(options.threadsPerStage),
      printsWorkers(options.printWorkers), chosen(contents.entries.size()), loaded(contents.entries.size()),
      host(contents) {
  // The caller's number first, then the module's, then the environment's. Without any, `threadsPerStage` chooses.
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
  // Arenas of this process hold parameters of its own ranks alone, so the host stays the home.
  if (world || options.transport)
    return;
  Session &session = ready(index);
  holder = &session;
  keeps = true;
}

/// Reads from the holder's arenas. False if the host has the tensor.
bool SessionCache::readHeld(ParameterTensor tensor, size_t index, void *out) {
  // Ranks of other processes answer only in a collective call, so everything comes to the host at once.
  if (holder && !holder->tensors().allLocal())
    toHost();
  return holder && holder->tensors().gather(tensor, contents.parameters[index], static_cast<std::byte *>(out));
}

/// Writes to the holder's arenas; null: as it begins. False if the host must have the tensor too.
bool SessionCache::writeHeld(ParameterTensor tensor, size_t index, const void *data) {
  // After training the next write makes the host the home again: writes are rare then, and any entry may run next.
  if (!keeps)
    toHost();
  ++version;
  if (!holder)
    return false;
  const ParameterInfo &parameter = contents.parameters[index];
  if (data)
    holder->tensors().scatter(tensor, parameter, static_cast<const std::byte *>(data));
  else
    holder->tensors().fill(tensor, parameter, host.initOf(index, tensor));
  holder->tensors().parametersChanged();
  // The holder may lack the tensor; the host must then keep it.
  return holder->tensors().holds(tensor, parameter);
}

void SessionCache::readValue(size_t index, void *out) {
  if (!readHeld({}, index, out))
    host.readValue(index, out);
}

void SessionCache::readMoment(size_t index, int which, void *out) {
  if (!readHeld(ParameterTensor::moment(which), index, out))
    host.readMoment(index, which, out);
}

void SessionCache::writeValue(size_t index, const void *data) {
  if (!writeHeld({}, index, data))
    host.writeValue(index, data);
  if (contents.optimizer.keepsAverages())
    writeHeld(ParameterTensor::average(), index, data);
}

void SessionCache::readAverage(size_t index, void *out) {
  if (readHeld(ParameterTensor::average(), index, out))
    return;
  if (host.hasAverage(index))
    host.readAverage(index, out);
  else
    readValue(index, out);
}

void SessionCache::writeAverage(size_t index, const void *data) {
  if (!writeHeld(ParameterTensor::average(), index, data))
    host.writeAverage(index, data);
}

void SessionCache::writeMoment(size_t index, int which, const void *data) {
  if (!writeHeld(ParameterTensor::moment(which), index, data))
    host.writeMoment(index, which, data);
}

void SessionCache::clearMoments(size_t index) {
  for (int which = 1; which <= host.numMoments(index); ++which)
    // Both: the host keeps moments that the holder does not have.
    writeHeld(ParameterTensor::moment(which), index, nullptr);
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

/// What the holder has of such a tensor: in place of an average that was not written yet, the value.
ParameterTensor SessionCache::sourceOf(ParameterTensor tensor, size_t index) const {
  bool isWritten = holder->tensors().holds(tensor, contents.parameters[index]) || host.hasAverage(index);
  return tensor.kind == BufferKind::Average && !isWritten ? ParameterTensor() : tensor;
}

/// Writes the present parameters to a session's arenas, one tensor at a time, so that no second copy of all exists.
void SessionCache::fill(const EntryTensors &tensors, bool averages) const {
  Bytes bytes;
  for (size_t i = 0; i < contents.parameters.size(); ++i) {
    const ParameterInfo &parameter = contents.parameters[i];
    bytes.resize(parameter.tensor().numBytes());
    std::vector<ParameterTensor> all{{}};
    for (int which = 1; which <= host.numMoments(i); ++which)
      all.push_back(ParameterTensor::moment(which));
    all.push_back(ParameterTensor::average());
    for (ParameterTensor tensor : all) {
      if (tensor.kind == BufferKind::Average && !tensors.holds(tensor, parameter))
        continue;
      const ParameterTensor from =
          averages && tensor.kind == BufferKind::Parameter ? ParameterTensor::average() : tensor;
      // The newest copy: the holder's if it has one, else the host's.
      if (holder && holder->tensors().gather(sourceOf(from, i), parameter, bytes.data()))
        tensors.scatter(tensor, parameter, bytes.data());
      else
        host.scatterTo(tensors, tensor, i, from);
    }
  }
  tensors.parametersChanged();
}

Session &SessionCache::run(size_t index, const TrainingStep &step, const std::vector<Bytes> &inputs) {
  Session &session = ready(index);
  Loaded &entry = loaded[index];
  if (!std::exchange(entry.hasRun, true)) // Parameters and data were allocated since the session was made.
    entry.allocatedBefore += allocatedBytes();
  try {
    Results results(contents, session.plan(), /*withNext=*/true);
    // checkLive needs a new session after each probe that stops one.
    auto another = [&] {
      std::unique_ptr<Session> made = make(index, connect(index));
      fill(made->tensors(), entry.hasAverages);
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
    // Arenas of a stopped run hold half of a step.
    discardAfterError(index);
    throw;
  }
  // Only these arenas have the new parameters: they become the holder's, and others are outdated.
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

/// Drops a session that failed: a stopped one cannot run again. If it was the holder, the host takes its parameters,
/// provided that they are whole: all in this process, no thread still running, no update begun.
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
  // Another session needs the parameters, which perhaps only all processes together have.
  gather();
  if (!entry.session) {
    int64_t before = allocatedBytes();
    std::unique_ptr<Transport> connected = connect(index);
    checkAvailable(file, "arenas of entry '" + contents.entries[index].name + "'", processMemory(index).arenas);
    entry.session = make(index, std::move(connected));
    entry.allocatedBefore = before - allocatedBytes(); // run() adds the bytes at the first run
    if (std::exchange(printsWorkers, false))
      printWorkers(index);
    if (options.trace)
      entry.session->startTrace(eventsPerRank);
    if (options.timeTasks)
      entry.session->startTaskTimes();
    if (options.checkFinite)
      entry.session->startFiniteChecks();
  }
  // Parameters were written or trained elsewhere since.
  const bool averages = usesAverages && !trains(index);
  if (entry.version != version || entry.hasAverages != averages)
    fill(entry.session->tensors(), averages);
  entry.version = version;
  entry.hasAverages = averages;
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

/// Prints a number of workers that no option or strategy gave, so that busy cores are explained.
void SessionCache::printWorkers(size_t index) const {
  // A number that was chosen is no surprise, and one worker is no busy core.
  int64_t workers = threadsPerStage(index);
  if (threads || workers == 1 || (world && !world->leads()))
    return;
  size_t ranks = contents.entries[index].ranks.size();
  std::fprintf(stderr, "%lld workers for %s; 'machine.threads_per_stage' = 1 uses one\n",
               static_cast<long long>(workers),
               ranks == 1 ? "1 rank" : ("each of " + std::to_string(ranks) + " ranks").c_str());
}

/// Each of several processes also has a copy of all parameters, and of moments and averages once they are saved or
/// resumed.
module::ProcessMemory SessionCache::processMemory(size_t index) const {
  module::ProcessMemory memory =
      module::processMemory(contents.entries[index], localRanks(index), threadsPerStage(index), contents.codeBytes);
  if (!world)
    return memory;
  memory.program += mpiBytes;
  memory.copies = parameterBytes(contents.parameters, trains(index) ? &contents.optimizer : nullptr);
  return memory;
}

std::unique_ptr<Session> SessionCache::make(size_t index, std::unique_ptr<Transport> connected) const {
  WorkerOptions workers{.threadsPerRank = threadsPerStage(index),
                        .spinNs = static_cast<int64_t>(shortWaitNs(contents.rates)),
                        .shareKernels = options.shareKernels};
  return std::make_unique<Session>(contents, contents.entries[index], workers, options.hangTimeout,
                                   std::move(connected));
}

/// Destroys a session, unless it was abandoned: then it and the code that it runs are leaked on purpose.
void SessionCache::discard(Loaded &entry) {
  if (entry.session && entry.session->abandoned()) {
    // A thread still runs in them; the operating system frees them with the process.
    [[maybe_unused]] const Session *session = entry.session.release();
    [[maybe_unused]] const Module *code = module.release();
  }
  entry = Loaded();
}

} // namespace plc::runtime
