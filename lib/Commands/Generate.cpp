// `plc-run generate`: grows texts by a language model, token by token.
#include "Runs.h"
#include "StopText.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Tensors/RandomKeys.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// An entry that can generate text. There are two kinds.
/// - It sees whole texts: one integer input [B, S] and an output `logits` [B, S, V].
/// - It keeps a state, and sees the next token of each text: an integer input [B] or [B, 1], maybe `pos`, the position
///   of that token, and `logits` [B, V] or [B, 1, V].
struct LanguageModel {
  const EntryInfo *entry;
  size_t output;
  int64_t batch, window, tokens;    // B, S (1 with a state), V
  std::optional<int64_t> positions; // with a state: how many tokens it can keep
};

constexpr std::string_view positionInput = "pos";

/// The inputs that the caller gives: all but keys of draws.
std::vector<TensorInfo> givenInputs(const EntryInfo &entry) {
  std::vector<TensorInfo> given;
  std::copy_if(entry.inputs.begin(), entry.inputs.end(), std::back_inserter(given),
               [](const TensorInfo &input) { return !input.isRandom(); });
  return given;
}

bool isInteger(const TensorInfo &tensor) { return kindOf(tensor.type) == ElementKind::Integer; }

/// Whether a tensor has these extents, or these with a 1 after the first.
bool hasShape(const TensorInfo &tensor, std::vector<int64_t> shape) {
  if (tensor.shape == shape)
    return true;
  shape.insert(shape.begin() + 1, 1);
  return tensor.shape == shape;
}

LanguageModel findStepModel(const EntryInfo &entry, int64_t positions) {
  LanguageModel model{&entry, entry.findOutput("logits"), 0, 1, 0, positions};
  const TensorInfo *token = nullptr;
  std::string found;
  bool fits = model.output < entry.outputs.size() && isReal(entry.outputs[model.output].type);
  std::vector<TensorInfo> inputs = givenInputs(entry);
  for (const TensorInfo &input : inputs) {
    found += (found.empty() ? "'" : ", '") + input.name + "' " + input.typeText();
    if (input.name == positionInput)
      continue;
    fits &= token == nullptr && isInteger(input) && !input.shape.empty();
    token = &input;
  }
  if (fits && token) {
    const std::vector<int64_t> &logits = entry.outputs[model.output].shape;
    model.batch = token->shape[0];
    model.tokens = logits.empty() ? 0 : logits.back();
    fits = hasShape(*token, {model.batch}) && hasShape(entry.outputs[model.output], {model.batch, model.tokens});
    for (const TensorInfo &input : inputs)
      fits &=
          input.name != positionInput || (isInteger(input) && (input.shape.empty() || hasShape(input, {model.batch})));
  }
  if (!fits || !token)
    throw Error(
        BadInput, "",
        "'generate' needs of a model with a state one integer input [B] or [B, 1], the next token of each text, "
        "an output 'logits' [B, V] or [B, 1, V], and no other input but integers 'pos' [B], where those tokens "
        "stand; found " +
            (found.empty() ? "no input" : found));
  return model;
}

LanguageModel findLanguageModel(const Engine &engine) {
  const EntryInfo *entry = engine.findEntry("infer.logits");
  if (!entry)
    entry = &needEntry(engine, "infer");
  if (std::optional<int64_t> positions = engine.statePositions(*entry))
    return findStepModel(*entry, *positions);
  LanguageModel model{entry, entry->findOutput("logits"), 0, 0, 0, std::nullopt};
  std::vector<TensorInfo> inputs = givenInputs(*entry);
  bool fits =
      model.output < entry->outputs.size() && inputs.size() == 1 && isInteger(inputs[0]) && inputs[0].shape.size() == 2;
  if (fits) {
    const TensorInfo &logits = entry->outputs[model.output];
    model.batch = inputs[0].shape[0];
    model.window = inputs[0].shape[1];
    fits = logits.shape.size() == 3 && logits.shape[0] == model.batch && logits.shape[1] == model.window &&
           isReal(logits.type);
    model.tokens = fits ? logits.shape[2] : 0;
  }
  if (!fits)
    throw Error(BadInput, "",
                "'generate' needs a language model: one integer [B, S] input and an output 'logits' [B, S, V]");
  return model;
}

/// The model of --prefill. It reads several tokens of each text in a run: an integer input [B, C] and `pos` [B], the
/// position of the first of them. It has the same states as the model that generates.
struct PromptModel {
  Engine *engine;
  const EntryInfo *entry;
  int64_t tokens;            // C
  std::vector<size_t> order; // by state of the other model: the index among this one's
};

