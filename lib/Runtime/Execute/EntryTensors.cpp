// Scatters and gathers: shards, micro-batches, replicas.
#include "EntryTensors.h"

#include "plc/Module/ParameterShards.h"

#include <algorithm>
#include <cstring>

namespace plc::runtime {

const Rank *EntryTensors::localRank(size_t number) const {
  for (const auto &rank : localRanks)
    if (rank->number() == number)
      return rank.get();
  return nullptr;
}

/// Calls visit(place) for each buffer of a rank that holds a tensor of a parameter, or a shard of it.
template <class Visit>
static void forEachBuffer(const RankInfo &rank, ParameterTensor tensor, const ParameterInfo &parameter, Visit visit) {
  for (const BufferInfo &buffer : rank.buffers)
    if (tensor.isIn(buffer) && buffer.parameter() == parameter.path)
      visit(buffer);
}

std::vector<EntryTensors::Owner> EntryTensors::ownersOf(const ParameterInfo &parameter) const {
  std::vector<Owner> owners;
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank)
    forEachBuffer(entry.ranks[rank], {}, parameter, [&](const BufferInfo &buffer) {
      if (buffer.owned)
        owners.push_back({rank, buffer});
    });
  return owners;
}

/// Points into the arena if this is the only session, so that nothing large is copied. Else the bytes go to `copy`, and
/// the transport broadcasts them.
const std::byte *EntryTensors::view(size_t rank, const BufferInfo &buffer, Bytes &copy) const {
  const Rank *local = localRank(rank);
  if (transport.isAlone())
    return local->at(buffer);
  copy.resize(static_cast<size_t>(buffer.bytes));
  if (local)
    std::memcpy(copy.data(), local->at(buffer), copy.size());
  transport.broadcast(rank, copy.data(), copy.size());
  return copy.data();
}

/// Calls part(first sample, samples, offset in the replica's buffer) for each micro-batch of a batched tensor that a
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
      if (std::byte *buffer = rank->find(BufferKind::Input, entry.inputs[i].name))
        scatterInput(entry.inputs[i], inputs[i], entry.replicaOf(rank->number()), buffer);
      // A divisor that sums over the batch reads the rows of all micro-batches, from a buffer of its own.
      for (const BufferInfo &buffer : entry.ranks[rank->number()].buffers)
        if (buffer.kind == BufferKind::Input && buffer.wholeOf == entry.inputs[i].name)
          std::memcpy(rank->at(buffer), inputs[i].data(), entry.inputs[i].numBytes());
    }
}

/// In the arena micro-batches lie one behind the other, whichever axis is the batch. So each has one contiguous slice.
void EntryTensors::scatterInput(const TensorInfo &info, const Bytes &input, int64_t replica, std::byte *buffer) const {
  if (!info.batched())
    std::memcpy(buffer, input.data(), info.numBytes());
  else
    forEachMicroBatch(info, replica, [&](int64_t first, int64_t count, size_t offset) {
      takeSamples(info, input.data(), first, count, buffer + offset);
    });
}

template <class Copy>
void EntryTensors::withShard(const ParameterInfo &parameter, const BufferInfo &buffer, Copy copy) const {
  if (buffer.kind != BufferKind::Moment) {
    copy(parameter.tensor(), buffer.shard);
    return;
  }
  const module::OptimizerState &state = groups.formOf(parameter.path)->states[static_cast<size_t>(buffer.site)];
  copy(module::momentOf(parameter, state),
       buffer.shard ? module::shardOfMoment(parameter, state, *buffer.shard) : std::nullopt);
}

void EntryTensors::take(const ParameterInfo &parameter, const BufferInfo &buffer, const std::byte *from,
                        std::byte *to) const {
  withShard(parameter, buffer,
            [&](const TensorInfo &whole, const auto &shard) { module::takeShard(whole, shard, from, to); });
}

void EntryTensors::put(const ParameterInfo &parameter, const BufferInfo &buffer, const std::byte *from,
                       std::byte *to) const {
  withShard(parameter, buffer,
            [&](const TensorInfo &whole, const auto &shard) { module::putShard(whole, shard, from, to); });
}

void EntryTensors::scatter(ParameterTensor tensor, const ParameterInfo &parameter, const std::byte *from) const {
  for (const auto &rank : localRanks)
    forEachBuffer(entry.ranks[rank->number()], tensor, parameter,
                  [&](const BufferInfo &buffer) { take(parameter, buffer, from, rank->at(buffer)); });
}

void EntryTensors::fill(ParameterTensor tensor, const ParameterInfo &parameter, double number) const {
  const auto width = static_cast<int64_t>(byteWidth(parameter.type));
  for (const auto &rank : localRanks)
    forEachBuffer(entry.ranks[rank->number()], tensor, parameter, [&](const BufferInfo &buffer) {
      fillElements(parameter.type, buffer.bytes / width, rank->at(buffer), number);
    });
}

template <class Visitor>
void EntryTensors::forEachState(Visitor visit) const {
  for (size_t rank = 0; rank < entry.ranks.size(); ++rank)
    for (const BufferInfo &buffer : entry.ranks[rank].buffers)
      if (buffer.kind == BufferKind::State)
        visit(rank, buffer);
}

