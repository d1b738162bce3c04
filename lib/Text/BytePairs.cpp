// Byte-pair encoding with a queue of candidate merges.
#include "TokenModels.h"
#include "Unicode.h"

#include <memory>
#include <queue>

namespace plc::text {

namespace {

/// A merge: its index in the list, and the token that it makes.
struct Merge {
  int64_t rank, token;
};
using Pair = std::pair<int64_t, int64_t>;
struct PairHash {
  size_t operator()(const Pair &pair) const {
    return std::hash<uint64_t>()(static_cast<uint64_t>(pair.first) << 32 | static_cast<uint64_t>(pair.second));
  }
};

/// The table of merges, and the options of Hugging Face's BPE. Throws Error for options that are for training.
class BytePairs {
public:
  BytePairs(const JsonNode &json, const Vocabulary &vocabulary)
      : vocabulary(vocabulary), prefix(json.stringOr("continuing_subword_prefix", "")),
        suffix(json.stringOr("end_of_word_suffix", "")), takesWhole(json.booleanOr("ignore_merges", false)),
        fallsBack(json.booleanOr("byte_fallback", false)), fuses(json.booleanOr("fuse_unk", false)) {
    if (auto unknownToken = json.find("unk_token")) {
      unknown = tokenOf(unknownToken->string());
      if (unknown < 0)
        unknownToken->fail("is no token of the vocabulary");
    }
    if (auto dropout = json.find("dropout"))
      dropout->fail("is given, which is for training a tokenizer");
    int64_t rank = 0;
    for (const JsonNode &merge : json["merges"].elements())
      addMerge(merge, rank++);
  }

  void operator()(const std::string &piece, std::vector<int64_t> &tokens) const {
    if (takesWhole)
      if (int64_t token = tokenOf(piece); token >= 0)
        return tokens.push_back(token);
    std::vector<Symbol> symbols = symbolsOf(piece);
    mergeAll(symbols);
    for (const Symbol &symbol : symbols)
      if (symbol.token >= 0)
        tokens.push_back(symbol.token);
  }

private:
  // A token of the part so far. token -1: merged into the one before it, or without a token.
  struct Symbol {
    int64_t token;
    int64_t previous, next; // in a linked list; -1: none
  };

  int64_t tokenOf(const std::string &text) const {
    auto found = vocabulary.find(text);
    return found == vocabulary.end() ? -1 : found->second;
  }

  /// "a b", or a list of two.
  void addMerge(const JsonNode &merge, int64_t rank) {
    std::string left, right;
    if (merge.isString()) {
      std::string both = merge.string();
      size_t blank = both.find(' ');
      left = both.substr(0, blank);
      right = blank == std::string::npos ? "" : both.substr(blank + 1);
    } else {
      std::vector<JsonNode> both = merge.elements();
      if (both.size() != 2)
        merge.fail("is no pair");
      left = both[0].string();
      right = both[1].string();
    }
    Pair pair = {tokenOf(left), tokenOf(right)};
    int64_t whole = tokenOf(left + (right.starts_with(prefix) ? right.substr(prefix.size()) : right));
    if (pair.first < 0 || pair.second < 0 || whole < 0)
      merge.fail("merges '" + left + "' and '" + right + "', of which the vocabulary lacks one, or what they make");
    merges.try_emplace(pair, Merge{rank, whole});
  }

  // One symbol for each character; bytes or the unknown token for a character outside of the vocabulary.
  std::vector<Symbol> symbolsOf(const std::string &piece) const {
    std::vector<Symbol> symbols;
    bool endsUnknown = false;
    auto add = [&](int64_t token) {
      auto at = static_cast<int64_t>(symbols.size());
      symbols.push_back({token, at - 1, at + 1});
    };
    forEachCharacter(piece, [&](char32_t, size_t begin, size_t end) {
      std::string text = piece.substr(begin, end - begin);
      int64_t token = tokenOf((begin ? prefix : "") + text + (end == piece.size() ? suffix : ""));
      std::vector<int64_t> bytes = token < 0 && fallsBack ? bytesOf(text) : std::vector<int64_t>();
      bool isUnknown = token < 0 && bytes.empty();
      if (token >= 0)
        add(token);
      for (int64_t byte : bytes)
        add(byte);
      if (isUnknown && unknown >= 0 && !(fuses && endsUnknown))
        add(unknown);
      endsUnknown = isUnknown;
    });
    if (!symbols.empty())
      symbols.back().next = -1;
    return symbols;
  }

  // The tokens `<0x00>` to `<0xFF>` of a character's bytes; empty if one is missing.
  std::vector<int64_t> bytesOf(const std::string &character) const {
    std::vector<int64_t> bytes;
    for (char byte : character) {
      char name[8];
      std::snprintf(name, sizeof(name), "<0x%02X>", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      bytes.push_back(tokenOf(name));
      if (bytes.back() < 0)
        return {};
    }
    return bytes;
  }

  // Merges the best pair until none is left, in O(n log n): a queue of candidates, of which outdated ones are skipped.
  void mergeAll(std::vector<Symbol> &symbols) const {
    struct Candidate {
      int64_t rank, left, token;
      Pair pair; // when it was offered: outdated if one of them was merged since
      bool operator<(const Candidate &other) const { return std::pair(rank, left) > std::pair(other.rank, other.left); }
    };
    std::priority_queue<Candidate> queue;
    auto offer = [&](int64_t left) {
      if (left < 0 || symbols[static_cast<size_t>(left)].next < 0)
        return;
      const Symbol &symbol = symbols[static_cast<size_t>(left)];
      Pair pair = {symbol.token, symbols[static_cast<size_t>(symbol.next)].token};
      if (auto found = merges.find(pair); found != merges.end())
        queue.push({found->second.rank, left, found->second.token, pair});
    };
    for (size_t i = 0; i < symbols.size(); ++i)
      offer(static_cast<int64_t>(i));
    while (!queue.empty()) {
      Candidate best = queue.top();
      queue.pop();
      Symbol &left = symbols[static_cast<size_t>(best.left)];
      if (left.token != best.pair.first || left.next < 0 ||
          symbols[static_cast<size_t>(left.next)].token != best.pair.second)
        continue;
      Symbol &right = symbols[static_cast<size_t>(left.next)];
      left.token = best.token;
      left.next = right.next;
      right.token = -1;
      if (left.next >= 0)
        symbols[static_cast<size_t>(left.next)].previous = best.left;
      offer(left.previous);
      offer(best.left);
    }
  }

  const Vocabulary &vocabulary;
  std::string prefix, suffix;
  bool takesWhole, fallsBack, fuses;
  int64_t unknown = -1;
  std::unordered_map<Pair, Merge, PairHash> merges;
};

} // namespace

Model makeBytePairs(const JsonNode &json, const Vocabulary &vocabulary) {
  // A function is copied, the table of merges is not.
  auto pairs = std::make_shared<const BytePairs>(json, vocabulary);
  return [pairs](const std::string &piece, std::vector<int64_t> &tokens) { (*pairs)(piece, tokens); };
}

} // namespace plc::text
