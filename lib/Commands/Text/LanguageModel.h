// Which entry of a module generates text, and which of its inputs is the text.
#ifndef PLC_LIB_COMMANDS_LANGUAGEMODEL_H
#define PLC_LIB_COMMANDS_LANGUAGEMODEL_H

#include "Options.h"

namespace plc::runtime {

/// An entry that can generate text. There are two kinds.
/// - It sees whole texts: an integer input [B, S] and an output `logits` [B, S, V].
/// - It keeps a state, and sees the next token of each text: an integer input [B] or [B, 1], maybe `pos`, the position
///   of that token, and `logits` [B, V] or [B, 1, V].
/// Either may have other inputs, which `--input` gives.
struct LanguageModel {
  const EntryInfo *entry;
  std::string text; // the input of tokens
  size_t output;
  int64_t batch, window, tokens;    // B, S (1 with a state), V
  std::optional<int64_t> positions; // with a state: how many tokens it can keep
};

/// The input for the position of a token, of models with a state.
constexpr std::string_view positionInput = "pos";

/// Throws Error or usageError if there is none, or if another input is not given.
LanguageModel findLanguageModel(const Options &options, const Engine &engine);

/// The model of `--prefill`. It fills states of the model that generates. There are two kinds.
/// - It reads several tokens of each text in a run: an integer input [B, C] and `pos` [B], the position of the first of
///   them. It has the same states.
/// - It reads no text, but inputs that `--input` gives, as an encoder does. It has some of the states.
struct PromptModel {
  Engine *engine;
  const EntryInfo *entry;
  std::string text;                         // the input of tokens; empty: it reads no text
  int64_t tokens;                           // C
  std::vector<std::optional<size_t>> order; // by state of the other model: the index among this one's
};

/// Nullopt without `--prefill`. Throws Error or usageError.
std::optional<PromptModel> findPromptModel(const Options &options, const Engine &engine, const LanguageModel &model);

} // namespace plc::runtime

#endif
