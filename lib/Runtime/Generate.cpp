#include "Runs.h"
#include "StopText.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// A language model: one integer [B, S] input, output `logits` [B, S, V].
struct LanguageModel {
  const EntryInfo *entry;
  size_t output;
  int64_t batch, window, tokens; // B, S, V
};

LanguageModel findLanguageModel(const Engine &engine) {
  const EntryInfo *entry = engine.findEntry("infer.logits");
  if (!entry)
    entry = &needEntry(engine, "infer");
  LanguageModel model{entry, entry->findOutput("logits"), 0, 0, 0};
  bool fits = model.output < entry->outputs.size() && entry->inputs.size() == 1 &&
              kindOf(entry->inputs[0].type) == ElementKind::Integer && entry->inputs[0].shape.size() == 2;
  if (fits) {
    const TensorInfo &logits = entry->outputs[model.output];
    model.batch = entry->inputs[0].shape[0];
    model.window = entry->inputs[0].shape[1];
    fits = logits.shape.size() == 3 && logits.shape[0] == model.batch && logits.shape[1] == model.window &&
           isReal(logits.type);
    model.tokens = fits ? logits.shape[2] : 0;
  }
  if (!fits)
    throw Error(BadInput, "",
                "'generate' needs a language model: one integer [B, S] input and an output 'logits' [B, S, V]");
  return model;
}

/// One text as it grows.
struct Text {
  std::string shown; // the prompt and what follows
  std::vector<int64_t> tokens;
  StopText stop;
  bool isDone = false;
};

class Generator {
public:
  Generator(const Options &options, Engine &engine, const TextCodec &codec)
      : options(options), engine(engine), codec(codec), model(findLanguageModel(engine)) {
    for (const std::string &stop : options.stops)
      if (auto mark = codec.markOf(stop))
        marks.push_back(*mark);
      else
        stops.push_back(stop);
    for (int64_t token = 0; token < model.tokens; ++token)
      known.push_back(codec.piece(token, false).has_value());
    sampling = {options.temperature, options.topK, options.topP, options.seed.value_or(0)};
  }

  /// Before any weights are loaded.
  std::vector<Text> prepare() const {
    std::vector<Text> texts;
    for (const std::string &prompt : options.prompts) {
      Text text{prompt, options.promptsAreNumbers ? numbers->encode(prompt) : codec.encode(prompt), StopText(stops)};
      if (options.codec && options.promptsAreNumbers) {
        text.shown.clear();
        for (const std::string &piece : codec.pieces(text.tokens))
          text.shown += piece;
      }
      if (text.tokens.empty())
        throw usageError("'generate' needs a nonempty '--prompt TEXT'");
      for (int64_t token : text.tokens)
        if (token < 0 || token >= model.tokens)
          throw usageError("the prompt's " + std::string(codec.noun()) + " " + std::to_string(token) +
                           " is outside the model's 0.." + std::to_string(model.tokens - 1));
      texts.push_back(std::move(text));
    }
    if (texts.empty())
      throw usageError("'generate' needs a nonempty '--prompt TEXT'");
    return texts;
  }

  /// One text is shown while it grows; several one after another, with an empty line between them.
  void run(std::vector<Text> &texts) {
    streams = texts.size() == 1;
    if (streams)
      show(texts[0].shown);
    auto batch = static_cast<size_t>(model.batch);
    for (size_t first = 0; first < texts.size(); first += batch) {
      size_t count = std::min(batch, texts.size() - first);
      grow(std::span(texts).subspan(first, count), first);
      for (size_t i = first; i < first + count && !streams; ++i)
        show((i ? "\n" : "") + texts[i].shown + "\n");
    }
    if (streams)
      show("\n");
  }

private:
  static void show(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  void grow(std::span<Text> texts, size_t firstRow) {
    for (int64_t i = 0; i < options.tokens; ++i) {
      if (std::all_of(texts.begin(), texts.end(), [](const Text &text) { return text.isDone; }))
        break;
      std::vector<Bytes> outputs = engine.run(*model.entry, {inputOf(texts)});
      for (size_t row = 0; row < texts.size(); ++row)
        if (!texts[row].isDone)
          extend(texts[row], row, firstRow + row, outputs[model.output]);
    }
    for (Text &text : texts)
      append(text, text.stop.rest());
  }

  /// A text in its row, zeros to the right of it; its last S tokens if it is longer.
  Bytes inputOf(std::span<Text> texts) const {
    const TensorInfo &info = model.entry->inputs[0];
    Bytes input(info.numBytes());
    visit(info.type, [&](auto traits) {
      using Value = typename decltype(traits)::Value;
      for (size_t row = 0; row < texts.size(); ++row)
        for (size_t i = 0, used = usedOf(texts[row]); i < used; ++i) {
          auto value = static_cast<Value>(texts[row].tokens[texts[row].tokens.size() - used + i]);
          size_t place = row * static_cast<size_t>(model.window) + i;
          std::memcpy(input.data() + place * sizeof(Value), &value, sizeof(Value));
        }
    });
    return input;
  }

  size_t usedOf(const Text &text) const { return std::min(text.tokens.size(), static_cast<size_t>(model.window)); }

  void extend(Text &text, size_t row, size_t number, const Bytes &logits) const {
    const TensorInfo &info = model.entry->outputs[model.output];
    int64_t first = (static_cast<int64_t>(row) * model.window + static_cast<int64_t>(usedOf(text)) - 1) * model.tokens;
    std::vector<double> candidates(static_cast<size_t>(model.tokens));
    for (size_t i = 0; i < candidates.size(); ++i)
      candidates[i] = known[i] ? elementAsDouble(info.type, logits.data(), first + static_cast<int64_t>(i)) : -INFINITY;
    int64_t token = drawToken(candidates, sampling, number, text.tokens.size());
    if (token < 0)
      throw Error(BadInput, "",
                  "no token can follow '" + text.shown +
                      "': each has a logit of -inf or NaN, or is none of the codec's");
    text.tokens.push_back(token);
    if (std::find(marks.begin(), marks.end(), token) != marks.end())
      text.isDone = true;
    else
      append(text, text.stop.add(*codec.piece(token, false)));
    text.isDone |= text.stop.stopped();
  }

  void append(Text &text, const std::string &piece) const {
    text.shown += piece;
    if (streams)
      show(piece);
  }

  const Options &options;
  Engine &engine;
  const TextCodec &codec;
  std::unique_ptr<TextCodec> numbers = numberCodec();
  LanguageModel model;
  std::vector<bool> known;    // by token: a model may have more than its tokenizer, up to a round number
  std::vector<int64_t> marks; // that end a text
  std::vector<std::string> stops;
  Sampling sampling;
  bool streams = false;
};

} // namespace

void runGenerate(const Options &options, Engine &engine) {
  LanguageModel model = findLanguageModel(engine);
  std::shared_ptr<const TextCodec> codec = options.codec;
  if (!codec)
    codec = options.promptsAreNumbers ? numberCodec() : byteCodec();
  if (!options.codec && !options.promptsAreNumbers && model.tokens > 256)
    throw usageError("the model has " + std::to_string(model.tokens) +
                     " tokens, which are no bytes: give '--tokenizer FILE.json' or '--prompt-ids'");
  Generator generator(options, engine, *codec);
  std::vector<Text> texts = generator.prepare();
  prepareParameters(options, engine);
  generator.run(texts);
}

} // namespace plc::runtime
