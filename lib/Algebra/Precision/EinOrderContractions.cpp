//===- EinOrderContractions.cpp - binary contractions, cheapest order -----===//
#include "Base/Bodies.h"
#include "Base/Equations.h"
#include "plc/Algebra/Passes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Format.h"

#include <limits>

#define DEBUG_TYPE "ein-order-contractions"

namespace plc::algebra {
#define GEN_PASS_DEF_EINORDERCONTRACTIONS
#include "lib/Algebra/Passes.h.inc"
} // namespace plc::algebra

using namespace mlir;
using namespace plc;
using namespace plc::algebra;

namespace {

// Times of the cost model: ns for a multiply-add of a matrix product, and for an element read or written. Constants,
// and not the machine's measured rates, because the order of a product is part of the numerics and must be equal on all
// machines. No measurement is recorded; only their ratio decides, and it makes an extra pass over an element as costly
// as 20 multiply-adds.
constexpr double nsPerMultiply = 0.02, nsPerElement = 0.4;
// Not tuned. It bounds the search by 2^12 sets and 3^12 = 531,441 splits.
constexpr unsigned exactFactors = 12;

/// The order of a product of n factors.
///
/// Variables: a binary tree over the factors. Objective: its modelled time. Constraints: none; each tree computes the
/// product.
///
/// Dynamic programming over subsets, as for join orders (Vance and Maier, Rapid Bushy Join-order Optimization with
/// Cartesian Products, 1996). Exact up to 12 factors, O(3^n). Beyond, the cheapest pair is multiplied first, O(n^3),
/// until 12 are left. Among equal costs the first split found wins.
class ProductOrder {
public:
  ProductOrder(EquationBuilder &build, SmallVector<Access> factors, ArrayRef<int64_t> extents, Dims result)
      : build(build), extents(extents), result(std::move(result)), factors(std::move(factors)) {}

  // Multiplies in the best order; `into` is the accumulator of the last product.
  Value multiply(Value into) {
    while (factors.size() > exactFactors)
      multiplyCheapestPair();
    unsigned all = (1u << factors.size()) - 1;
    best.assign(all + 1, 0);
    split.assign(all + 1, 0);
    for (unsigned set = 1; set <= all; ++set)
      // Sets with at least two factors, smaller numbers first: all subsets of a set come before it.
      if (set & (set - 1))
        solve(set);
    report(all);
    unsigned left = split[all], right = all & ~left;
    return build.product({emit(left), emit(right)}, result, into);
  }

private:
  // The dimensions that the product of a set of factors must keep: those of the result and of the factors outside.
  Dims kept(ArrayRef<int64_t> dims, unsigned set) const {
    Dims dimsKept;
    for (int64_t dim : distinct(dims)) {
      bool outside = contains(result, dim);
      for (unsigned i = 0; i < factors.size(); ++i)
        outside |= !(set >> i & 1) && contains(factors[i].dims, dim);
      if (outside)
        dimsKept.push_back(dim);
    }
    return dimsKept;
  }

  // The dimensions of the product of a set.
  Dims dimsOfSet(unsigned set) const {
    Dims dims;
    for (unsigned i = 0; i < factors.size(); ++i)
      if (set >> i & 1)
        llvm::append_range(dims, factors[i].dims);
    return (set & (set - 1)) ? kept(dims, set) : dims;
  }

  double elements(ArrayRef<int64_t> dims) const {
    double product = 1;
    for (int64_t dim : dims)
      product *= extents[dim];
    return product;
  }

  // The modelled time of multiplying two products.
  double cost(unsigned a, unsigned b) const {
    Dims left = dimsOfSet(a), right = dimsOfSet(b), out = dimsOfSet(a | b), all(left);
    llvm::append_range(all, right);
    all = distinct(all);
    double moved = read(a, left) + read(b, right) + elements(out);
    if (isOneContraction({factorOf(a), left}, {factorOf(b), right}, out))
      return elements(all) * nsPerMultiply + moved * nsPerElement;
    // An elementwise product, then a sum: the product is written and read in between.
    return (elements(all) + moved) * nsPerElement; // an elementwise product, then a sum
  }

  // The factor of a set of one; null for larger sets, which products of factors make.
  Value factorOf(unsigned set) const { return set & (set - 1) ? Value() : factors[llvm::countr_zero(set)].value; }

  // Elements that reading a factor moves. A table that is read in place is never read more than once as a whole.
  double read(unsigned set, ArrayRef<int64_t> dims) const {
    auto gather = factorOf(set) ? factorOf(set).getDefiningOp<ein::GatherOp>() : ein::GatherOp();
    if (!gather)
      return elements(dims);
    return std::min(elements(dims), double(cast<RankedTensorType>(gather.getTable().getType()).getNumElements()));
  }

