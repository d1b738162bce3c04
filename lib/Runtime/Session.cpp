#include "Session.h"

#include <cstring>

namespace plc::runtime {

Session::Session(const Manifest &manifest, const EntryPlan &entry, int64_t threadsPerStage, double hangTimeout)
    : entry(entry), hangTimeoutNs(static_cast<int64_t>(hangTimeout * 1e9)), shared(manifest, entry, threadsPerStage) {
  for (size_t i = 0; i < entry.ranks.size(); ++i)
    allRanks.push_back(std::make_unique<Rank>(shared, i));
  for (size_t i = 0; i < shared.workers.count(); ++i)
    threads.emplace_back([this, i] { serve(i); });
}

Session::~Session() {
  leaving = true;
  shared.workers.wakeAll();
  for (std::thread &thread : threads)
    thread.join();
}

/// The life of a worker: the first of each rank executes its actions in each round; all help.
void Session::serve(size_t index) {
  Workers::Worker &worker = shared.workers.enter(index);
  for (uint64_t seen = 0;; ++seen) {
    bool executes = index % shared.workers.threadsPerRank() == 0;
    shared.workers.wait(worker, [&] { return leaving.load() || (executes && round.load() > seen); });
    if (leaving)
      return;
    execute(index / shared.workers.threadsPerRank(), worker);
  }
}

void Session::execute(size_t rank, Workers::Worker &worker) {
  try {
    allRanks[rank]->execute(worker, step, probe);
  } catch (...) {
    stopAll(std::current_exception());
  }
  allRanks[rank]->end();
  std::lock_guard lock(mutex);
  if (--running == 0)
    changed.notify_all();
}

void Session::stopAll(std::exception_ptr error) {
  {
    std::lock_guard lock(mutex);
    if (!firstError)
      firstError = error;
    changed.notify_all();
  }
  shared.stop = true;
  shared.workers.wakeAll();
}

/// Calls part(first sample, samples, bytes before) for each micro-batch of a batched tensor.
template <class Part>
void Session::forEachMicroBatch(const TensorInfo &info, Part part) const {
  for (int64_t mb = 0; mb < entry.microBatches; ++mb) {
    int64_t first = entry.firstSample(mb);
    part(first, entry.firstSample(mb + 1) - first,
         info.numBytes() / static_cast<size_t>(entry.batch) * static_cast<size_t>(first));
  }
}

void Session::setInputs(const std::vector<Bytes> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (auto &rank : allRanks)
      if (std::byte *place = rank->find(StaticKind::Input, entry.inputs[i].name))
        setInput(entry.inputs[i], inputs[i], place);
}

/// In the arena micro-batches lie one behind the other, whichever axis the batch is.
void Session::setInput(const TensorInfo &info, const Bytes &input, std::byte *place) const {
  if (info.batchAxis <= 0)
    std::memcpy(place, input.data(), info.numBytes());
  else
    forEachMicroBatch(info, [&](int64_t first, int64_t count, size_t offset) {
      takeSamples(info, input.data(), first, count, place + offset);
    });
}

void Session::run(int64_t newStep, const std::vector<Bytes> &inputs, const Probe &newProbe) {
  setInputs(inputs);
  for (auto &channel : shared.channels)
    channel->reset();
  shared.exchange.reset();
  std::unique_lock lock(mutex);
  step = newStep;
  probe = newProbe;
  running = allRanks.size();
  for (auto &rank : allRanks)
    rank->begin();
  round.fetch_add(1);
  shared.workers.wakeAll();
  watch(lock);
  if (firstError)
    std::rethrow_exception(firstError);
}

/// Returns when all ranks have ended, or two seconds after an error.
void Session::watch(std::unique_lock<std::mutex> &lock) {
  Watchdog watchdog(hangTimeoutNs);
  auto ended = [&] { return running == 0; };
  while (!firstError && !ended()) {
    auto tick = hangTimeoutNs ? std::chrono::nanoseconds(watchdog.tickNs()) : std::chrono::hours(1);
    if (changed.wait_for(lock, tick, [&] { return firstError || ended(); }) || !hangTimeoutNs)
      continue;
    lock.unlock();
    look(watchdog);
    lock.lock();
  }
  lost = !changed.wait_for(lock, std::chrono::seconds(2), ended);
}

/// Stops the run if a rank hangs.
void Session::look(Watchdog &watchdog) {
  const std::vector<int64_t> &cpuTimes = shared.workers.sampleCpuTime();
  std::vector<Watchdog::Sample> samples;
  for (size_t i = 0; i < allRanks.size(); ++i) {
    const Rank &rank = *allRanks[i];
    samples.push_back({shared.waits.waits(i) || !rank.executing(), rank.progress(), cpuTimes[i], rank.slowestNs()});
  }
  std::optional<size_t> hanging = watchdog.look(Trace::now(), samples);
  if (!hanging)
    return;
  auto [places, text] = allRanks[*hanging]->where();
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g s", static_cast<double>(hangTimeoutNs) / 1e9);
  Error error(Hang, places, "rank " + std::to_string(*hanging) + " hangs: no progress for " + seconds);
  error.note(text);
  for (const std::string &line : shared.waits.lines())
    error.note(line);
  stopAll(std::make_exception_ptr(error));
}

namespace {
/// Distance between the micro-batches' values of an output that is not batched.
int64_t strideOf(const StaticInfo &place, const EntryPlan &entry) { return place.bytes / entry.microBatches; }
} // namespace

Bytes Session::output(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  const StaticInfo *place = nullptr;
  const std::byte *data =
      allRanks[static_cast<size_t>(entry.outputRanks[index])]->find(StaticKind::Output, info.name, &place);
  Bytes result(data, data + info.numBytes());
  if (info.batchAxis > 0)
    forEachMicroBatch(info, [&](int64_t first, int64_t count, size_t offset) {
      putSamples(info, result.data(), first, count, data + offset);
    });
  if (!info.batched())
    for (int64_t mb = 1; mb < entry.microBatches; ++mb)
      addInOrder(info.type, info.numElements(), result.data(), data + mb * strideOf(*place, entry));
  return result;
}

std::vector<double> Session::outputPerMicroBatch(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  const StaticInfo *place = nullptr;
  const std::byte *data =
      allRanks[static_cast<size_t>(entry.outputRanks[index])]->find(StaticKind::Output, info.name, &place);
  std::vector<double> values;
  for (int64_t mb = 0; mb < entry.microBatches; ++mb)
    values.push_back(elementAsDouble(info.type, data + mb * strideOf(*place, entry), 0));
  return values;
}

} // namespace plc::runtime
