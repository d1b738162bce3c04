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

/// Calls part(first sample, samples, bytes before in the replica's place) for each micro-batch of a batched tensor that a
/// replica runs.
template <class Part>
void EntryTensors::forEachMicroBatch(const TensorInfo &info, int64_t replica, Part part) const {
  int64_t begin = entry.firstSample(entry.firstRun(replica));
  for (int64_t mb = entry.firstRun(replica); mb < entry.firstRun(replica + 1); ++mb) {
    int64_t first = entry.firstSample(mb);
    part(first, entry.firstSample(mb + 1) - first,
         info.numBytes() / static_cast<size_t>(entry.batch) * static_cast<size_t>(first - begin));
  }
}

void EntryTensors::scatterInputs(const std::vector<Bytes> &inputs) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const auto &rank : localRanks) {
      if (std::byte *place = rank->find(StaticKind::Input, entry.inputs[i].name))
        scatterInput(entry.inputs[i], inputs[i], entry.replicaOf(rank->number()), place);
      if (std::byte *place = rank->find(StaticKind::Input, wholeInputName(entry.inputs[i].name)))
        std::memcpy(place, inputs[i].data(), entry.inputs[i].numBytes());
    }
}

/// In the arena micro-batches lie one behind the other, whichever axis the batch is.
void EntryTensors::scatterInput(const TensorInfo &info, const Bytes &input, int64_t replica, std::byte *place) const {
  if (!info.batched())
    std::memcpy(place, input.data(), info.numBytes());
  else
    forEachMicroBatch(info, replica, [&](int64_t first, int64_t count, size_t offset) {
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

/// Calls visit(replica, the bytes of its place) of an output, replica by replica.
template <class Visitor>
void EntryTensors::forEachPart(size_t index, Visitor visit) const {
  for (int64_t replica = 0; replica < entry.replicas; ++replica) {
    size_t rank = entry.rankIn(replica, entry.outputRanks[index]);
    const StaticInfo &place = *entry.ranks[rank].find(StaticKind::Output, entry.outputs[index].name);
    Bytes copy;
    visit(replica, view(rank, place, copy), place);
  }
}

/// Calls visit(the bytes of its value) for each micro-batch of an output that is not batched.
template <class Visitor>
void EntryTensors::forEachValue(size_t index, Visitor visit) const {
  int64_t runs = entry.firstRun(1);
  forEachPart(index, [&](int64_t, const std::byte *data, const StaticInfo &place) {
    for (int64_t run = 0; run < runs; ++run)
      visit(data + run * (place.bytes / runs));
  });
}

Bytes EntryTensors::gatherOutput(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  if (!info.batched()) {
    std::vector<Bytes> values;
    forEachValue(index, [&](const std::byte *value) { values.emplace_back(value, value + info.numBytes()); });
    std::vector<const void *> places;
    for (const Bytes &value : values)
      places.push_back(value.data());
    return sumOfMicroBatches(info, entry.lanes, places);
  }
  Bytes result(info.numBytes());
  forEachPart(index, [&](int64_t replica, const std::byte *data, const StaticInfo &) {
    forEachMicroBatch(info, replica, [&](int64_t first, int64_t count, size_t offset) {
      putSamples(info, result.data(), first, count, data + offset);
    });
  });
  return result;
}

std::vector<double> EntryTensors::gatherPerMicroBatch(size_t index) const {
  std::vector<double> values;
  forEachValue(index,
               [&](const std::byte *value) { values.push_back(elementAsDouble(entry.outputs[index].type, value, 0)); });
  return values;
}

} // namespace plc::runtime
