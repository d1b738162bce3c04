// The models that cut a word into tokens.
#ifndef PLC_LIB_TEXT_TOKENMODELS_H
#define PLC_LIB_TEXT_TOKENMODELS_H

#include "plc/Support/JsonNode.h"

#include <functional>
#include <unordered_map>

namespace plc::text {

using Vocabulary = std::unordered_map<std::string, int64_t>;

/// Appends the tokens of a part.
using Model = std::function<void(const std::string &piece, std::vector<int64_t> &tokens)>;

/// BPE (Sennrich et al., "Neural machine translation of rare words with subword units", 2016): the characters of a part
/// are merged pair by pair, at each time the leftmost of the pairs that stand first in the list.
Model makeBytePairs(const JsonNode &json, const Vocabulary &vocabulary);

/// WordPiece (Schuster and Nakajima, "Japanese and Korean voice search", 2012), as BERT has it: again and again the
/// longest token that the rest begins with.
Model makeWordPieces(const JsonNode &json, const Vocabulary &vocabulary);

Model makeModel(const JsonNode &json, const Vocabulary &vocabulary);

} // namespace plc::text

#endif
