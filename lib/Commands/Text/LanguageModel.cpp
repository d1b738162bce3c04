// Finds the inputs of a language model by their types and shapes.
#include "LanguageModel.h"

#include "plc/Support/Nearest.h"

#include <algorithm>

namespace plc::runtime {

namespace {

bool isInteger(const TensorInfo &tensor) { return kindOf(tensor.type) == ElementKind::Integer; }

/// Whether a tensor has these extents, or these with a 1 after the first.
bool hasShape(const TensorInfo &tensor, std::vector<int64_t> shape) {
  if (tensor.shape == shape)
    return true;
  shape.insert(shape.begin() + 1, 1);
  return tensor.shape == shape;
}

bool isGiven(const Options &options, const std::string &name) {
  return std::any_of(options.inputs.begin(), options.inputs.end(),
                     [&](const TensorOption &option) { return option.name == name; });
}

/// The inputs of an entry that generate must find a value for.
struct OpenInputs {
  std::vector<TensorInfo> open; // neither given nor draws
  std::string found;            // all but draws, for messages
  bool hasDraws = false;

  OpenInputs(const Options &options, const EntryInfo &entry) {
    for (const TensorInfo &input : entry.inputs) {
      if (input.isRandom()) {
        hasDraws = true;
        continue;
      }
      found += (found.empty() ? "'" : ", '") + input.name + "' " + input.typeText();
      if (!isGiven(options, input.name))
        open.push_back(input);
    }
    if (found.empty())
      found = "no input";
  }
};

[[noreturn]] void refuseMissing(const TensorInfo &input, const std::string &text) {
  throw usageError("input '" + input.name + "' (" + input.typeText() + ") is not given: add --input " + input.name +
                   "=@FILE or " + input.name + "=NUMBERS; the text is '" + text + "'");
}

/// The only open input that may be the text. Throws if a further one is open; nullopt if none may be the text.
template <class MayBeText>
std::optional<TensorInfo> findText(const OpenInputs &inputs, MayBeText mayBeText) {
  std::optional<TensorInfo> text;
  for (const TensorInfo &input : inputs.open) {
    if (!mayBeText(input))
      continue;
    if (text)
      throw usageError("the text may be '" + text->name + "' or '" + input.name +
                       "': give the other one by --input NAME=@FILE");
    text = input;
  }
  for (const TensorInfo &input : inputs.open)
    if (text && input.name != text->name && input.name != positionInput)
      refuseMissing(input, text->name);
  return text;
}

const EntryInfo &textEntry(const Engine &engine) {
  const EntryInfo *entry = engine.findEntry("infer.logits");
  return entry ? *entry : needEntry(engine, "infer");
}

LanguageModel findStepModel(const Options &options, const EntryInfo &entry, int64_t positions) {
  LanguageModel model{&entry, "", entry.findOutput("logits"), 0, 1, 0, positions};
  OpenInputs inputs(options, entry);
  std::optional<TensorInfo> text;
  if (model.output < entry.outputs.size() && isReal(entry.outputs[model.output].type)) {
    const TensorInfo &logits = entry.outputs[model.output];
    model.batch = logits.shape.empty() ? 0 : logits.shape[0];
    model.tokens = logits.shape.empty() ? 0 : logits.shape.back();
    if (hasShape(logits, {model.batch, model.tokens}))
      text = findText(inputs, [&](const TensorInfo &input) {
        return input.name != positionInput && isInteger(input) && hasShape(input, {model.batch});
      });
  }
  bool fits = text.has_value();
  for (const TensorInfo &input : inputs.open)
    fits &=
        input.name != positionInput || (isInteger(input) && (input.shape.empty() || hasShape(input, {model.batch})));
  if (!fits)
    throw Error(
        BadInput, "",
        "'generate' needs of a model with a state one integer input [B] or [B, 1], the next token of each text, "
        "an output 'logits' [B, V] or [B, 1, V], and no other input but integers 'pos' [B], where those tokens "
        "stand; found " +
            inputs.found)
        .note("'--input NAME=@FILE' gives further inputs");
  model.text = text->name;
  return model;
}

/// Throws if `--input` names no input of the model, or one that generate gives.
void checkNames(const Options &options, const LanguageModel &model, const EntryInfo *prompts) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const std::string &name = options.inputs[i].name;
    for (size_t j = 0; j < i; ++j)
      if (options.inputs[j].name == name)
        throw usageError("input '" + name + "' is given twice");
    if (model.positions && name == positionInput)
      throw usageError("input '" + name + "' is where a token stands, which 'generate' gives itself");
    Nearest nearest(name);
    bool known = false;
    for (const EntryInfo *entry : {model.entry, prompts})
      for (const TensorInfo &input : entry ? entry->inputs : std::vector<TensorInfo>()) {
        if (input.name == name && input.isRandom())
          throw usageError("input '" + name + "' has the keys of draws, which follow from '--seed' in 'generate'");
        known |= input.name == name;
        nearest.offer(input.name);
      }
    if (!known)
      throw usageError("the model has no input '" + name + "'" + nearest.text());
  }
}

} // namespace