std::optional<PromptModel> findPromptModel(const Options &options, const Engine &engine, const LanguageModel &model) {
  if (!options.prefillEngine)
    return std::nullopt;
  if (!model.positions)
    throw Error(BadInput, "",
                "'--prefill' is for a model that keeps a state, but '" + engine.modelName() + "' has none");
  PromptModel prompt{options.prefillEngine.get(), nullptr, 0, {}};
  prompt.entry = prompt.engine->findEntry("infer.logits");
  if (!prompt.entry)
    prompt.entry = &needEntry(*prompt.engine, "infer");
  std::vector<TensorInfo> inputs = givenInputs(*prompt.entry);
  if (inputs.size() != prompt.entry->inputs.size())
    throw fileError(options.prefill,
                    "draws in 'infer', so that texts would depend on how their prompts are read: leave out "
                    "'--prefill'");
  std::string found;
  bool fits = inputs.size() == 2, knowsPosition = false;
  for (const TensorInfo &input : inputs) {
    found += (found.empty() ? "'" : ", '") + input.name + "' " + input.typeText();
    bool isPosition = input.name == positionInput;
    fits &= isInteger(input) && !input.shape.empty() && input.shape[0] == model.batch &&
            input.shape.size() == (isPosition ? 1 : 2);
    knowsPosition |= isPosition;
    if (fits && !isPosition)
      prompt.tokens = input.shape[1];
  }
  if (!fits || !knowsPosition)
    throw fileError(options.prefill, "reads no prompts: expected integers [B, C], the next tokens of " +
                                         std::to_string(model.batch) +
                                         " texts, and 'pos' [B], where the first of them stand; found " +
                                         (found.empty() ? "no input" : found));
  std::vector<StateInfo> theirs = prompt.engine->states(*prompt.entry), ours = engine.states(*model.entry);
  for (const StateInfo &state : ours) {
    auto same = std::find(theirs.begin(), theirs.end(), state);
    if (same == theirs.end())
      throw fileError(options.prefill, "does not keep state '" + state.name +
                                           "' as the model does: " + std::to_string(state.bytes) + " bytes of " +
                                           std::string(nameOf(state.type)) + ", in " +
                                           std::to_string(state.microBatches) + " micro-batches");
    prompt.order.push_back(static_cast<size_t>(same - theirs.begin()));
  }
  return prompt;
}

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
  StopText stop;
  bool isDone = false;
};

/// Grows all texts of a command, a batch at a time.
class Generator {
public:
  Generator(const Options &options, Engine &engine, const TextCodec &codec)
      : options(options), engine(engine), codec(codec), model(findLanguageModel(engine)),
        prompts(findPromptModel(options, engine, model)) {
    for (const std::string &stop : options.stops)
      if (auto mark = codec.markOf(stop))
        marks.push_back(*mark);
      else
        stops.push_back(stop);
    for (int64_t token = 0; token < model.tokens; ++token)
      known.push_back(codec.piece(token, false).has_value());
    sampling = {options.temperature, options.topK, options.topP, options.seed.value_or(0)};
  }

  // Encodes and checks the prompts. Called before weights are loaded, so that errors come early.
  std::vector<Text> prepare() const {
    std::vector<Text> texts;
    for (const std::string &prompt : options.prompts) {
      Text text{prompt, options.promptsAreNumbers ? numbers->encode(prompt) : codec.encode(prompt), StopText(stops)};
      if (options.codec && options.promptsAreNumbers) {
        text.shown.clear();
        for (const std::string &piece : codec.pieces(text.tokens))
          text.shown += piece;
      }
      if (auto length = static_cast<int64_t>(text.tokens.size()); length > model.positions.value_or(INT64_MAX))
        throw usageError("the prompt has " + std::to_string(length) + " " + std::string(codec.noun()) +
                         "s but the model's state holds " + std::to_string(*model.positions));
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

  // Grows the texts. A single text is shown while it grows; several are shown one after another, with an empty line
  // between them.
  void run(std::vector<Text> &texts) {
    streams = texts.size() == 1;
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
        show((i ? "\n" : "") + texts[i].shown + "\n");
    }
    if (streams)
      show("\n");
  }

private:
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

  // Reads the tokens that all prompts have, but the last one of the shortest, by the model of --prefill; returns their
  // number. The last run may read some tokens again, which changes no bit of the states.
  size_t readPrompts(std::span<Text> texts) {
    auto some = static_cast<size_t>(prompts->tokens), length = texts[0].tokens.size() - 1;
    for (const Text &text : texts)
      length = std::min(length, text.tokens.size() - 1);
    if (length < some)
      return 0;
    prompts->engine->restart(*prompts->entry);
    for (size_t read = 0; read < length; read += some)
      prompts->engine->run(*prompts->entry, inputsAt(*prompts->entry, texts, 0, std::min(read, length - some)));
    std::vector<Bytes> held = prompts->engine->readStates(*prompts->entry), states;
    for (size_t index : prompts->order)
      states.push_back(std::move(held[index]));
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
    for (size_t step = prompts ? readPrompts(texts) : 0;
         !std::all_of(texts.begin(), texts.end(), [](const Text &text) { return text.isDone; }); ++step) {
      std::vector<Bytes> outputs = engine.run(*model.entry, inputsAt(*model.entry, texts, firstRow, step));
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
  std::vector<Bytes> inputsAt(const EntryInfo &entry, std::span<Text> texts, size_t firstRow, size_t step) const {
    std::vector<Bytes> inputs;
    for (const TensorInfo &info : entry.inputs) {
      if (info.isRandom()) {
        inputs.push_back(keysOf(info, firstRow, step));
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
      inputs.push_back(info.isRandom() ? keysOf(info, firstRow, 0) : tokensOf(info, texts));
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

  // Adds a token to a text, by row `place` of the logits.
  void extend(Text &text, size_t index, size_t number, const Bytes &logits) const {
    const TensorInfo &info = model.entry->outputs[model.output];
    int64_t first = static_cast<int64_t>(index) * model.tokens;
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
  std::optional<PromptModel> prompts; // of --prefill
  std::vector<bool> known;            // by token: some models have more than their tokenizer, rounded up
  std::vector<int64_t> marks;         // tokens that end a text
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
  warnOfRandomParameters(options, engine);
  engine.keepParametersIn(*model.entry);
  prepareParameters(options, engine);
  if (options.prefillEngine)
    prepareParameters(options, *options.prefillEngine);
  generator.run(texts);
}

} // namespace plc::runtime
