// The tensors of an entry as wholes, scattered to and gathered from the arenas of its ranks, wherever those are.
#ifndef PLC_LIB_RUNTIME_EXECUTE_ENTRYTENSORS_H
#define PLC_LIB_RUNTIME_EXECUTE_ENTRYTENSORS_H

#include "Rank.h"

namespace plc::runtime {

/// Between two runs of a session. A scatter writes to the local ranks: every session has the whole to scatter. A gather
/// is collective: all sessions of the entry call it alike (Transport.h), and have the whole afterwards.
class EntryTensors {
public:
  EntryTensors(const EntryPlan &entry, Transport &transport, const std::vector<std::unique_ptr<Rank>> &localRanks)
      : entry(entry), transport(transport), localRanks(localRanks) {}

  void scatterInputs(const std::vector<Bytes> &inputs) const;
  /// A parameter or moment, into every place of it.
  void scatter(StaticKind kind, const ParameterInfo &parameter, const std::byte *from) const;
  /// Zeros, likewise.
  void clear(StaticKind kind, const ParameterInfo &parameter) const;
  /// States of local ranks as they are before a sequence.
  void restart() const;
  /// The bytes of the states of all ranks, and back to those that are here.
  std::vector<Bytes> readStates() const;
  void writeStates(const std::vector<Bytes> &states) const;
  /// Behind the last parameter: what local ranks have prepared from the former ones is prepared again.
  void parametersChanged() const;

  /// A parameter or moment, from the ranks that own the parameter or parts of it. False, and `out` as it is, where no rank holds it.
  bool gather(StaticKind kind, const ParameterInfo &parameter, std::byte *out) const;
  bool holds(StaticKind kind, const ParameterInfo &parameter) const;
  /// The gradient of a parameter: its sites in order. Leaves `out` as it is where none is made.
  void gatherGradient(const ParameterInfo &parameter, Bytes &out) const;
  /// An output of the last run, the sum of its rows (sumOfRows) where it is not batched.
  Bytes gatherOutput(size_t index) const;
  /// The rows of a scalar that each micro-batch gives: a value for each sample, or one.
  std::vector<std::vector<double>> gatherRows(size_t index) const;

  /// Whether all ranks are in this process: then a gather is nobody else's matter.
  bool allLocal() const { return localRanks.size() == entry.ranks.size(); }

private:
  const Rank *localRank(size_t number) const;
  /// Calls visit(rank, place) for each state of each rank.
  template <class Visitor>
  void forEachState(Visitor visit) const;
  /// Who owns a parameter or a part of one.
  struct Owner {
    size_t rank;
    const std::string &name; // of the parameter, or of the part
  };
  std::vector<Owner> ownersOf(const ParameterInfo &parameter) const;
  const std::byte *view(size_t rank, const StaticInfo &place, Bytes &copy) const;
  void scatterInput(const TensorInfo &info, const Bytes &input, int64_t replica, std::byte *place) const;
  template <class Part>
  void forEachMicroBatch(const TensorInfo &info, int64_t replica, Part part) const;
  template <class Visitor>
  void forEachPart(size_t index, Visitor visit) const;
  int64_t rowsIn(const TensorInfo &info, int64_t microBatch) const;
  template <class Visitor>
  void forEachRow(size_t index, Visitor visit) const;

  const EntryPlan &entry;
  Transport &transport;
  const std::vector<std::unique_ptr<Rank>> &localRanks;
};

} // namespace plc::runtime

#endif
