// `plc-run generate`: grows texts by a language model, token by token.
#include "GivenInputs.h"
#include "LanguageModel.h"
#include "Prompts.h"
#include "Runs.h"
#include "Sampling.h"
#include "StandingInputs.h"
#include "StopText.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/RandomKeys.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// Writes an integer as an element of a tensor.
void setElement(const TensorInfo &info, Bytes &data, size_t index, int64_t number) {
  visit(info.type, [&](auto traits) {
    using Value = typename decltype(traits)::Value;
    auto value = static_cast<Value>(number);
    std::memcpy(data.data() + index * sizeof(Value), &value, sizeof(Value));
  });
}

/// One text as it grows.
struct Text {
  std::string shown; // the prompt and what follows
  std::vector<int64_t> tokens;
  size_t promptBytes, promptTokens; // of these, how many are the prompt
  const Prompt *prompt;
  StopText stop;
  bool isDone = false;
};

/// Grows all texts of a command, a batch at a time.
class Generator {
public:
  Generator(const Options &options, Engine &engine, const TextCodec &codec)
      : options(options), engine(engine), codec(codec), model(findLanguageModel(options, engine)),
        prefill(findPromptModel(options, engine, model)), standing(options, *model.entry) {
    if (prefill)
      standingOfPrefill.emplace(options, *prefill->entry);
    for (const std::string &stop : options.stops)
      if (auto mark = codec.markOf(stop))
        marks.push_back(*mark);
      else
        stops.push_back(stop);
    for (int64_t token = 0; token < model.tokens; ++token)
      known.push_back(codec.piece(token, false).has_value());
    sampling = {options.temperature, options.topK, options.topP, options.minP, options.seed.value_or(0)};
  }

  // Encodes and checks the prompts. Called before weights are loaded, so that errors come early.
  std::vector<Text> prepare() const {
    std::vector<Text> texts;
    for (const Prompt &prompt : options.prompts)
      texts.push_back(begin(prompt));
    if (texts.empty())
      throw usageError("'generate' needs a nonempty '--prompt TEXT'");
    // One prompt begins a text for each row of the other inputs.
    int64_t rows = std::max(standing.numRows(), standingOfPrefill ? standingOfPrefill->numRows() : 0);
    if (texts.size() == 1 && rows > 1)
      texts.resize(static_cast<size_t>(rows), texts[0]);
    standing.checkRows(static_cast<int64_t>(texts.size()));
    if (standingOfPrefill)
      standingOfPrefill->checkRows(static_cast<int64_t>(texts.size()));
    return texts;
  }

  // Grows the texts. A single text is shown while it grows; several are shown one after another, with an empty line
  // between them.
  void run(std::vector<Text> &texts) {
    bool isJson = !texts[0].prompt->json.empty();
    streams = texts.size() == 1 && !isJson;
    if (streams)
      show(texts[0].shown);
    auto batch = static_cast<size_t>(model.batch);
    for (size_t first = 0; first < texts.size(); first += batch) {
      size_t count = std::min(batch, texts.size() - first);
      std::span<Text> some = std::span(texts).subspan(first, count);
      if (model.positions)
        growBySteps(some, first);
      else
        grow(some, first);
      for (Text &text : some)
        append(text, text.stop.rest());
      for (size_t i = first; i < first + count && !streams; ++i)
        show(isJson ? resultOf(texts[i]) : (i ? "\n" : "") + texts[i].shown + "\n");
    }
    if (streams)
      show("\n");
  }

private:
  Text begin(const Prompt &prompt) const {
    Text text{prompt.text, prompt.ids ? *prompt.ids : codec.encode(prompt.text), 0, 0, &prompt, StopText(stops)};
    if (prompt.ids && options.codec) {
      text.shown.clear();
      for (const std::string &piece : codec.pieces(text.tokens))
        text.shown += piece;
    }
    text.promptBytes = text.shown.size();
    text.promptTokens = text.tokens.size();
    if (auto length = static_cast<int64_t>(text.tokens.size()); length > model.positions.value_or(INT64_MAX))
      throw usageError("the prompt has " + std::to_string(length) + " " + std::string(codec.noun()) +
                       "s but the model's state holds " + std::to_string(*model.positions));
    if (text.tokens.empty())
      throw usageError("'generate' needs a nonempty '--prompt TEXT'");
    for (int64_t token : text.tokens)
      if (token < 0 || token >= model.tokens)
        throw usageError("the prompt's " + std::string(codec.noun()) + " " + std::to_string(token) +
                         " is outside the model's 0.." + std::to_string(model.tokens - 1));
    return text;
  }

