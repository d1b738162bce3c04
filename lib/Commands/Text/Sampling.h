// Draws the next token of a text.
#ifndef PLC_LIB_COMMANDS_SAMPLING_H
#define PLC_LIB_COMMANDS_SAMPLING_H

#include <cstdint>
#include <span>

namespace plc::runtime {

/// How tokens are drawn.
struct Sampling {
  double temperature = 0.8; // 0: always the most likely token
  int64_t topK = 0;         // among so many most likely ones; 0: all
  double topP = 1;          // among the most likely ones that together have this probability
  double minP = 0;          // among those that are at least so many times as likely as the most likely one
  uint64_t seed = 0;
};

/// Makes the tokens of a text less likely: divides their logits by the penalty if they are positive, else multiplies
/// them (CTRL; Keskar et al., 2019). Each once, however often it is in the text.
void penalizeRepetition(std::span<double> logits, std::span<const int64_t> text, double penalty);

/// The token that follows by these logits; -inf and NaN are never drawn. A function of logits, settings, text (`row`)
/// and position alone: without state, so other texts of the batch have no influence. Of equal logits the lower token
/// comes first. -1 if no token can be drawn.
int64_t drawToken(std::span<const double> logits, const Sampling &sampling, uint64_t row, uint64_t position);

} // namespace plc::runtime

#endif
