// Top-k, top-p and the Gumbel trick.
#include "Sampling.h"

#include "plc/Runtime/Tensors/InitialValues.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace plc::runtime {

namespace {

/// The tokens that may be drawn, the most likely first if that matters.
std::vector<int64_t> candidatesOf(std::span<const double> logits, const Sampling &sampling) {
  std::vector<int64_t> tokens;
  for (size_t i = 0; i < logits.size(); ++i)
    if (logits[i] > -INFINITY) // no NaN either
      tokens.push_back(static_cast<int64_t>(i));
  auto before = [&](int64_t a, int64_t b) {
    double left = logits[static_cast<size_t>(a)], right = logits[static_cast<size_t>(b)];
    return left > right || (left == right && a < b);
  };
  size_t most = sampling.temperature == 0 ? 1 : sampling.topK ? static_cast<size_t>(sampling.topK) : tokens.size();
  most = std::min(most, tokens.size());
  if (most < tokens.size() || sampling.topP < 1)
    std::partial_sort(tokens.begin(), tokens.begin() + static_cast<int64_t>(most), tokens.end(), before);
  tokens.resize(most);
  return tokens;
}

/// Nucleus sampling (Holtzman et al., 2020): keeps the most likely tokens that together have the probability topP,
/// among those that topK has left.
void keepNucleus(std::span<const double> logits, const Sampling &sampling, std::vector<int64_t> &tokens) {
  std::vector<double> weights;
  for (int64_t token : tokens)
    weights.push_back(
        plainExp((logits[static_cast<size_t>(token)] - logits[static_cast<size_t>(tokens[0])]) / sampling.temperature));
  double all = std::accumulate(weights.begin(), weights.end(), 0.0), sum = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    sum += weights[i];
    if (sum >= sampling.topP * all) {
      tokens.resize(i + 1);
      return;
    }
  }
}

/// Min-p sampling (Nguyen et al., 2024).
void keepLikely(std::span<const double> logits, const Sampling &sampling, std::vector<int64_t> &tokens) {
  double most = -INFINITY;
  for (int64_t token : tokens)
    most = std::max(most, logits[static_cast<size_t>(token)]);
  std::erase_if(tokens, [&](int64_t token) {
    return plainExp((logits[static_cast<size_t>(token)] - most) / sampling.temperature) < sampling.minP;
  });
}

} // namespace

void penalizeRepetition(std::span<double> logits, std::span<const int64_t> text, double penalty) {
  if (penalty == 1)
    return;
  std::vector<bool> seen(logits.size());
  for (int64_t token : text) {
    auto index = static_cast<size_t>(token);
    if (!seen[index])
      logits[index] = logits[index] > 0 ? logits[index] / penalty : logits[index] * penalty;
    seen[index] = true;
  }
}

int64_t drawToken(std::span<const double> logits, const Sampling &sampling, uint64_t row, uint64_t position) {
  static const uint64_t stream = hashBytes("generate");
  std::vector<int64_t> tokens = candidatesOf(logits, sampling);
  if (tokens.empty() || sampling.temperature == 0)
    return tokens.empty() ? -1 : tokens[0];
  if (sampling.topP < 1)
    keepNucleus(logits, sampling, tokens);
  if (sampling.minP > 0)
    keepLikely(logits, sampling, tokens);
  // The Gumbel trick: the largest logit / T + Gumbel noise is a draw from softmax(logits / T), without a sum over all.
  int64_t best = -1;
  double bestScore = -INFINITY;
  for (int64_t token : tokens) {
    uint64_t bits = randomBits(sampling.seed, stream + row, (position << 32) + static_cast<uint64_t>(token));
    double score =
        logits[static_cast<size_t>(token)] / sampling.temperature - plainLog(-plainLog(uniformFromBits(bits)));
    if (score > bestScore) {
      bestScore = score;
      best = token;
    }
  }
  return best;
}

} // namespace plc::runtime
