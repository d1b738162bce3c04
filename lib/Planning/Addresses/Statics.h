//===- Statics.h - the static area of a rank --------------------*- C++ -*-===//
#ifndef PLC_LIB_PLANNING_ADDRESSES_STATICS_H
#define PLC_LIB_PLANNING_ADDRESSES_STATICS_H

#include "plc/Analysis/RouteTable.h"
#include "plc/Module/ActionTable.h"
#include "plc/Search/Workload.h"

#include <map>

namespace plc::plan {

/// Alignment of places, in bytes.
inline constexpr int64_t placeAlignment = search::alignment;
inline int64_t roundUpPlace(int64_t bytes) { return search::aligned(bytes); }

/// What a rank stores for the whole run, in the order of places: parameters, gradient sites, moments of trained
/// parameters that it owns, states, inputs, outputs, and what P makes for other tasks.
struct StaticItem {
  StaticKind kind;
  llvm::StringRef name;
  int64_t site = -1;
  int64_t bytes = 0; ///< of all its lanes
  bool owned = false;
  int64_t lane = 0, lanes = 1; ///< of a site: those that lie there, one behind the other
};
using RankStages = std::vector<std::vector<StageOp>>; ///< those of each rank, in the program's order
RankStages stagesByRank(ProgramOp program);
/// Of a rank with these stages.
std::vector<StaticItem> collectStatics(ProgramOp program, llvm::ArrayRef<StageOp> stages);
/// Bytes of these places. Before a program's replicas are made, of what these will divide, the part of each.
int64_t staticBytesOf(ProgramOp program, llvm::ArrayRef<StageOp> stages);

/// Where the static area of a rank has what.
class Statics {
public:
  Statics(RankOp rank, llvm::ArrayRef<module::StaticInfo> places, const RouteTable &routes);
  Statics(LayoutOp layout, const RouteTable &routes);

  /// Position of a place; -1 if there is none.
  int64_t find(StaticKind kind, llvm::StringRef name, int64_t site = -1, int64_t lane = 0) const;
  /// That of the place of a resolved value: a parameter, a site, an input, an output or a result of P.
  int64_t placeOf(mlir::Value resolved) const;

  /// Offset of a resolved value for a micro-batch, or nothing if it has no static place: parameters, sites and results
  /// of P, and inputs and outputs, whose micro-batches follow each other. Of a site it is that of the micro-batch's lane.
  std::optional<int64_t> offsetOf(mlir::Value resolved, int64_t mb) const;

private:
  void add(StaticKind kind, llvm::StringRef name, int64_t site, int64_t lane, int64_t offset);

  std::map<std::tuple<StaticKind, std::string, int64_t, int64_t>, int64_t> positions; // by site and lane, too
  std::vector<int64_t> offsets;
  llvm::DenseMap<mlir::Value, OutputOp> outputs;
};

} // namespace plc::plan

#endif