  static std::string resultOf(const Text &text) {
    auto firstToken = text.tokens.begin() + static_cast<ptrdiff_t>(text.promptTokens);
    return resultLine(*text.prompt, text.shown.substr(text.promptBytes), {firstToken, text.tokens.end()}) + "\n";
  }

  static void show(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    flushStdout();
  }

  // A model that sees whole texts: each run reads all texts again.
  void grow(std::span<Text> texts, size_t firstRow) {
    for (int64_t i = 0; i < options.tokens; ++i) {
      if (std::all_of(texts.begin(), texts.end(), [](const Text &text) { return text.isDone; }))
        break;
      std::vector<Bytes> outputs = engine.run(*model.entry, inputsOf(texts, firstRow));
      for (size_t row = 0; row < texts.size(); ++row)
        if (!texts[row].isDone)
          extend(texts[row], row * static_cast<size_t>(model.window) + usedOf(texts[row]) - 1, firstRow + row,
                 outputs[model.output]);
    }
  }

  // Runs the model of --prefill. Returns how many tokens of each text it has read: those that all prompts have, but the
  // last one of the shortest. The last run may read some tokens again, which changes no bit of the states.
  size_t readPrompts(std::span<Text> texts, size_t firstRow) {
    auto some = static_cast<size_t>(prefill->tokens), length = texts[0].tokens.size() - 1;
    for (const Text &text : texts)
      length = std::min(length, text.tokens.size() - 1);
    if (prefill->text.empty())
      length = some = 0;
    else if (length < some)
      return 0;
    prefill->engine->restart(*prefill->entry);
    auto run = [&](size_t step) {
      prefill->engine->run(*prefill->entry,
                           inputsAt(*prefill->entry, *standingOfPrefill, prefill->text, texts, firstRow, step));
    };
    if (prefill->text.empty())
      run(0);
    for (size_t read = 0; read < length; read += some)
      run(std::min(read, length - some));
    std::vector<Bytes> held = prefill->engine->readStates(*prefill->entry), states = engine.readStates(*model.entry);
    for (size_t i = 0; i < states.size(); ++i)
      if (prefill->order[i])
        states[i] = std::move(held[*prefill->order[i]]);
    engine.writeStates(*model.entry, states);
    return length;
  }

  // A model with a state: each run reads one token of each text, those of the prompts first. All texts are at the same
  // position.
  void growBySteps(std::span<Text> texts, size_t firstRow) {
    engine.restart(*model.entry);
    std::vector<int64_t> left(texts.size(), options.tokens);
    for (Text &text : texts)
      text.isDone = options.tokens == 0;
    for (size_t step = prefill ? readPrompts(texts, firstRow) : 0;
         !std::all_of(texts.begin(), texts.end(), [](const Text &text) { return text.isDone; }); ++step) {
      std::vector<Bytes> outputs =
          engine.run(*model.entry, inputsAt(*model.entry, standing, model.text, texts, firstRow, step));
      for (size_t row = 0; row < texts.size(); ++row) {
        Text &text = texts[row];
        if (text.isDone || text.tokens.size() != step + 1)
          continue;
        extend(text, row, firstRow + row, outputs[model.output]);
        bool isFull = static_cast<int64_t>(step) + 1 >= *model.positions;
        if (--left[row] == 0 || isFull) {
          if (!text.isDone && left[row] > 0)
            warnUser("warning: text " + std::to_string(firstRow + row) + " ends at " +
                     std::to_string(*model.positions) + " " + std::string(codec.noun()) +
                     "s, which is what the model's state holds\n");
          text.isDone = true;
        }
      }
    }
  }

  // Keys of draws: by the number of a text in the command and, if each run sees one token, by its position. So a text
  // does not depend on its batch.
  Bytes keysOf(const TensorInfo &info, size_t firstRow, size_t position) const {
    size_t first = (info.batched() ? firstRow : 0) + (position << 32);
    return randomKeys(info, sampling.seed, noStep, static_cast<int64_t>(first));
  }

