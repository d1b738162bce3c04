//===- Contract.cpp - the definition of sums of products ------------------===//
#include "EquationKinds.h"

#include "plc/Numerics/Value.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace plc::reference {
namespace {

// The numerics fix the lengths of blocks. `tileWidth` only makes the interpreter faster: results are independent.
constexpr int64_t blockLength = 256;
constexpr int64_t pairBlockLength = 32;
constexpr int64_t tileWidth = 32;

// T is the element, S the type of the sum: factors become S exactly, and a sum becomes T with one rounding.

/// The end of the block that starts at element `begin`.
int64_t endOfBlock(int64_t begin, int64_t numSummed, SumBlocks blocks) {
  int64_t end = std::min(begin + (blocks.pairs ? pairBlockLength : blockLength), numSummed);
  return blocks.anew ? std::min(end, (begin / blocks.anew + 1) * blocks.anew) : end;
}

/// Continues the chains of `tileWidth` neighbouring results by one block. b is packed as [k][tileWidth].
template <typename T, typename S>
void addBlock(const T *a, const int64_t *aOffsets, const S *b, int64_t length, S *__restrict chains) {
  S c[tileWidth];
  std::copy_n(chains, tileWidth, c);
  for (int64_t k = 0; k < length; ++k) {
    S factor = static_cast<S>(a[aOffsets[k]]);
    for (int64_t j = 0; j < tileWidth; ++j)
      c[j] = numerics::fma(factor, b[k * tileWidth + j], c[j]);
  }
  std::copy_n(c, tileWidth, chains);
}

/// A subnormal number as a zero of its sign.
float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }

/// Whether the exact a * b + c is tiny, given that it rounds to the least normal number. The instructions decide this
/// by a result of 24 bits with unbounded exponent: tiny means below 2^-126 there. A tie rounds up to it.
bool isTiny(float a, float b, float c) {
  // The sum of product and c in f64, with its exact rounding error.
  double product = static_cast<double>(a) * b, sum = product + c, part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  constexpr double half = 0x1.ffffffp-127; // between it and the number below it
  return std::fabs(sum) < half || (std::fabs(sum) == half && std::signbit(sum) != std::signbit(error) && error != 0);
}

/// Continues the chain of each of `tileWidth` results by one product; subnormal results become zeros.
void addProducts(float a, const float *b, float *__restrict c) {
  float next[tileWidth];
  bool least = false;
  for (int64_t j = 0; j < tileWidth; ++j) {
    next[j] = numerics::fma(a, b[j], c[j]);
    least |= std::fabs(next[j]) == 0x1p-126f;
  }
  // A result of 2^-126 may have been rounded up from a tiny one, which the instructions flush.
  for (int64_t j = 0; least && j < tileWidth; ++j)
    if (std::fabs(next[j]) == 0x1p-126f && isTiny(a, b[j], c[j]))
      next[j] = std::copysign(0.0f, next[j]);
  for (int64_t j = 0; j < tileWidth; ++j)
    c[j] = flushed(next[j]);
}

/// As addBlock, one block of pairs: two chains from 0, added, then added to `sums`. Missing products are those of
/// zeros.
template <typename T>
void addPairBlock(const T *a, const int64_t *aOffsets, const float *b, int64_t length, float *sums) {
  float chains[2][tileWidth] = {}, zeros[tileWidth] = {};
  for (int64_t k = 0; k < pairBlockLength; ++k)
    if (k < length)
      addProducts(flushed(static_cast<float>(a[aOffsets[k]])), b + k * tileWidth, chains[k % 2]);
    else
      addProducts(0, zeros, chains[k % 2]);
  for (int64_t j = 0; j < tileWidth; ++j)
    sums[j] = flushed(flushed(sums[j]) + flushed(chains[0][j] + chains[1][j]));
}

/// The kept dimensions of a product of two factors, by the factors that have them.
struct Split {
  std::vector<int64_t> both, left, right;
};

Split splitDimensions(const Extents &extents, const Operand &a, const Operand &b, const std::vector<int64_t> &summed) {
  Split split;
  for (int64_t dim = 0; dim < int64_t(extents.size()); ++dim) {
    if (std::find(summed.begin(), summed.end(), dim) != summed.end())
      continue;
    if (a.strides[dim] && b.strides[dim])
      split.both.push_back(dim);
    else
      (a.strides[dim] ? split.left : split.right).push_back(dim);
  }
  return split;
}

