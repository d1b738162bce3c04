// Starts, runs, watches and stops the ranks of an entry.
#include "Session.h"

#include "plc/Runtime/Base/Backoff.h"

#include <algorithm>
#include <cstdio>
#include <system_error>

namespace plc::runtime {

Session::Session(const Manifest &manifest, const EntryPlan &entry, const WorkerOptions &options, double hangTimeout,
                 std::unique_ptr<Transport> transport)
    : entry(entry), hangTimeoutNs(static_cast<int64_t>(hangTimeout * 1e9)),
      shared(manifest, entry, options, std::move(transport)),
      entryTensors(entry, shared.stepParameters.groups(), *shared.transport, localRanks) {
  for (size_t rank : shared.transport->localRanks())
    localRanks.push_back(std::make_unique<Rank>(shared, rank, localRanks.size()));
  // States begin with their initial values; parameters are filled in by the cache.
  entryTensors.restart();
  try {
    for (size_t i = 0; i < shared.workers.count(); ++i)
      threads.emplace_back([this, i] { serve(i); });
  } catch (const std::system_error &error) {
    // Those that run already must be joined, or std::thread's destructor ends the program.
    size_t started = threads.size();
    leave();
    throw Error(BadInput, "",
                "thread " + std::to_string(started + 1) + " of " + std::to_string(shared.workers.count()) +
                    " cannot be started: " + error.code().message() +
                    "; a smaller 'machine.threads_per_stage' needs fewer, and 'ulimit' tells how many there may be");
  }
}

Session::~Session() { leave(); }

void Session::leave() {
  // First the flag, then the wake: a worker checks it before it sleeps again.
  leaving = true;
  shared.workers.wakeAll();
  for (std::thread &thread : threads)
    thread.join();
}

/// A worker's thread: the first of each rank executes its actions in each round; all help while they wait.
void Session::serve(size_t index) {
  Workers::Worker &worker = shared.workers.enter(index);
  for (uint64_t seen = 0;; ++seen) {
    // Helpers wait for a round that never comes, and help inside wait().
    bool executes = index % shared.workers.threadsPerRank() == 0;
    shared.workers.wait(worker, [&] { return leaving.load() || (executes && round.load() > seen); });
    if (leaving)
      return;
    execute(index / shared.workers.threadsPerRank(), worker);
  }
}

/// A rank's part of a round.
void Session::execute(size_t local, Workers::Worker &worker) {
  try {
    localRanks[local]->execute(worker, step, probe);
  } catch (...) {
    stopAll(std::current_exception());
  }
  // Also after an error: the run is over once all ranks have ended.
  localRanks[local]->end();
  std::lock_guard lock(mutex);
  if (--running == 0)
    changed.notify_all();
}

void Session::stopAll(std::exception_ptr error) {
  {
    std::lock_guard lock(mutex);
    // Later errors are consequences of the first.
    if (!firstError)
      firstError = std::move(error);
    changed.notify_all();
  }
  // Flag first, then wake: each sleeper checks the flag before it sleeps again.
  shared.stop = true;
  shared.transport->abort();
  shared.workers.wakeAll();
}

void Session::run(const TrainingStep &newStep, const std::vector<Bytes> &inputs, const Probe &newProbe) {
  // No rank may post before all have left the step before.
  shared.transport->barrier(newStep.number > 0);
  entryTensors.scatterInputs(inputs);
  std::unique_lock lock(mutex);
  step = newStep;
  probe = newProbe;
  running = localRanks.size();
  for (auto &rank : localRanks)
    rank->begin();
  // Everything that ranks read is set by now.
  round.fetch_add(1);
  shared.workers.wakeAll();
  watch(lock);
  if (firstError)
    std::rethrow_exception(firstError);
}

/// Returns when all ranks have ended, or two seconds after an error: a kernel that runs cannot be interrupted, and the
/// caller must not hang with it. Two seconds are the bound that docs/runtime.md promises.
void Session::watch(std::unique_lock<std::mutex> &lock) {
  Watchdog watchdog(hangTimeoutNs);
  auto ended = [&] { return running == 0; };
  while (!firstError && !ended()) {
    // Without a watchdog only an end or an error wakes this thread; an hour is as good as no limit.
    auto tick = hangTimeoutNs ? std::chrono::nanoseconds(watchdog.tickNs()) : std::chrono::hours(1);
    if (changed.wait_for(lock, tick, [&] { return firstError || ended(); }) || !hangTimeoutNs)
      continue;
    // look() may call stopAll(), which takes the lock.
    lock.unlock();
    look(watchdog);
    lock.lock();
  }
  // Arenas of a rank that still computes may not be freed: the caller leaks them.
  lost = !changed.wait_for(lock, std::chrono::seconds(2), ended);
}

/// Samples every local rank, and stops the run if one hangs.
void Session::look(Watchdog &watchdog) {
  const std::vector<int64_t> &cpuTimes = shared.workers.sampleCpuTime();
  std::vector<Watchdog::Sample> samples;
  for (size_t i = 0; i < localRanks.size(); ++i) {
    const Rank &rank = *localRanks[i];
    // A rank that waits cannot hang: the rank that it waits for can. One that has ended cannot either.
    samples.push_back(
        {shared.waits.waits(rank.number()) || !rank.executing(), rank.progress(), cpuTimes[i], rank.slowestNs()});
  }
  std::optional<size_t> hanging = watchdog.look(Trace::now(), samples);
  if (!hanging)
    return;
  auto [locations, text] = localRanks[*hanging]->where();
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g s", static_cast<double>(hangTimeoutNs) / 1e9);
  Error error(Hang, locations,
              "rank " + std::to_string(localRanks[*hanging]->number()) + " hangs: no progress for " + seconds);
  error.note(text);
  for (const std::string &line : shared.waits.lines())
    error.note(line);
  stopAll(std::make_exception_ptr(error));
}

void Session::setNorms(StepResult &result) {
  // All local ranks have brought their shares; those of other sessions may still be on their way.
  Transport &transport = *shared.transport;
  Backoff backoff;
  while (!transport.test({0, Wait::For::Norm}))
    backoff.sleep(normPace.expectedNs());
  normPace.took(backoff.waitedNs());
  result.gradNorm = transport.gradient().norm() / step.lossScale;
  result.groupNorms = shared.stepParameters.norms(transport.gradient(), step.lossScale);
  result.finite = isFiniteStep(shared.manifest.real, result.gradNorm, transport.loss());
}

bool Session::hasUpdated() const {
  return std::any_of(localRanks.begin(), localRanks.end(), [](const auto &rank) { return rank->hasUpdated(); });
}

void Session::startFiniteChecks() {
  checksFinite = true;
  for (auto &rank : localRanks)
    rank->startFiniteChecks();
}

std::optional<NonFiniteValue> Session::findNonFinite(const std::vector<Bytes> &inputs) {
  for (auto &rank : localRanks) {
    rank->startFiniteRecord();
    rank->parametersChanged(); // the value may come from a precomputing run
  }
  // Step 0 takes no update, so the parameters stay those that led to the value.
  run({}, inputs);
  std::optional<NonFiniteValue> first;
  for (auto &rank : localRanks)
    if (auto found = rank->endFiniteRecord(checksFinite); found && (!first || found->isBefore(*first)))
      first = std::move(found);
  return first;
}

void Session::startTaskTimes() {
  for (auto &rank : localRanks)
    rank->startTaskTimes();
}

void Session::startTrace(size_t eventsPerRank) {
  for (auto &rank : localRanks)
    rank->startTrace(eventsPerRank);
}

void Session::addTracks(std::vector<TraceTrack> &tracks) const {
  for (auto &rank : localRanks)
    tracks.push_back({entry.name, rank->stage(), static_cast<int64_t>(rank->number()), rank->trace()});
}

std::vector<int64_t> Session::measuredBytes() const {
  return ofAllRanks([](const Rank &rank) { return rank.measuredBytes(); });
}

std::vector<int64_t> Session::ofAllRanks(const std::function<int64_t(const Rank &)> &tell) const {
  std::vector<int64_t> told(entry.ranks.size());
  for (auto &rank : localRanks)
    told[rank->number()] = tell(*rank);
  // Collective: every session takes part in every broadcast, in the same order.
  for (size_t rank = 0; rank < told.size(); ++rank)
    shared.transport->broadcast(rank, &told[rank], sizeof(told[rank]));
  return told;
}

std::vector<Rank::Time> Session::kernelTimes() const {
  size_t numKernels = Rank::numTimes(shared.manifest);
  std::vector<Rank::Time> sums(numKernels), ofRank(numKernels);
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank) {
    for (auto &local : localRanks)
      if (local->number() == rank)
        ofRank = local->times();
    // Rank after rank: each broadcast comes from the session that has it.
    shared.transport->broadcast(rank, ofRank.data(), numKernels * sizeof(Rank::Time));
    for (size_t i = 0; i < numKernels; ++i)
      sums[i].add(ofRank[i]);
  }
  return sums;
}

} // namespace plc::runtime
