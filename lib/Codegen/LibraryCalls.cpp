//===- LibraryCalls.cpp - contractions by calls of BLIS -------------------===//
#include "Contraction.h"

#include "plc/Dialect/Blis/Blis.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace plc;
using namespace plc::codegen;

namespace {

// Rows (or columns) of a slice are a multiple of this, so that register tiles of 6, 8, 12 or 16 rows stay full. Not
// tuned.
constexpr int64_t partLength = 48;

// Writes one `blis.gemm` per block of 256 summed elements, in loops over the dimensions that a matrix product lacks.
class GemmWriter {
public:
  GemmWriter(KernelWriter &writer, MatmulNest product) : w(writer), b(writer.b), x(std::move(product)) {}

  void run() {
    SmallVector<int64_t> extents = extentsOf(x.outer);
    int64_t parts = chooseParts(x.units());
    extents.push_back(parts);
    auto [lower, upper] = w.cut(x.units() * parts);
    w.loop(lower, upper, 1, {}, [&](Value unit, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> at = w.delinearize(unit, extents);
      Value part = at.pop_back_val();
      writeUnit(moved(w, x.outer, at, firstOffsets(w, x)), part);
      return {};
    });
  }

private:
  // Cuts the longer of m and n in slices if there are fewer units than threads could use. Returns their number.
  int64_t chooseParts(int64_t units) {
    // The longer side loses least by a cut: the shorter operand is packed again for each slice.
    int64_t wanted = llvm::divideCeil(chunksOf(w.kernel.getNs()), units);
    cutsM = x.m.extent >= x.n.extent;
    int64_t extent = cutsM ? x.m.extent : x.n.extent;
    length = llvm::alignTo(llvm::divideCeil(extent, wanted), partLength);
    return llvm::divideCeil(extent, length);
  }

  // One slice of one product: a call for each block, in the order of the sum.
  void writeUnit(Offsets offsets, Value part) {
    Value first = w.times(part, length);
    Value rest = arith::SubIOp::create(b, w.index(cutsM ? x.m.extent : x.n.extent), first);
    Value size = arith::MinUIOp::create(b, rest, w.index(length));
    offsets = moved(w, {cutsM ? x.m : x.n}, {first}, offsets);
    Value rows = cutsM ? size : w.index(x.m.extent), columns = cutsM ? w.index(x.n.extent) : size;
    auto orZero = [&](Value value) { return value ? value : w.index(0); };
    forEachBlock(w, x, offsets, [&](const SumBlock &block) {
      const Offsets &at = block.at;
      blis::GemmOp::create(b, b.getI64IntegerAttr(block.size), w.memoryOf(x.a), orZero(at.a),
                           b.getDenseI64ArrayAttr({x.m.a, x.k.a}), w.memoryOf(x.b), orZero(at.b),
                           b.getDenseI64ArrayAttr({x.k.b, x.n.b}), w.memoryOf(x.c), orZero(at.c),
                           b.getDenseI64ArrayAttr({x.m.c, x.n.c}), rows, columns, block.adds, w.context);
    });
  }

  KernelWriter &w;
  ImplicitLocOpBuilder &b;
  MatmulNest x;
  bool cutsM = true;
  int64_t length = 0;
};

} // namespace

LogicalResult codegen::writeLibraryCalls(KernelWriter &writer) {
  FailureOr<ein::ContractOp> op = beginContraction(writer);
  if (failed(op))
    return failure();
  return GemmWriter(writer, *ein::asProduct(ein::analyse(*op))).run(), success();
}
