// Moves whole tensors to and from the arenas of an entry's ranks.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ENTRYTENSORS_H
#define PLC_LIB_RUNTIME_EXECUTE_ENTRYTENSORS_H

#include "Rank.h"

namespace plc::runtime {

/// Which tensor of a parameter: its value, a moment (from 1), or its average.
struct ParameterTensor {
  BufferKind kind = BufferKind::Parameter;
  int64_t site = -1; // of its buffers, if these are numbered

  static ParameterTensor moment(int which) { return {BufferKind::Moment, which - 1}; }
  static ParameterTensor average() { return {BufferKind::Average}; }
  bool isIn(const BufferInfo &buffer) const { return buffer.kind == kind && (site < 0 || buffer.site == site); }
};

/// The tensors of an entry as the caller sees them: whole, whatever rank has which shard or slice. Called between two
/// runs of a session. A scatter writes to the local ranks alone, so every session must have the whole. A gather is
/// collective: all sessions of the entry call it alike (Transport.h), and have the whole afterwards.
class EntryTensors {
public:
  EntryTensors(const EntryPlan &entry, const module::ParameterGroups &groups, Transport &transport,
               const std::vector<std::unique_ptr<Rank>> &localRanks)
      : entry(entry), groups(groups), transport(transport), localRanks(localRanks) {}

  /// Whole-batch inputs, in the entry's order, into the buffers of each local rank that reads them.
  void scatterInputs(const std::vector<Bytes> &inputs) const;
  /// A tensor of a parameter, `from` whole, into every buffer of it or of a shard of it.
  void scatter(ParameterTensor tensor, const ParameterInfo &parameter, const std::byte *from) const;
  /// Writes a number into each element of the same buffers.
  void fill(ParameterTensor tensor, const ParameterInfo &parameter, double number) const;
  /// Fills the states of local ranks with their initial values, as before a sequence.
  void restart() const;
  /// The bytes of the states of all ranks, in the order of ranks and of their tables. Collective.
  std::vector<Bytes> readStates() const;
  /// Writes those of the local ranks back; `states` as readStates() returns them.
  void writeStates(const std::vector<Bytes> &states) const;
  /// To be called after the last parameter is written: local ranks compute their precomputed values again in the next
  /// run.
  void parametersChanged() const;

  /// Gathers a tensor of a parameter from the ranks that own it or shards of it. Returns false, and leaves `out` as it
  /// is, if no rank has it.
  bool gather(ParameterTensor tensor, const ParameterInfo &parameter, std::byte *out) const;
  /// Whether some rank has a buffer of this tensor: gather() would return true. Not collective.
  bool holds(ParameterTensor tensor, const ParameterInfo &parameter) const;
  /// The gradient of a parameter in the last run: its sites added in order. Leaves `out` as it is where the entry
  /// computes none.
  void gatherGradient(const ParameterInfo &parameter, Bytes &out) const;
  /// An output of the last run. One without a batch axis is the sum of its rows (sumOfRows).
  Bytes gatherOutput(size_t index) const;
  /// The rows of a scalar output, by micro-batch: one value for each sample, or one for the micro-batch.
  std::vector<std::vector<double>> gatherRows(size_t index) const;

  /// Whether all ranks are in this process. Then a gather needs no other process.
  bool allLocal() const { return localRanks.size() == entry.ranks.size(); }

private:
  /// Null if another session has the rank.
  const Rank *localRank(size_t number) const;
  /// Calls visit(rank, place) for each state of each rank.
  template <class Visitor>
  void forEachState(Visitor visit) const;
  /// A rank that updates a parameter, or a shard of it. Of several copies, exactly one is owned.
  struct Owner {
    size_t rank;
    const BufferInfo &buffer; // of the parameter or the shard
  };
  std::vector<Owner> ownersOf(const ParameterInfo &parameter) const;
  /// The bytes of a buffer of any rank; `copy` may own them.
  const std::byte *view(size_t rank, const BufferInfo &buffer, Bytes &copy) const;
  void scatterInput(const TensorInfo &info, const Bytes &input, int64_t replica, std::byte *buffer) const;
  /// See EntryTensors.cpp; a replica's buffers of batched tensors have its own micro-batches alone.
  template <class Part>
  void forEachMicroBatch(const TensorInfo &info, int64_t replica, Part part) const;
  template <class Visitor>
  void forEachPart(size_t index, Visitor visit) const;
  /// Rows that a micro-batch adds to an output without a batch axis.
  int64_t rowsIn(const TensorInfo &info, int64_t microBatch) const;
  template <class Visitor>
  void forEachRow(size_t index, Visitor visit) const;

  /// Copies a whole tensor, or the shard that `buffer` holds, out of `from`; put() copies back.
  void take(const ParameterInfo &parameter, const BufferInfo &buffer, const std::byte *from, std::byte *to) const;
  void put(const ParameterInfo &parameter, const BufferInfo &buffer, const std::byte *from, std::byte *to) const;
  /// Calls copy(whole tensor, the shard of it that `buffer` holds).
  template <class Copy>
  void withShard(const ParameterInfo &parameter, const BufferInfo &buffer, Copy copy) const;

  const EntryPlan &entry;
  const module::ParameterGroups &groups;
  Transport &transport;
  const std::vector<std::unique_ptr<Rank>> &localRanks;
};

} // namespace plc::runtime

#endif
