// Which token follows.
#ifndef PLC_LIB_COMMANDS_SAMPLING_H
#define PLC_LIB_COMMANDS_SAMPLING_H

#include <cstdint>
#include <span>

namespace plc::runtime {

struct Sampling {
  double temperature = 0.8; // 0: the likeliest token
  int64_t topK = 0;         // of so many likeliest tokens; 0: of all
  double topP = 1;          // of the likeliest ones that together have at least this probability
  uint64_t seed = 0;
};

/// The token that follows by these logits; -inf is never drawn. A function of the logits, the settings, and of which text
/// (`row`) and which of its tokens (`position`) is asked for: no state, so it does not matter what is drawn beside it. Of
/// equal logits the lower token comes first. -1 if no logit is more than -inf.
int64_t drawToken(std::span<const double> logits, const Sampling &sampling, uint64_t row, uint64_t position);

} // namespace plc::runtime

#endif