LanguageModel findLanguageModel(const Options &options, const Engine &engine) {
  const EntryInfo &entry = textEntry(engine);
  const EntryInfo *prompts = options.prefillEngine ? &textEntry(*options.prefillEngine) : nullptr;
  if (std::optional<int64_t> positions = engine.statePositions(entry)) {
    checkNames(options, {&entry, "", 0, 0, 0, 0, positions}, prompts);
    return findStepModel(options, entry, *positions);
  }
  LanguageModel model{&entry, "", entry.findOutput("logits"), 0, 0, 0, std::nullopt};
  checkNames(options, model, prompts);
  std::optional<TensorInfo> text;
  if (model.output < entry.outputs.size()) {
    const TensorInfo &logits = entry.outputs[model.output];
    if (logits.shape.size() == 3 && isReal(logits.type))
      text = findText(OpenInputs(options, entry), [&](const TensorInfo &input) {
        return isInteger(input) && input.shape == std::vector(logits.shape.begin(), logits.shape.end() - 1);
      });
    if (text) {
      model.text = text->name;
      model.batch = logits.shape[0];
      model.window = logits.shape[1];
      model.tokens = logits.shape[2];
    }
  }
  if (!text)
    throw Error(BadInput, "",
                "'generate' needs a language model: one integer [B, S] input and an output 'logits' [B, S, V]");
  return model;
}

namespace {

/// Finds the inputs of a model that reads prompts: integers [B, C] and `pos` [B].
void findPromptInputs(const Options &options, const OpenInputs &inputs, int64_t batch, PromptModel &prompt) {
  bool fits = inputs.open.size() == 2, knowsPosition = false;
  for (const TensorInfo &input : inputs.open) {
    bool isPosition = input.name == positionInput;
    fits &= isInteger(input) && !input.shape.empty() && input.shape[0] == batch &&
            input.shape.size() == (isPosition ? 1 : 2);
    knowsPosition |= isPosition;
    if (fits && !isPosition) {
      prompt.text = input.name;
      prompt.tokens = input.shape[1];
    }
  }
  if (!fits || !knowsPosition)
    throw fileError(options.prefill, "reads no prompts: expected integers [B, C], the next tokens of " +
                                         std::to_string(batch) +
                                         " texts, and 'pos' [B], where the first of them stand; found " + inputs.found);
}

std::string describeState(const StateInfo &state) {
  return std::to_string(state.bytes) + " bytes of " + std::string(nameOf(state.type)) + ", in " +
         std::to_string(state.microBatches) + " micro-batches";
}

/// Matches the states by name. A model that reads no text may have some of them only.
void matchStates(const Options &options, const std::vector<StateInfo> &ours, const std::vector<StateInfo> &theirs,
                 PromptModel &prompt) {
  for (const StateInfo &state : ours) {
    auto same = std::find(theirs.begin(), theirs.end(), state);
    bool isLeft = prompt.text.empty() && std::none_of(theirs.begin(), theirs.end(),
                                                      [&](const StateInfo &each) { return each.name == state.name; });
    if (same == theirs.end() && !isLeft)
      throw fileError(options.prefill,
                      "does not keep state '" + state.name + "' as the model does: " + describeState(state));
    prompt.order.push_back(isLeft ? std::nullopt : std::optional(static_cast<size_t>(same - theirs.begin())));
  }
  if (!prompt.text.empty())
    return;
  if (theirs.empty())
    throw fileError(options.prefill, "reads no prompts and keeps no state, so it gives the model nothing");
  for (const StateInfo &state : theirs) {
    Nearest nearest(state.name);
    bool known = false;
    for (const StateInfo &each : ours) {
      known |= each.name == state.name;
      nearest.offer(each.name);
    }
    if (!known)
      throw fileError(options.prefill,
                      "keeps state '" + state.name + "', which the model does not have" + nearest.text());
  }
}

} // namespace

std::optional<PromptModel> findPromptModel(const Options &options, const Engine &engine, const LanguageModel &model) {
  if (!options.prefillEngine)
    return std::nullopt;
  if (!model.positions)
    throw Error(BadInput, "",
                "'--prefill' is for a model that keeps a state, but '" + engine.modelName() + "' has none");
  PromptModel prompt{options.prefillEngine.get(), &textEntry(*options.prefillEngine), "", 0, {}};
  OpenInputs inputs(options, *prompt.entry);
  if (inputs.hasDraws)
    throw fileError(options.prefill,
                    "draws in 'infer', so that texts would depend on how their prompts are read: leave out "
                    "'--prefill'");
  bool readsText = !inputs.open.empty() || prompt.entry->inputs.empty();
  if (readsText)
    findPromptInputs(options, inputs, model.batch, prompt);
  else if (prompt.entry->batch != model.batch)
    throw fileError(options.prefill, "has a batch of " + std::to_string(prompt.entry->batch) + ", expected " +
                                         std::to_string(model.batch) + " as the model's");
  matchStates(options, engine.states(*model.entry), prompt.engine->states(*prompt.entry), prompt);
  return prompt;
}

} // namespace plc::runtime