template <typename T, typename S>
// Two factors. Blocks in the order of the sum, and for each block all rows, so that b is packed once.
void contractPair(const Extents &extents, const Operand &a, const Operand &b, const Operand &result,
                  const std::vector<int64_t> &summed, SumBlocks blocks, bool accumulate) {
  Split split = splitDimensions(extents, a, b, summed);
  auto offsets = [&](const std::vector<int64_t> &dims, const Operand &operand) {
    return flattenedOffsets(extents, dims, operand.strides);
  };
  std::vector<int64_t> aBoth = offsets(split.both, a), bBoth = offsets(split.both, b),
                       rBoth = offsets(split.both, result), aLeft = offsets(split.left, a),
                       rLeft = offsets(split.left, result), bRight = offsets(split.right, b),
                       rRight = offsets(split.right, result), aSum = offsets(summed, a), bSum = offsets(summed, b);
  const T *left = a.as<T>(), *right = b.as<T>();
  T *out = result.as<T>();
  int64_t numRight = bRight.size(), numSummed = aSum.size();
  std::vector<S> packed(blockLength * tileWidth), sums(aLeft.size() * tileWidth);
  for (size_t batch = 0; batch < aBoth.size(); ++batch)
    for (int64_t n = 0; n < numRight; n += tileWidth) {
      int64_t width = std::min(tileWidth, numRight - n);
      for (int64_t k = 0, end = 0; k < numSummed; k = end) {
        end = endOfBlock(k, numSummed, blocks);
        int64_t length = end - k;
        bool first = k == 0, last = end == numSummed;
        for (int64_t i = 0; i < length; ++i)
          for (int64_t j = 0; j < width; ++j)
            packed[i * tileWidth + j] = static_cast<S>(right[bBoth[batch] + bSum[k + i] + bRight[n + j]]);
        if constexpr (std::is_same_v<S, float>)
          if (blocks.pairs)
            std::transform(packed.begin(), packed.begin() + length * tileWidth, packed.begin(), flushed);
        for (size_t m = 0; m < aLeft.size(); ++m) {
          S chains[tileWidth] = {}, *sum = &sums[m * tileWidth];
          T *row = out + rBoth[batch] + rLeft[m];
          if (first)
            for (int64_t j = 0; j < width; ++j)
              sum[j] = accumulate ? static_cast<S>(row[rRight[n + j]]) : S(0);
          if (blocks.chain || blocks.pairs)
            std::copy_n(sum, width, chains);
          const T *factors = left + aBoth[batch] + aLeft[m];
          if constexpr (std::is_same_v<S, float>)
            if (blocks.pairs)
              addPairBlock(factors, &aSum[k], packed.data(), length, chains);
          if (!blocks.pairs)
            addBlock(factors, &aSum[k], packed.data(), length, chains);
          for (int64_t j = 0; j < width; ++j) {
            bool stores = blocks.chain || blocks.pairs || (first && !accumulate);
            sum[j] = stores ? chains[j] : sum[j] + chains[j];
            if (last)
              row[rRight[n + j]] = static_cast<T>(sum[j]);
          }
        }
      }
    }
}

/// Any number of factors, one result at a time.
template <typename T, typename S>
void contractAny(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result,
                 const std::vector<int64_t> &summed, SumBlocks blocks, bool accumulate) {
  std::vector<int64_t> kept;
  for (int64_t dim = 0; dim < int64_t(extents.size()); ++dim)
    if (std::find(summed.begin(), summed.end(), dim) == summed.end())
      kept.push_back(dim);
  std::vector<std::vector<int64_t>> keptOffsets, sumOffsets;
  for (const Operand &input : inputs) {
    keptOffsets.push_back(flattenedOffsets(extents, kept, input.strides));
    sumOffsets.push_back(flattenedOffsets(extents, summed, input.strides));
  }
  std::vector<int64_t> outOffsets = flattenedOffsets(extents, kept, result.strides);
  size_t last = inputs.size() - 1;
  int64_t numSummed = sumOffsets[0].size();
  for (size_t r = 0; r < outOffsets.size(); ++r) {
    T &element = result.as<T>()[outOffsets[r]];
    S sum = accumulate ? static_cast<S>(element) : S(0);
    for (int64_t begin = 0, end = 0; begin < numSummed; begin = end) {
      end = endOfBlock(begin, numSummed, blocks);
      S chain = blocks.chain ? sum : S(0);
      for (int64_t k = begin; k < end; ++k) {
        auto factor = [&](size_t i) { return static_cast<S>(inputs[i].as<T>()[keptOffsets[i][r] + sumOffsets[i][k]]); };
        S product = factor(0);
        for (size_t i = 1; i < last; ++i)
          product *= factor(i);
        chain = numerics::fma(product, last ? factor(last) : S(1), chain);
      }
      sum = !blocks.chain && (begin || accumulate) ? sum + chain : chain;
    }
    element = static_cast<T>(sum);
  }
}

template <typename T, typename S>
void contractTyped(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result,
                   const std::vector<int64_t> &summed, SumBlocks blocks, bool accumulate) {
  if (inputs.size() != 2)
    return contractAny<T, S>(extents, inputs, result, summed, blocks, accumulate);
  // Swapping two factors changes no bit. The one with more results side by side becomes the second, since the loop
  // computes `tileWidth` neighbours at a time.
  int64_t left = 1, right = 1;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (result.strides[dim])
      (inputs[0].strides[dim] ? left : right) *= extents[dim];
  bool swap = right < tileWidth && left > right;
  contractPair<T, S>(extents, inputs[swap], inputs[!swap], result, summed, blocks, accumulate);
}

} // namespace

void contract(const Extents &extents, const std::vector<Operand> &inputs, const Operand &result, ElementType sum,
              const std::vector<int64_t> &summed, SumBlocks blocks, bool accumulate) {
  visitReal(result.element, [&](auto element) {
    visitReal(sum, [&](auto wider) {
      using T = typename decltype(element)::Value;
      using S = typename decltype(wider)::Value;
      contractTyped<T, S>(extents, inputs, result, summed, blocks, accumulate);
    });
  });
}

} // namespace plc::reference
