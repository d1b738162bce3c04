//===- IRValue.h - values whose operations emit IR --------------*- C++ -*-===//
//
// The value type with which code generation instantiates the math functions of plc/Numerics (see Value.h there): an SSA
// value of T or of a vector of T. So compiled kernels and the interpreter run one recipe, and have the same bits.
//
// Every operation becomes one arith or math operation without fast-math flags; `selectUsual` becomes a branch.
//
//===----------------------------------------------------------------------===//
#ifndef PLC_LIB_CODEGEN_IRVALUE_H
#define PLC_LIB_CODEGEN_IRVALUE_H

#include "plc/Numerics/Value.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace plc::codegen {

template <typename T>
struct IRValue {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};
template <typename T>
/// The bits of a T, as a signless integer of the same width.
struct IRBits {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};
/// A truth value for each lane.
struct IRMask {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};
/// An integer of any width: the value type of Recipes.h.
struct IRInteger {
  mlir::ImplicitLocOpBuilder *builder;
  mlir::Value value;
};

/// The constant as an element, or splat to a vector if `type` is one.
inline mlir::Value constantLike(mlir::ImplicitLocOpBuilder &builder, mlir::Type type, mlir::TypedAttr element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return mlir::arith::ConstantOp::create(builder, mlir::DenseElementsAttr::get(vector, mlir::Attribute(element)));
  return mlir::arith::ConstantOp::create(builder, element);
}

/// `element`, or a vector of it with the shape of `type`.
inline mlir::Type shapedLike(mlir::Type type, mlir::Type element) {
  if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
    return mlir::VectorType::get(vector.getShape(), element);
  return element;
}

/// One operation of two values of the same kind.
template <typename Op, typename V>
V emit(V a, V b) {
  return {a.builder, Op::create(*a.builder, a.value, b.value)};
}
template <typename T>
IRValue<T> operator+(IRValue<T> a, IRValue<T> b) {
  return emit<mlir::arith::AddFOp>(a, b);
}
template <typename T>
IRValue<T> operator-(IRValue<T> a, IRValue<T> b) {
  return emit<mlir::arith::SubFOp>(a, b);
}
template <typename T>
IRValue<T> operator*(IRValue<T> a, IRValue<T> b) {
  return emit<mlir::arith::MulFOp>(a, b);
}
template <typename T>
IRValue<T> operator/(IRValue<T> a, IRValue<T> b) {
  return emit<mlir::arith::DivFOp>(a, b);
}
template <typename T>
IRValue<T> operator-(IRValue<T> a) {
  return {a.builder, mlir::arith::NegFOp::create(*a.builder, a.value)};
}
template <typename T>
IRValue<T> sqrt(IRValue<T> a) {
  return {a.builder, mlir::math::SqrtOp::create(*a.builder, a.value)};
}
template <typename T>
IRValue<T> floor(IRValue<T> a) {
  return {a.builder, mlir::math::FloorOp::create(*a.builder, a.value)};
}
template <typename T>
IRValue<T> ceil(IRValue<T> a) {
  return {a.builder, mlir::math::CeilOp::create(*a.builder, a.value)};
}
template <typename T>
IRValue<T> roundToEven(IRValue<T> a) {
  return {a.builder, mlir::math::RoundEvenOp::create(*a.builder, a.value)};
}
template <typename T>
IRValue<T> fma(IRValue<T> a, IRValue<T> b, IRValue<T> c) {
  return {a.builder, mlir::math::FmaOp::create(*a.builder, a.value, b.value, c.value)};
}

template <typename T>
IRMask compare(mlir::arith::CmpFPredicate predicate, IRValue<T> a, IRValue<T> b) {
  return {a.builder, mlir::arith::CmpFOp::create(*a.builder, predicate, a.value, b.value)};
}
template <typename T>
IRMask operator<(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::OLT, a, b);
}
template <typename T>
IRMask operator>(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::OGT, a, b);
}
template <typename T>
IRMask operator==(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::OEQ, a, b);
}
template <typename T>
IRMask operator!=(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::UNE, a, b);
}
template <typename T>
IRMask operator<=(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::OLE, a, b);
}
template <typename T>
IRMask operator>=(IRValue<T> a, IRValue<T> b) {
  return compare(mlir::arith::CmpFPredicate::OGE, a, b);
}
template <typename V>
V select(IRMask mask, V a, V b) {
  return {a.builder, mlir::arith::SelectOp::create(*a.builder, mask.value, a.value, b.value)};
}

