//===- ProductAdjoint.cpp - the derivative of a product of elements -------===//
//
// An element gets the product of the others times the gradient. No element divides, so zeros among them are right. The
// reduced dimensions are split in short ones, d1 .. dm, slowest first, and P(k) is the product over those behind dk.
// The others of an element are, for each k, the P(k) at the other values of dk.
//
//===----------------------------------------------------------------------===//
#include "Adjoint.h"
#include "Base/Equations.h"
#include "plc/Dialect/Ein/Views.h"

using namespace mlir;
using namespace plc;
using namespace plc::algebra;
using ein::Function;

// Factors of an extent: the prime factors, gathered while a product is at most 16. A prime above 16 stays one factor.
// Not tuned: the work for an element is the sum of the factors, the number of equations grows with their count.
static SmallVector<int64_t> shortFactors(int64_t extent) {
  SmallVector<int64_t> factors{1};
  auto take = [&](int64_t prime) {
    if (factors.back() == 1 || factors.back() * prime <= 16)
      factors.back() *= prime;
    else
      factors.push_back(prime);
  };
  for (int64_t prime = 2; prime <= extent / prime; ++prime)
    for (; extent % prime == 0; extent /= prime)
      take(prime);
  if (extent > 1)
    take(extent);
  return factors;
}

// The product of the other elements, times dy. It divides by no element, so zeros among them are right
// (Ein/Rationale.md, "The adjoint of a product divides by nothing").
Value algebra::adjointOfProduct(OpBuilder &builder, ein::Equation op, EquationBuilder &build, const Access &dy,
                                llvm::function_ref<Access(const Access &)> guard) {
  Location loc = op->getLoc();
  Access input = inputOf(op, 0);
  // 1. Split each reduced dimension into digits.
  Dims dims = distinct(input.dims), all, digits;
  SmallVector<int64_t> parts, extents; // digits of each of dims; extents of the digits
  Value x = build.copy(input, dims);
  for (int64_t dim : dims) {
    if (contains(dy.dims, dim)) {
      parts.push_back(1);
      all.push_back(dim);
      continue;
    }
    SmallVector<int64_t> factors = shortFactors(op.getExtents()[dim]);
    parts.push_back(factors.size());
    if (factors.size() > 1)
      x = ein::split(builder, loc, x, all.size(), factors);
    for (int64_t factor : factors) {
      digits.push_back(factors.size() > 1 ? build.addDim(factor) : dim);
      extents.push_back(factor);
      all.push_back(digits.back());
    }
  }
  // 2. P(m) .. P(1), each from the one before. P(m) is x itself: no dimension is behind the last.
  SmallVector<Access> products{{x, all}};
  for (unsigned k = digits.size(); k-- > 1;) {
    Dims kept = llvm::filter_to_vector<4>(products.back().dims, [&](int64_t dim) { return dim != digits[k]; });
    products.push_back({build.reduce(ein::Reduction::prod, products.back(), kept), kept});
  }
  // 3. From the slowest digit on: multiply the gradient by P(k) at the other values of dk. A twin dimension runs over
  // all values of dk, and where it equals dk the factor is 1.
  Access gradient = dy;
  for (unsigned k = 0; k < digits.size(); ++k) {
    Access factors = products.pop_back_val();
    Dims own = factors.dims, both = own;
    int64_t twin = build.addDim(extents[k]);
    both.push_back(twin);
    llvm::replace(factors.dims, digits[k], twin);
    Type i64 = builder.getI64Type();
    Dims pair{digits[k], twin};
    Access same{build.map(Function::eq, {build.iota(digits[k], i64), build.iota(twin, i64)}, pair), pair};
    Access others{build.map(Function::select, {same, build.constant(1, elementOf(dy.value)), factors}, both), both};
    Access product{build.reduce(ein::Reduction::prod, others, own), own};
    gradient = {build.map(Function::mul, {gradient, product}, own), own};
  }
  // 4. The products may be infinite where the gradient is dead.
  gradient = guard(gradient);
  // 5. Merge the digits to the input's axes.
  for (auto [axis, count] : llvm::enumerate(parts))
    if (count > 1)
      gradient.value = ein::merge(builder, loc, gradient.value, axis, count);
  return gradient.value;
}
