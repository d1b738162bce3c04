// The models that cut a word into tokens.
#ifndef PLC_LIB_TEXT_TOKENMODELS_H
#define PLC_LIB_TEXT_TOKENMODELS_H

#include "Json.h"

#include <functional>
#include <unordered_map>

namespace plc::text {

using Vocabulary = std::unordered_map<std::string, int64_t>;

/// Appends the tokens of a part.
using Model = std::function<void(const std::string &part, std::vector<int64_t> &tokens)>;

/// BPE (Sennrich et al., "Neural machine translation of rare words with subword units", 2016). Merges the characters of
/// a part pair by pair: each time the pair that is first in the list of merges, and the leftmost of these.
Model makeBytePairs(const Json &json, const Vocabulary &vocabulary);

/// WordPiece (Schuster and Nakajima, "Japanese and Korean voice search", 2012), as in BERT: repeatedly takes the
/// longest token that the rest begins with.
Model makeWordPieces(const Json &json, const Vocabulary &vocabulary);

/// By the type in `json`. `vocabulary` must outlive the model.
Model makeModel(const Json &json, const Vocabulary &vocabulary);

} // namespace plc::text

#endif
