//===- Forms.cpp - texts that differ only in sizes ------------------------===//
// Two texts are of one form if their tokens differ in sizes and numbers alone, and in the letters of indices. Positions
// at which all texts of a form have equal tokens among each other are one size of the form.
#include "Text/Forms.h"

#include "Text/Tokens.h"

#include <algorithm>
#include <utility>

using namespace plc;
using namespace plc::import;

namespace {
struct Token {
  std::string text;
  bool isExtent = false; // within brackets of a header or of a parameter
  bool isLetter = false; // of an index
  std::string setting;   // the name that it is given to: STRIDE
  size_t line = 0;
};
using Tokens = std::vector<Token>;

/// Around a setting of a call; in front of its default.
constexpr char begins = '\x02', ends = '\x03', usually = '\x04';

class Former {
public:
  Former(const Sizes &sizes, Forms &forms) : sizes(sizes), forms(forms) {}
  void run(const std::vector<std::string> &layers);

private:
  bool isSize(const std::string &token) const;
  bool isOneForm(const Tokens &a, const Tokens &b) const;
  void generalize(const std::vector<size_t> &members);
  std::string nameFor(const std::vector<size_t> &positions, const Tokens &tokens, bool isBound);

  const Sizes &sizes;
  Forms &forms;
  std::vector<Tokens> all;
  std::set<std::string> taken; // names of the form's sizes
};
} // namespace

/// The words, and what they are by their surroundings.
static Tokens placedTokens(const std::string &text) {
  Tokens tokens;
  std::vector<std::string> words = tokensOf(text);
  int depth = 0;
  size_t line = 0;
  bool isParameter = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i], next = i + 1 < words.size() ? words[i + 1] : "";
    depth += (word == "[") - (word == "]");
    if (word == "\n") {
      ++line;
      isParameter = i + 3 < words.size() && words[i + 3] == "param";
    }
    Token token{word, depth && (line == 0 || isParameter), false, "", line};
    token.isLetter = depth && word.size() == 1 && std::islower(word[0]) && next != "[";
    if (i >= 4 && words[i - 2] == "=" && std::isupper(words[i - 4][0]))
      token.setting = words[i - 4];
    tokens.push_back(std::move(token));
  }
  // Outside of brackets, what is a letter within them on the same line is one, too.
  std::set<std::pair<size_t, std::string>> letters;
  for (const Token &token : tokens)
    if (token.isLetter)
      letters.insert({token.line, token.text});
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    tokens[i].isLetter |= tokens[i + 1].text != "[" && letters.contains({tokens[i].line, tokens[i].text});
  return tokens;
}

bool Former::isSize(const std::string &token) const {
  return std::isupper(static_cast<unsigned char>(token[0])) && sizes.has(token);
}

bool Former::isOneForm(const Tokens &a, const Tokens &b) const {
  if (a.size() != b.size())
    return false;
  std::map<std::string, std::string> there, back; // letters of indices
  for (size_t i = 0; i < a.size(); ++i) {
    const Token &x = a[i], &y = b[i];
    if (x.text == "\n") {
      there.clear();
      back.clear();
    }
    if (x.isLetter != y.isLetter || x.line != y.line)
      return false;
    if (x.isLetter) {
      if (there.try_emplace(x.text, y.text).first->second != y.text ||
          back.try_emplace(y.text, x.text).first->second != x.text)
        return false;
      continue;
    }
    bool isFree = x.isExtent || !x.setting.empty(); // where a number may be another one
    bool differs = (isSize(x.text) || (isFree && isDigits(x.text))) && (isSize(y.text) || (isFree && isDigits(y.text)));
    if (x.text != y.text && !differs)
      return false;
  }
  return true;
}

/// By the name that a called layer has for it, else a letter that no size has.
std::string Former::nameFor(const std::vector<size_t> &positions, const Tokens &tokens, bool isBound) {
  for (size_t i : positions)
    if (const std::string &name = tokens[i].setting; !name.empty() && !sizes.has(name) && taken.insert(name).second)
      return name;
  for (int number = 1;; ++number)
    for (char letter : std::string_view(isBound ? "IJXYZ" : "OPQUXYZ"))
      if (std::string name = letter + (number == 1 ? "" : std::to_string(number));
          !sizes.has(name) && taken.insert(name).second)
        return name;
}