  // Finds the best split of a set into two.
  void solve(unsigned set) {
    unsigned lowest = set & -set;
    best[set] = std::numeric_limits<double>::infinity();
    // The side with the first factor is the left one, as in the rule. So each split is seen once.
    for (unsigned left = (set - 1) & set; left; left = (left - 1) & set) {
      if (!(left & lowest))
        continue;
      double total = best[left] + best[set & ~left] + cost(left, set & ~left);
      LDBG(2) << "factors " << llvm::format_hex(left, 2) << " of " << llvm::format_hex(set, 2) << " first: " << total
              << " ns";
      if (total < best[set]) {
        best[set] = total;
        split[set] = left;
      }
    }
  }

  // Emits the equations of a set, by its best splits.
  Access emit(unsigned set) {
    if (!(set & (set - 1)))
      return factors[llvm::countr_zero(set)];
    Access left = emit(split[set]), right = emit(set & ~split[set]);
    Dims dims(left.dims);
    llvm::append_range(dims, right.dims);
    dims = kept(dims, set);
    return {build.product({left, right}, dims), dims};
  }

  // Remarks what the order costs by the model, beside the written order.
  void report(unsigned all) const {
    if (factors.size() < 3)
      return;
    double written = 0;
    for (unsigned left = 1; left != all; left = left << 1 | 1)
      written += cost(left, left + 1);
    remark::passed(build.getLoc(), remark::RemarkOpts::name("Ordered").category(DEBUG_TYPE))
        << remark::add("ordered {0} factors as {1}: {2:f1} ns instead of {3:f1} ns from left to right", factors.size(),
                       text(all), best[all], written);
  }

  // The tree as text: (0 (1 2)).
  std::string text(unsigned set) const {
    if (!(set & (set - 1)))
      return std::to_string(llvm::countr_zero(set));
    return "(" + text(split[set]) + " " + text(set & ~split[set]) + ")";
  }

  // Greedy step for long products: multiplies the pair with the lowest cost.
  void multiplyCheapestPair() {
    double least = std::numeric_limits<double>::infinity();
    unsigned a = 0, b = 1;
    for (unsigned i = 0; i < factors.size(); ++i)
      for (unsigned j = i + 1; j < factors.size(); ++j)
        if (double time = pairCost(i, j); time < least)
          std::tie(least, a, b) = std::tuple(time, i, j);
    Dims dims = pairDims(a, b);
    factors[a] = {build.product({factors[a], factors[b]}, dims), dims};
    factors.erase(factors.begin() + b);
  }

  // The dimensions of the product of two factors that others or the result need.
  Dims pairDims(unsigned a, unsigned b) const {
    Dims all(factors[a].dims), needed(result), dims;
    llvm::append_range(all, factors[b].dims);
    for (unsigned i = 0; i < factors.size(); ++i)
      if (i != a && i != b)
        llvm::append_range(needed, factors[i].dims);
    for (int64_t dim : distinct(all))
      if (contains(needed, dim))
        dims.push_back(dim);
    return dims;
  }

  // The modelled time of one pair: its multiply-adds and the elements that it writes.
  double pairCost(unsigned a, unsigned b) const {
    Dims all(factors[a].dims);
    llvm::append_range(all, factors[b].dims);
    return elements(distinct(all)) * nsPerMultiply + elements(pairDims(a, b)) * nsPerElement;
  }

  EquationBuilder &build;
  ArrayRef<int64_t> extents;
  Dims result;
  SmallVector<Access> factors;
  std::vector<double> best;
  std::vector<unsigned> split;
};

// Sums dimensions that only one factor has before anything is multiplied: no product needs them.
Access sumLone(EquationBuilder &build, ArrayRef<Access> factors, unsigned index, ArrayRef<int64_t> result) {
  Dims needed(result), dims;
  for (unsigned other = 0; other < factors.size(); ++other)
    if (other != index)
      llvm::append_range(needed, factors[other].dims);
  for (int64_t dim : distinct(factors[index].dims))
    if (contains(needed, dim))
      dims.push_back(dim);
  return {build.product(factors[index], dims), dims};
}

// Replaces a contraction by binary ones.
void order(ein::ContractOp op) {
  if (op.getInputs().size() < 2)
    return;
  OpBuilder builder(op);
  EquationBuilder build(builder, op.getLoc(), domainOf(op));
  Dims result = resultOf(op).dims;
  SmallVector<Access> inputs = inputsOf(op), factors;
  for (unsigned i = 0; i < inputs.size(); ++i)
    factors.push_back(sumLone(build, inputs, i, result));
  Value value = ProductOrder(build, factors, op.getExtents(), result).multiply(op.getAccumulator());
  op.replaceAllUsesWith(value);
  op.erase();
}

struct EinOrderContractions : algebra::impl::EinOrderContractionsBase<EinOrderContractions> {
  void runOnOperation() override {
    if (failed(requireEquations(getOperation())))
      return signalPassFailure();
    for (ein::FuncOp body : getOperation().getOps<ein::FuncOp>()) {
      orderContractions(body);
      chooseLayouts(body.getBody().front());
    }
  }
};

} // namespace

void algebra::orderContractions(ein::FuncOp body) {
  body.walk([](ein::ContractOp op) { order(op); });
}
