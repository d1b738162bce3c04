#include "Runs.h"
#include "plc/Runtime/InitialValues.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace plc::runtime {

namespace {

/// A byte-level language model: one i32 [B, S] input, output `logits` [B, S, V] with V <= 256.
struct ByteModel {
  const EntryInfo *entry;
  size_t output;
  int64_t window, bytes; // S, V
};

ByteModel findByteModel(const Engine &engine) {
  const EntryInfo *entry = engine.findEntry("infer.logits");
  if (!entry)
    entry = &needEntry(engine, "infer");
  ByteModel model{entry, entry->findOutput("logits"), 0, 0};
  bool fits = model.output < entry->outputs.size() && entry->inputs.size() == 1 &&
              entry->inputs[0].type == ElementType::I32 && entry->inputs[0].shape.size() == 2;
  if (fits) {
    const TensorInfo &logits = entry->outputs[model.output];
    model.window = entry->inputs[0].shape[1];
    fits = logits.shape.size() == 3 && logits.shape[1] == model.window && logits.shape[2] <= 256 && isReal(logits.type);
    model.bytes = fits ? logits.shape[2] : 0;
  }
  if (!fits)
    throw Error(BadInput, "",
                "'generate' needs a byte-level language model: one i32 [B, S] input and an output 'logits' [B, S, V] "
                "with V at most 256");
  return model;
}

/// The byte with the largest logit / T + Gumbel noise, which draws from softmax(logits / T); T = 0: the likeliest.
int64_t chooseByte(const TensorInfo &info, const Bytes &logits, int64_t row, int64_t bytes, double temperature,
                   uint64_t seed, uint64_t position) {
  static const uint64_t stream = hashBytes("generate");
  int64_t best = 0;
  double bestScore = -INFINITY;
  for (int64_t v = 0; v < bytes; ++v) {
    double score = elementAsDouble(info.type, logits.data(), row * bytes + v);
    if (temperature > 0) {
      uint64_t bits = randomBits(seed, stream, position * 256 + static_cast<uint64_t>(v));
      score = score / temperature - plainLog(-plainLog(uniformFromBits(bits)));
    }
    if (score > bestScore) {
      bestScore = score;
      best = v;
    }
  }
  return best;
}

} // namespace

void runGenerate(const Options &options, Engine &engine) {
  ByteModel model = findByteModel(engine);
  if (options.prompt.empty())
    throw usageError("'generate' needs a nonempty '--prompt TEXT'");
  std::string text = options.prompt;
  for (unsigned char byte : text)
    if (byte >= model.bytes)
      throw usageError("the prompt's byte " + std::to_string(byte) + " is outside the model's 0.." +
                       std::to_string(model.bytes - 1));
  prepareParameters(options, engine);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::vector<Bytes> inputs(1);
  for (int64_t i = 0; i < options.tokens; ++i) {
    // Row 0: the text, zeros to the right; the window slides after S bytes.
    auto used = std::min(text.size(), static_cast<size_t>(model.window));
    inputs[0].assign(model.entry->inputs[0].numBytes(), std::byte(0));
    for (size_t s = 0; s < used; ++s) {
      int32_t byte = static_cast<unsigned char>(text[text.size() - used + s]);
      std::memcpy(inputs[0].data() + s * sizeof(byte), &byte, sizeof(byte));
    }
    std::vector<Bytes> outputs = engine.run(*model.entry, inputs);
    int64_t byte = chooseByte(model.entry->outputs[model.output], outputs[model.output], static_cast<int64_t>(used) - 1,
                              model.bytes, options.temperature, options.seed.value_or(0), text.size());
    text += static_cast<char>(byte);
    std::fputc(static_cast<int>(byte), stdout);
    std::fflush(stdout);
  }
  std::fputc('\n', stdout);
}

} // namespace plc::runtime