void EntryTensors::restart() const {
  forEachState([&](size_t rank, const BufferInfo &buffer) {
    if (const Rank *local = localRank(rank))
      fillElements(buffer.type, buffer.bytes / static_cast<int64_t>(byteWidth(buffer.type)), local->at(buffer),
                   buffer.init);
  });
}

std::vector<Bytes> EntryTensors::readStates() const {
  std::vector<Bytes> states;
  forEachState([&](size_t rank, const BufferInfo &buffer) {
    Bytes copy;
    const std::byte *at = view(rank, buffer, copy);
    states.emplace_back(at, at + buffer.bytes);
  });
  return states;
}

void EntryTensors::writeStates(const std::vector<Bytes> &states) const {
  size_t next = 0;
  forEachState([&](size_t rank, const BufferInfo &buffer) {
    if (const Rank *local = localRank(rank))
      std::memcpy(local->at(buffer), states[next].data(), states[next].size());
    // Remote states count too: the order is that of readStates().
    ++next;
  });
}

void EntryTensors::parametersChanged() const {
  for (const auto &rank : localRanks)
    rank->parametersChanged();
}

bool EntryTensors::gather(ParameterTensor tensor, const ParameterInfo &parameter, std::byte *out) const {
  bool found = false;
  for (const Owner &owner : ownersOf(parameter))
    if (const BufferInfo *buffer = entry.ranks[owner.rank].find(tensor.kind, owner.buffer.name, tensor.site)) {
      Bytes copy;
      put(parameter, *buffer, view(owner.rank, *buffer, copy), out);
      found = true;
    }
  return found;
}

bool EntryTensors::holds(ParameterTensor tensor, const ParameterInfo &parameter) const {
  std::vector<Owner> owners = ownersOf(parameter);
  return std::any_of(owners.begin(), owners.end(), [&](const Owner &owner) {
    return entry.ranks[owner.rank].find(tensor.kind, owner.buffer.name, tensor.site);
  });
}

void EntryTensors::gatherGradient(const ParameterInfo &parameter, Bytes &out) const {
  for (const Owner &owner : ownersOf(parameter)) {
    if (!entry.ranks[owner.rank].find(BufferKind::Gradient, owner.buffer.name))
      continue;
    Bytes sum(static_cast<size_t>(owner.buffer.bytes));
    // Only the owner has all sites of a gradient; it adds them, and the others get the sum.
    if (const Rank *local = localRank(owner.rank))
      local->owned().sumSites(owner.buffer.name, sum.data());
    transport.broadcast(owner.rank, sum.data(), sum.size());
    put(parameter, owner.buffer, sum.data(), out.data());
  }
}

/// Calls visit(replica, bytes, buffer) for the buffer that each replica has of an output.
template <class Visitor>
void EntryTensors::forEachPart(size_t index, Visitor visit) const {
  for (int64_t replica = 0; replica < entry.replicas; ++replica) {
    size_t rank = entry.rankIn(replica, entry.outputRanks[index]);
    const BufferInfo &buffer = *entry.ranks[rank].find(BufferKind::Output, entry.outputs[index].name);
    Bytes copy;
    visit(replica, view(rank, buffer, copy), buffer);
  }
}

/// A sum over samples has a row for each sample, so that it can be added in the order of samples. Any other has one.
int64_t EntryTensors::rowsIn(const TensorInfo &info, int64_t microBatch) const {
  return info.sumsSamples() ? entry.firstSample(microBatch + 1) - entry.firstSample(microBatch) : 1;
}

/// Calls visit(micro-batch, bytes of a row) for each row of an output without a batch axis, in order.
template <class Visitor>
void EntryTensors::forEachRow(size_t index, Visitor visit) const {
  forEachPart(index, [&](int64_t replica, const std::byte *data, const BufferInfo &) {
    for (int64_t mb = entry.firstRun(replica); mb < entry.firstRun(replica + 1); ++mb)
      for (int64_t row = 0; row < rowsIn(entry.outputs[index], mb); ++row, data += entry.outputs[index].numBytes())
        visit(mb, data);
  });
}

Bytes EntryTensors::gatherOutput(size_t index) const {
  const TensorInfo &info = entry.outputs[index];
  if (!info.batched()) {
    std::vector<Bytes> values;
    forEachRow(index, [&](int64_t, const std::byte *value) { values.emplace_back(value, value + info.numBytes()); });
    std::vector<const void *> buffers;
    for (const Bytes &value : values)
      buffers.push_back(value.data());
    return sumOfRows(info, buffers);
  }
  Bytes result(info.numBytes());
  forEachPart(index, [&](int64_t replica, const std::byte *data, const BufferInfo &) {
    forEachMicroBatch(info, replica, [&](int64_t first, int64_t count, size_t offset) {
      putSamples(info, result.data(), first, count, data + offset);
    });
  });
  return result;
}

std::vector<std::vector<double>> EntryTensors::gatherRows(size_t index) const {
  std::vector<std::vector<double>> rows(static_cast<size_t>(entry.microBatches));
  forEachRow(index, [&](int64_t mb, const std::byte *value) {
    rows[static_cast<size_t>(mb)].push_back(elementAsDouble(entry.outputs[index].type, value, 0));
  });
  return rows;
}

} // namespace plc::runtime