  // Inputs of a run at one position. A text that has ended, and a row without one, has token 0: samples do not depend
  // on each other.
  std::vector<Bytes> inputsAt(const EntryInfo &entry, const StandingInputs &others, const std::string &textInput,
                              std::span<Text> texts, size_t firstRow, size_t step) const {
    std::vector<Bytes> inputs;
    for (const TensorInfo &info : entry.inputs) {
      if (info.isRandom()) {
        inputs.push_back(keysOf(info, firstRow, step));
        continue;
      }
      if (info.name != textInput && info.name != positionInput) {
        inputs.push_back(others.batchOf(info, static_cast<int64_t>(firstRow)));
        continue;
      }
      Bytes &input = inputs.emplace_back(info.numBytes());
      bool isPosition = info.name == positionInput;
      auto count = static_cast<size_t>(info.numElements());
      size_t each = isPosition ? 1 : count / static_cast<size_t>(model.batch);
      for (size_t i = 0; i < count; ++i)
        if (size_t row = i / each, at = step + i % each; isPosition)
          setElement(info, input, i, static_cast<int64_t>(step));
        else if (row < texts.size() && at < texts[row].tokens.size())
          setElement(info, input, i, texts[row].tokens[at]);
    }
    return inputs;
  }

  std::vector<Bytes> inputsOf(std::span<Text> texts, size_t firstRow) const {
    std::vector<Bytes> inputs;
    for (const TensorInfo &info : model.entry->inputs)
      inputs.push_back(info.isRandom()           ? keysOf(info, firstRow, 0)
                       : info.name == model.text ? tokensOf(info, texts)
                                                 : standing.batchOf(info, static_cast<int64_t>(firstRow)));
    return inputs;
  }

  // Each text in its row, then zeros; its last S tokens if it is longer.
  Bytes tokensOf(const TensorInfo &info, std::span<Text> texts) const {
    Bytes input(info.numBytes());
    for (size_t row = 0; row < texts.size(); ++row)
      for (size_t i = 0, used = usedOf(texts[row]); i < used; ++i)
        setElement(info, input, row * static_cast<size_t>(model.window) + i,
                   texts[row].tokens[texts[row].tokens.size() - used + i]);
    return input;
  }

  size_t usedOf(const Text &text) const { return std::min(text.tokens.size(), static_cast<size_t>(model.window)); }

  // Adds a token to a text, by row `index` of the logits.
  void extend(Text &text, size_t index, size_t number, const Bytes &logits) const {
    const TensorInfo &info = model.entry->outputs[model.output];
    int64_t first = static_cast<int64_t>(index) * model.tokens;
    std::vector<double> candidates(static_cast<size_t>(model.tokens));
    for (size_t i = 0; i < candidates.size(); ++i)
      candidates[i] = known[i] ? elementAsDouble(info.type, logits.data(), first + static_cast<int64_t>(i)) : -INFINITY;
    penalizeRepetition(candidates, text.tokens, options.repetitionPenalty);
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
  LanguageModel model;
  std::optional<PromptModel> prefill;
  StandingInputs standing;
  std::optional<StandingInputs> standingOfPrefill;
  std::vector<bool> known;    // by token: some models have more than their tokenizer, rounded up
  std::vector<int64_t> marks; // tokens that end a text
  std::vector<std::string> stops;
  Sampling sampling;
  bool streams = false;
};

} // namespace

void runGenerate(const Options &options, Engine &engine) {
  checkInputFiles(options, engine);
  LanguageModel model = findLanguageModel(options, engine);
  bool isNumbers = std::all_of(options.prompts.begin(), options.prompts.end(),
                               [](const Prompt &prompt) { return prompt.ids.has_value(); }) &&
                   !options.prompts.empty();
  std::shared_ptr<const TextCodec> codec = options.codec;
  if (!codec)
    codec = isNumbers ? numberCodec() : byteCodec();
  if (!options.codec && !isNumbers && model.tokens > 256)
    throw usageError("the model has " + std::to_string(model.tokens) +
                     " tokens, which are no bytes: give '--tokenizer FILE.json' or '--prompt-ids'");
  Generator generator(options, engine, *codec);
  std::vector<Text> texts = generator.prepare();
  warnOfRandomParameters(options, engine);
  engine.keepParametersIn(*model.entry);
  prepareParameters(options, engine, /*mayLack=*/false, options.prefillEngine.get());
  generator.run(texts);
}

} // namespace plc::runtime
