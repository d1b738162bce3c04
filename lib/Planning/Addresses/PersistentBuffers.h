//===- PersistentBuffers.h - persistent buffers of a rank -----------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_PERSISTENTBUFFERS_H
#define PLC_LIB_PLANNING_ADDRESSES_PERSISTENTBUFFERS_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Module/ActionTable.h"
#include "plc/Search/Workload.h"

#include <map>

namespace plc::plan {

/// Alignment of offsets, in bytes.
inline constexpr int64_t bufferAlignment = search::alignment;
/// Bytes rounded up to the alignment.
inline int64_t roundUpToAlignment(int64_t bytes) { return search::aligned(bytes); }

/// A persistent buffer of a rank. They lie in this order: parameters, gradient sites, moments and averages of trained
/// parameters that the rank owns, states, inputs, outputs, and results of P.
struct BufferItem {
  BufferKind kind;
  mlir::Attribute name;          ///< as in `plan.buffer`
  int64_t site = -1;             ///< gradient: index among the parameter's sites
  int64_t bytes = 0;             ///< of all its accumulation groups
  bool owned = false;            ///< parameter: this rank updates it
  int64_t group = 0, groups = 1; ///< gradient: the first accumulation group and their number, one behind the other
};
using RankStages = std::vector<std::vector<StageOp>>; ///< by rank, in the program's order
RankStages stagesByRank(ProgramOp program);
/// The persistent buffers of a rank with these stages. Names refer to the program's attributes, and live as long.
std::vector<BufferItem> collectBuffers(ProgramOp program, llvm::ArrayRef<StageOp> stages);
/// Their bytes. Before replicas exist it counts one replica's part of what they will divide: moments, averages, and the
/// gradients that an owner receives.
int64_t persistentBytesOf(ProgramOp program, llvm::ArrayRef<StageOp> stages);

/// Bytes behind the persistent buffers that the updates of such a rank need in turn, when all tasks are done.
int64_t updateBytesOf(llvm::ArrayRef<StageOp> stages);

/// Offsets of the persistent buffers of a rank, from its IR or from its action table.
class PersistentBuffers {
public:
  PersistentBuffers(RankOp rank, llvm::ArrayRef<module::BufferInfo> buffers, const RouteTable &routes);
  PersistentBuffers(LayoutOp layout, const RouteTable &routes);

  /// Index of a buffer; -1 if the rank does not have it.
  int64_t find(BufferKind kind, mlir::Attribute name, int64_t site = -1, int64_t group = 0) const;
  /// Index of the buffer of a resolved value: a parameter, site, input, output or result of P; -1 for all other values.
  int64_t bufferOf(mlir::Value resolved) const;

  /// Offset of a resolved value for a micro-batch; nothing if it has no persistent buffer. Inputs and outputs have the
  /// slices of micro-batches one behind the other, sites their accumulation groups; the rest is equal for all
  /// micro-batches.
  std::optional<int64_t> offsetOf(mlir::Value resolved, int64_t mb) const;

private:
  void add(BufferKind kind, const std::string &name, int64_t site, int64_t group, int64_t offset);

  std::map<std::tuple<BufferKind, std::string, int64_t, int64_t>, int64_t>
      positions; // indices by kind, name, site and group
  std::vector<int64_t> offsets;
  llvm::DenseMap<mlir::Value, OutputOp> outputs;
};

} // namespace plc::plan

#endif