/// Computes `rare` only if some lane is not usual: a branch for the whole vector, then a selection by lane. Rare paths
/// are long, and most vectors need none.
template <typename T, typename Rare>
IRValue<T> selectUsual(IRMask mask, IRValue<T> usual, Rare rare) {
  mlir::ImplicitLocOpBuilder &b = *usual.builder;
  mlir::Value all = mask.value;
  if (mlir::isa<mlir::VectorType>(all.getType()))
    all = mlir::vector::ReductionOp::create(b, mlir::vector::CombiningKind::AND, all);
  auto branch = mlir::scf::IfOp::create(b, usual.value.getType(), all, /*withElseRegion=*/true);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  mlir::scf::YieldOp::create(b, usual.value);
  b.setInsertionPointToStart(branch.elseBlock());
  mlir::scf::YieldOp::create(b, select(mask, usual, rare()).value);
  return {&b, branch.getResult(0)};
}

inline IRValue<double> widen(IRValue<float> a) {
  mlir::Type type = shapedLike(a.value.getType(), a.builder->getF64Type());
  return {a.builder, mlir::arith::ExtFOp::create(*a.builder, type, a.value)};
}
inline IRValue<float> narrow(IRValue<double> a) {
  mlir::Type type = shapedLike(a.value.getType(), a.builder->getF32Type());
  return {a.builder, mlir::arith::TruncFOp::create(*a.builder, type, a.value)};
}

template <typename T>
IRValue<T> like(IRValue<T> a, double x) {
  mlir::Type type = mlir::getElementTypeOrSelf(a.value.getType());
  return {a.builder, constantLike(*a.builder, a.value.getType(), a.builder->getFloatAttr(type, double(T(x))))};
}
template <typename T>
IRBits<T> toBits(IRValue<T> a) {
  mlir::Type bits = shapedLike(a.value.getType(), a.builder->getIntegerType(8 * sizeof(T)));
  return {a.builder, mlir::arith::BitcastOp::create(*a.builder, bits, a.value)};
}
template <typename T>
IRValue<T> fromBits(IRBits<T> i) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  mlir::Type element = std::is_same_v<T, float> ? mlir::Type(i.builder->getF32Type()) : i.builder->getF64Type();
  return {i.builder, mlir::arith::BitcastOp::create(*i.builder, shapedLike(i.value.getType(), element), i.value)};
}
template <typename T>
IRBits<T> bitsLike(IRBits<T> i, int64_t n) {
  mlir::Type type = i.builder->getIntegerType(8 * sizeof(T));
  int64_t kept = sizeof(T) == 4 ? int64_t(int32_t(n)) : n;
  return {i.builder, constantLike(*i.builder, i.value.getType(), i.builder->getIntegerAttr(type, kept))};
}

template <typename T>
IRBits<T> add(IRBits<T> i, IRBits<T> j) {
  return emit<mlir::arith::AddIOp>(i, j);
}
template <typename T>
IRBits<T> sub(IRBits<T> i, IRBits<T> j) {
  return emit<mlir::arith::SubIOp>(i, j);
}
template <typename T>
IRBits<T> bitAnd(IRBits<T> i, IRBits<T> j) {
  return emit<mlir::arith::AndIOp>(i, j);
}
template <typename T>
IRBits<T> bitOr(IRBits<T> i, IRBits<T> j) {
  return emit<mlir::arith::OrIOp>(i, j);
}
template <typename T>
IRBits<T> shiftLeft(IRBits<T> i, int n) {
  return emit<mlir::arith::ShLIOp>(i, bitsLike(i, n));
}
template <typename T>
IRBits<T> shiftRight(IRBits<T> i, int n) {
  return emit<mlir::arith::ShRSIOp>(i, bitsLike(i, n));
}

