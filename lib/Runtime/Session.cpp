#include "Session.h"

#include <cstring>

namespace plc::runtime {

namespace {
size_t numSteppingRanks(const EntryPlan &entry) {
  size_t count = 0;
  for (const RankInfo &rank : entry.ranks)
    for (const ActionInfo &action : rank.actions)
      count += action.op == ActionInfo::Op::Step;
  return count;
}
} // namespace

Session::Session(const Manifest &manifest, const EntryPlan &entry, int64_t threadsPerStage)
    : entry(entry), exchange(numSteppingRanks(entry), stop) {
  for (const ChannelInfo &channel : entry.channels)
    channels.push_back(
        std::make_unique<Channel>(channel.perStep ? 1 : entry.microBatches, stop));
  for (size_t i = 0; i < entry.ranks.size(); ++i)
    allRanks.push_back(std::make_unique<Rank>(manifest, entry, i, threadsPerStage, channels, exchange, stop));
  for (size_t i = 0; i < allRanks.size(); ++i)
    threads.emplace_back([this, i] { serve(i); });
}

Session::~Session() {
  {
    std::lock_guard lock(mutex);
    leaving = true;
  }
  changed.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void Session::serve(size_t index) {
  Workers::setFloatingPointEnvironment();
  std::unique_lock lock(mutex);
  for (uint64_t seen = 0;; ++seen) {
    changed.wait(lock, [&] { return leaving || round > seen; });
    if (leaving)
      return;
    lock.unlock();
    try {
      allRanks[index]->execute(step, poison);
    } catch (...) {
      stopAll(std::current_exception());
    }
    lock.lock();
    if (--running == 0)
      changed.notify_all();
  }
}

void Session::stopAll(std::exception_ptr error) {
  {
    std::lock_guard lock(mutex);
    if (!firstError)
      firstError = error;
  }
  stop = true;
  for (auto &channel : channels)
    channel->wakeAll();
  exchange.wakeAll();
}

void Session::setInputs(const std::vector<Bytes> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (auto &rank : allRanks)
      if (std::byte *place = rank->find(StaticKind::Input, entry.inputs[i].name))
        std::memcpy(place, inputs[i].data(), entry.inputs[i].numBytes());
}

void Session::run(int64_t newStep, const std::vector<Bytes> &inputs, bool newPoison) {
  setInputs(inputs);
  for (auto &channel : channels)
    channel->reset();
  exchange.reset();
  std::unique_lock lock(mutex);
  step = newStep;
  poison = newPoison;
  running = allRanks.size();
  ++round;
  changed.notify_all();
  changed.wait(lock, [&] { return running == 0; });
  if (firstError)
    std::rethrow_exception(firstError);
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
  if (!info.batched)
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
