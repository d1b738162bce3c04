#include "EntryTensors.h"

#include "plc/Support/WholeInput.h"

#include <cstring>

namespace plc::runtime {

const Rank *EntryTensors::localRank(size_t number) const {
  for (const auto &rank : localRanks)
    if (rank->number() == number)
      return rank.get();
  return nullptr;
}

std::optional<size_t> EntryTensors::ownerOf(const std::string &path) const {
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank)
    if (const StaticInfo *place = entry.ranks[rank].find(StaticKind::Parameter, path); place && place->owned)
      return rank;
  return std::nullopt;
}

/// The bytes of a place: in its arena if all ranks are here, so that nothing large is copied; else in `copy`, to which
/// the transport brings them.
const std::byte *EntryTensors::view(size_t rank, const StaticInfo &place, Bytes &copy) const {
  const Rank *local = localRank(rank);
  if (allLocal())
    return local->at(place);
  copy.resize(static_cast<size_t>(place.bytes));
  if (local)
    std::memcpy(copy.data(), local->at(place), copy.size());
  transport.broadcast(rank, copy.data(), copy.size());
  return copy.data();
}

/// Calls part(first sample, samples, bytes before) for each micro-batch of a batched tensor.
template <class Part>
void EntryTensors::forEachMicroBatch(const TensorInfo &info, Part part) const {
  for (int64_t mb = 0; mb < entry.microBatches; ++mb) {
    int64_t first = entry.firstSample(mb);
    part(first, entry.firstSample(mb + 1) - first,
         info.numBytes() / static_cast<size_t>(entry.batch) * static_cast<size_t>(first));
  }
}

void EntryTensors::scatterInputs(const std::vector<Bytes> &inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const auto &rank : localRanks) {
      if (std::byte *place = rank->find(StaticKind::Input, entry.inputs[i].name))
        scatterInput(entry.inputs[i], inputs[i], place);
      if (std::byte *place = rank->find(StaticKind::Input, wholeInputName(entry.inputs[i].name)))
        std::memcpy(place, inputs[i].data(), entry.inputs[i].numBytes());
    }
}

/// In the arena micro-batches lie one behind the other, whichever axis the batch is.
void EntryTensors::scatterInput(const TensorInfo &info, const Bytes &input, std::byte *place) const {
  if (info.batchAxis <= 0)
    std::memcpy(place, input.data(), info.numBytes());
  else
    forEachMicroBatch(info, [&](int64_t first, int64_t count, size_t offset) {
      takeSamples(info, input.data(), first, count, place + offset);
    });
}

void EntryTensors::scatter(StaticKind kind, const std::string &path, const Bytes &from) const {
  for (const auto &rank : localRanks)
    if (std::byte *place = rank->find(kind, path))
      std::memcpy(place, from.data(), from.size());
}

void EntryTensors::clear(StaticKind kind, const std::string &path) const {
  for (const auto &rank : localRanks)
    if (const StaticInfo *place = entry.ranks[rank->number()].find(kind, path))
      std::memset(rank->at(*place), 0, static_cast<size_t>(place->bytes));
}

template <class Visitor>
void EntryTensors::forEachState(Visitor visitor) const {
  for (const auto &rank : localRanks)
    for (const StaticInfo &place : entry.ranks[rank->number()].statics)
      if (place.kind == StaticKind::State)
        visitor(place, rank->at(place));
}

void EntryTensors::restart() const {
  forEachState([](const StaticInfo &place, std::byte *at) {
    fillElements(place.type, place.bytes / static_cast<int64_t>(byteWidth(place.type)), at, place.init);
  });
}

std::vector<Bytes> EntryTensors::readStates() const {
  std::vector<Bytes> states;
  forEachState([&](const StaticInfo &place, const std::byte *at) { states.emplace_back(at, at + place.bytes); });
  return states;
}

void EntryTensors::writeStates(const std::vector<Bytes> &states) const {
  size_t next = 0;
  forEachState([&](const StaticInfo &, std::byte *at) {
    std::memcpy(at, states[next].data(), states[next].size());
    ++next;
  });
}

void EntryTensors::parametersChanged() const {
  for (const auto &rank : localRanks)
    rank->parametersChanged();
}

void EntryTensors::gather(StaticKind kind, const std::string &path, Bytes &out) const {
  std::optional<size_t> owner = ownerOf(path);
  if (!owner)
    return;
  const StaticInfo *place = entry.ranks[*owner].find(kind, path);
  if (!place)
    return;
  Bytes copy;
  out.resize(static_cast<size_t>(place->bytes));
  std::memcpy(out.data(), view(*owner, *place, copy), out.size());
}

void EntryTensors::gatherGradient(const ParameterInfo &parameter, Bytes &out) const {
  std::optional<size_t> owner = ownerOf(parameter.path);
  if (!owner || !entry.ranks[*owner].find(StaticKind::Gradient, parameter.path))
    return;
  if (const Rank *local = localRank(*owner))
    local->owned().sumSites(parameter, out.data());
  transport.broadcast(*owner, out.data(), out.size());
}

namespace {
/// Distance between the micro-batches' values of an output that is not batched.
int64_t strideOf(const StaticInfo &place, const EntryPlan &entry) { return place.bytes / entry.microBatches; }
} // namespace

Bytes EntryTensors::gatherOutput(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  auto rank = static_cast<size_t>(entry.outputRanks[index]);
  const StaticInfo &place = *entry.ranks[rank].find(StaticKind::Output, info.name);
  Bytes copy;
  const std::byte *data = view(rank, place, copy);
  Bytes result(data, data + info.numBytes());
  if (info.batchAxis > 0)
    forEachMicroBatch(info, [&](int64_t first, int64_t count, size_t offset) {
      putSamples(info, result.data(), first, count, data + offset);
    });
  if (!info.batched())
    for (int64_t mb = 1; mb < entry.microBatches; ++mb)
      addInOrder(info.type, info.numElements(), result.data(), data + mb * strideOf(place, entry));
  return result;
}

std::vector<double> EntryTensors::gatherPerMicroBatch(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  auto rank = static_cast<size_t>(entry.outputRanks[index]);
  const StaticInfo &place = *entry.ranks[rank].find(StaticKind::Output, info.name);
  Bytes copy;
  const std::byte *data = view(rank, place, copy);
  std::vector<double> values;
  for (int64_t mb = 0; mb < entry.microBatches; ++mb)
    values.push_back(elementAsDouble(info.type, data + mb * strideOf(place, entry), 0));
  return values;
}

} // namespace plc::runtime
