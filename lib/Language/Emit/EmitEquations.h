//===- EmitEquations.h - equations as ein ops -------------------*- C++ -*-===//
#ifndef PLC_LIB_LANGUAGE_EMIT_EMITEQUATIONS_H
#define PLC_LIB_LANGUAGE_EMIT_EMITEQUATIONS_H

#include "Program.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class SourceMgr;
}

namespace plc::language {

/// Emits the steps of one body at the builder's insertion point. Methods are grouped by the file that defines them.
class BodyEmitter {
public:
  BodyEmitter(const Body &body, mlir::OpBuilder &builder, const llvm::SourceMgr &sources)
      : body(body), builder(builder), sources(sources), values(body.values.size()) {}

  void bind(ValueId id, mlir::Value value) { values[id] = value; }
  void emit(const Step &step);
  mlir::Value valueOf(ValueId id) const { return values[id]; }

  /// The tensor type of a value.
  static mlir::RankedTensorType typeOf(const Value &value, mlir::MLIRContext *context);
  /// The location of a place, with the fn calls that the equation was inlined through.
  static mlir::Location locationOf(SMLoc location, const Frame *frame, const llvm::SourceMgr &sources,
                                   mlir::MLIRContext *context);

private:
  /// An ein value; `dims[p]` is the index of its axis p. An index may repeat: a diagonal.
  struct Operand {
    mlir::Value value;
    llvm::SmallVector<IndexId, 4> dims;
  };

  /// A loop whose iteration is being emitted.
  struct LoopFrame {
    const Loop *loop;
    mlir::Block *iteration;
    mlir::OpBuilder::InsertPoint before; // for values that the iterations read in slices
    llvm::SmallVector<mlir::Value> slices;
  };
  /// Stands for the iteration among the indices of a value of all iterations.
  static constexpr IndexId iterationIndex = ~IndexId(0);

  // EmitLoop.cpp
  void emitLoop(const Step &step);
  void emitIteration(LoopFrame &frame);
  mlir::Value partOf(LoopFrame &frame, mlir::Value stacked);
  mlir::Value emitIterationNumber(LoopFrame &frame, Loop::Linear linear, Element element, SMLoc location);
  mlir::Value emitIteration(const Node &node, Element element);
  std::optional<mlir::Value> emitMovingNumber(const Node &node, Element element);
  std::optional<mlir::Value> emitMovingConstant(const Node::Position &position, Element element, SMLoc location);
  std::optional<Operand> emitMovingRead(const Node &node);
  Operand emitMovingRead(const Node &node, LoopFrame &frame, unsigned axis, Loop::Linear linear);
  bool isMadeIn(const LoopFrame &frame, mlir::Value value) const;
  mlir::Value moveAxis(mlir::Value value, unsigned from, unsigned to, SMLoc location);

  // EmitEquations.cpp
  Operand emitAxes(mlir::Value value, llvm::ArrayRef<Node::Position> positions, const Node &node);
  Operand emitNode(const Node &node, Element wanted);
  Operand emitNumber(double value, SMLoc location, Element element);
  Operand emitIota(const Node &node, Element element);
  Operand emitRead(const Node &node);
  mlir::Value whatIsRead(const Node &node);

  // EmitWindows.cpp
  bool isRun(const Node::Position &position) const;
  mlir::Value emitWindow(mlir::Value value, llvm::ArrayRef<Node::Position> positions, const Node &node);
  mlir::Value emitPadding(mlir::Value value, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> shape,
                          const Node &node);

  // EmitEquations.cpp
  mlir::Value selectConstants(mlir::Value table, const Node &node);
  Operand emitGather(mlir::Value from, llvm::ArrayRef<Node::Position> positions, const Node &node);
  Operand emitMapNode(const Node &node, Element wanted);
  Operand emitMap(StringRef function, llvm::ArrayRef<Operand> operands, llvm::ArrayRef<IndexId> dims, Element element,
                  SMLoc location);
  Operand emitBinary(StringRef function, const Operand &left, const Operand &right, Element element, SMLoc location);
  Operand emitTerm(const Node &node, Element wanted);
  Operand emitSum(const Node &term, llvm::ArrayRef<IndexId> summed, llvm::ArrayRef<IndexId> dims, SMLoc location);
  Operand emitContract(llvm::ArrayRef<Operand> factors, llvm::ArrayRef<IndexId> summed, llvm::ArrayRef<IndexId> dims,
                       SMLoc location);
  Operand emitReduction(StringRef function, const Operand &operand, llvm::ArrayRef<IndexId> summed,
                        llvm::ArrayRef<IndexId> dims, SMLoc location);
  Operand emitReduceNode(const Node &node, Element wanted);
  Operand emitDraw(const Node &node);

  // EmitLoop.cpp
  mlir::Value emitDrawOfIterations(const Node &node, mlir::RankedTensorType type);
  /// The value that `make` emits, in front of all loops around the step.
  mlir::Value beforeLoops(llvm::function_ref<mlir::Value()> make);

  // EmitPositions.cpp
  Operand emitIndex(IndexId id, SMLoc location);
  Operand emitIndices(llvm::ArrayRef<IndexId> ids, SMLoc location);

  // EmitEquations.cpp
  Operand emitCast(const Operand &operand, Element element, SMLoc location);

  // Scatters.cpp
  mlir::Value emitScatter(mlir::Value updates, mlir::Type result);

  // EmitPositions.cpp
  struct Ranking;
  Operand emitPositions(const Node &node);
  /// An extreme of a row, and its position.
  struct Extreme {
    Operand value, position;
  };
  Extreme emitExtreme(const Ranking &ranking, bool largest, const Extreme *before);
  Operand emitIterations(const Ranking &ranking, int64_t count);
  IndexId addIndex(int64_t extent);
  Operand emitRanks(const Ranking &ranking, IndexId brought, llvm::ArrayRef<IndexId> dims);
  Operand pick(const Operand &rows, const Operand &positions, SMLoc location);
  Operand emitRounds(const Ranking &ranking, int64_t count);

  // EmitEquations.cpp
  Element comparedElement(const Node &node) const;

  int64_t extent(IndexId id) const { return id == iterationIndex ? iterationCount : (*step->indices)[id].extent; }
  llvm::SmallVector<int64_t> extents(llvm::ArrayRef<IndexId> domain) const;
  mlir::AffineMap mapOf(llvm::ArrayRef<IndexId> domain, llvm::ArrayRef<IndexId> dims) const;
  mlir::ArrayAttr mapsOf(llvm::ArrayRef<IndexId> domain, llvm::ArrayRef<Operand> operands,
                         llvm::ArrayRef<IndexId> result);
  mlir::Type elementType(Element element) const;
  mlir::RankedTensorType tensor(llvm::ArrayRef<IndexId> dims, mlir::Type element) const;
  mlir::Location at(SMLoc location) const { return locationOf(location, step->frame, sources, builder.getContext()); }

  const Body &body;
  mlir::OpBuilder &builder;
  const llvm::SourceMgr &sources;
  std::vector<mlir::Value> values;
  const Step *step = nullptr;
  std::vector<LoopFrame *> loops;                  // outer ones first
  int64_t iterationCount = 0;                      // the extent of `iterationIndex`
  int64_t draws = 0;                               // sites of draws so far
  llvm::DenseMap<const Node *, mlir::Value> drawn; // by the step
};

} // namespace plc::language

#endif