// Integers and truth values, for the recipes of Recipes.h.

inline IRInteger operator+(IRInteger a, IRInteger b) { return emit<mlir::arith::AddIOp>(a, b); }
inline IRInteger operator-(IRInteger a, IRInteger b) { return emit<mlir::arith::SubIOp>(a, b); }
inline IRInteger operator*(IRInteger a, IRInteger b) { return emit<mlir::arith::MulIOp>(a, b); }
inline IRInteger operator/(IRInteger a, IRInteger b) { return emit<mlir::arith::DivSIOp>(a, b); }
inline IRInteger operator^(IRInteger a, IRInteger b) { return emit<mlir::arith::XOrIOp>(a, b); }
inline IRInteger like(IRInteger a, double x) {
  mlir::Type element = mlir::getElementTypeOrSelf(a.value.getType());
  return {a.builder, constantLike(*a.builder, a.value.getType(), a.builder->getIntegerAttr(element, int64_t(x)))};
}
inline IRInteger operator-(IRInteger a) { return like(a, 0) - a; }
inline int widthOf(IRInteger a) { return int(mlir::getElementTypeOrSelf(a.value.getType()).getIntOrFloatBitWidth()); }
inline IRInteger wordLike(IRInteger a, uint64_t n) {
  mlir::Type element = mlir::getElementTypeOrSelf(a.value.getType());
  llvm::APInt word(64, n);
  return {a.builder,
          constantLike(*a.builder, a.value.getType(), a.builder->getIntegerAttr(element, word.trunc(widthOf(a))))};
}
inline IRInteger operator&(IRInteger a, IRInteger b) { return emit<mlir::arith::AndIOp>(a, b); }
inline IRInteger operator|(IRInteger a, IRInteger b) { return emit<mlir::arith::OrIOp>(a, b); }
inline IRInteger operator<<(IRInteger a, IRInteger b) { return emit<mlir::arith::ShLIOp>(a, b); }
inline IRInteger operator>>(IRInteger a, IRInteger b) { return emit<mlir::arith::ShRSIOp>(a, b); }
inline IRInteger shiftDown(IRInteger a, int n) { return emit<mlir::arith::ShRUIOp>(a, wordLike(a, uint64_t(n))); }

/// Compares two integers, or two masks.
template <typename V>
IRMask compare(mlir::arith::CmpIPredicate predicate, V a, V b) {
  return {a.builder, mlir::arith::CmpIOp::create(*a.builder, predicate, a.value, b.value)};
}
inline IRMask operator==(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
inline IRMask operator!=(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::ne, a, b); }
inline IRMask operator<(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::slt, a, b); }
inline IRMask operator<=(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::sle, a, b); }
inline IRMask operator>(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::sgt, a, b); }
inline IRMask operator>=(IRInteger a, IRInteger b) { return compare(mlir::arith::CmpIPredicate::sge, a, b); }
inline IRMask operator==(IRMask a, IRMask b) { return compare(mlir::arith::CmpIPredicate::eq, a, b); }
inline IRMask operator!=(IRMask a, IRMask b) { return compare(mlir::arith::CmpIPredicate::ne, a, b); }
inline IRMask both(IRMask m, IRMask n) { return emit<mlir::arith::AndIOp>(m, n); }
inline IRMask either(IRMask m, IRMask n) { return emit<mlir::arith::OrIOp>(m, n); }
inline IRMask opposite(IRMask m) {
  mlir::Value one = constantLike(*m.builder, m.value.getType(), m.builder->getBoolAttr(true));
  return {m.builder, mlir::arith::XOrIOp::create(*m.builder, m.value, one)};
}

} // namespace plc::codegen

template <typename T>
struct plc::numerics::ValueTraits<plc::codegen::IRValue<T>> {
  using Element = T;
  using Bits = plc::codegen::IRBits<T>;
  using Mask = plc::codegen::IRMask;
};

#endif