/// The text of several members: what differs gets names.
void Former::generalize(const std::vector<size_t> &members) {
  Tokens tokens = all[members[0]];
  taken.clear();
  std::vector<std::pair<std::vector<std::string>, std::vector<size_t>>> sizesOfForm; // tokens by member; positions
  size_t inputs = 0;                                                                 // where they end
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!inputs && tokens[i].text == ")" && tokens[i + 1].text == " ")
      inputs = i;
    std::vector<std::string> values;
    for (size_t member : members)
      values.push_back(all[member][i].text);
    if (tokens[i].isLetter || std::all_of(values.begin(), values.end(), [&](auto &each) { return each == values[0]; }))
      continue;
    auto known = std::find_if(sizesOfForm.begin(), sizesOfForm.end(), [&](auto &each) { return each.first == values; });
    if (known == sizesOfForm.end())
      known = sizesOfForm.insert(known, {values, {}});
    known->second.push_back(i);
  }
  std::string given;
  for (const auto &[values, positions] : sizesOfForm) {
    // "[J" or " J" and "]" or ",": an extent alone.
    bool isBound = std::any_of(positions.begin(), positions.end(), [&](size_t i) {
      bool isFirst = tokens[i - 1].text == "[" || tokens[i - 2].text == ",";
      return i < inputs && isFirst && (tokens[i + 1].text == "]" || tokens[i + 1].text == ",");
    });
    std::string name = nameFor(positions, tokens, isBound), usual;
    for (size_t i : positions)
      tokens[i].text = name;
    if (isBound)
      continue;
    if (std::all_of(values.begin(), values.end(), isDigits)) {
      auto count = [&](const std::string &value) { return std::count(values.begin(), values.end(), value); };
      usual = *std::max_element(values.begin(), values.end(), [&](auto &a, auto &b) { return count(a) < count(b); });
    }
    given += (given.empty() ? "; " : ", ") + name + (usual.empty() ? "" : " = " + usual);
    for (size_t k = 0; k < members.size(); ++k)
      forms.uses[members[k]].settings.push_back({name, values[k], usual});
  }
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i)
    text += (i == inputs ? given : "") + tokens[i].text;
  forms.texts.push_back(std::move(text));
}

void Former::run(const std::vector<std::string> &layers) {
  std::vector<std::vector<size_t>> groups;
  forms.uses.resize(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    all.push_back(placedTokens(layers[i]));
    auto known =
        std::find_if(groups.begin(), groups.end(), [&](const auto &group) { return isOneForm(all[group[0]], all[i]); });
    if (known == groups.end())
      known = groups.insert(known, {{}});
    known->push_back(i);
    forms.uses[i].form = size_t(known - groups.begin());
  }
  for (const std::vector<size_t> &group : groups)
    generalize(group);
}

Forms::Forms(const std::vector<std::string> &layers, const Sizes &sizes) { Former(sizes, *this).run(layers); }

std::string plc::import::markSettings(const std::vector<Setting> &settings) {
  std::string text;
  for (const auto &[name, value, usual] : settings)
    text += begins + name + " = " + value + usually + usual + ends;
  return text;
}

std::string plc::import::dropUsual(const std::string &text) {
  std::string kept;
  bool isFirst = true; // of the call's settings
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != begins) {
      kept += text[at];
      isFirst = true;
      continue;
    }
    size_t end = text.find(ends, at), middle = text.find(usually, at);
    std::string setting = text.substr(at + 1, middle - at - 1), usual = text.substr(middle + 1, end - middle - 1);
    bool isUsual = !usual.empty() && setting.ends_with(" = " + usual);
    if (!isUsual)
      kept += (std::exchange(isFirst, false) ? "; " : ", ") + setting;
    at = end;
  }
  return kept;
}
