// The parsed command line of plc-run and plc-interpret.
#ifndef PLC_LIB_COMMANDS_OPTIONS_H
#define PLC_LIB_COMMANDS_OPTIONS_H

#include "Text/Prompts.h"
#include "plc/Commands/Commands.h"
#include "plc/Runtime/Tensors/Data.h"
#include "plc/Runtime/Tensors/ParameterMap.h"
#include "plc/Runtime/Tensors/TensorFile.h"

#include <optional>

namespace plc::runtime {

/// An option `NAME=@FILE`, `NAME=@FILE.safetensors:KEY` or, for inputs, `NAME=NUMBERS`.
struct TensorOption {
  std::string name;
  TensorLocation location;
  std::string numbers{}; // separated by commas; empty: a file
};

constexpr double defaultHoldout = 0.1;

/// All options of all commands, with their defaults. Which of them a command reads, OptionTable.cpp says.
struct Options {
  ModelRequest model;
  std::vector<std::pair<std::string, std::string>> given; // each flag with its value, in order
  bool help = false;
  std::vector<DataOption> data, evalData;
  std::vector<PackOption> packs;
  std::optional<WindowOrder> windows;                 // default random, or the checkpoint's
  std::vector<TensorOption> inputs, outputs, expects; // an output without a file is printed
  std::string log, logCsv, logEvents, save, resume, params, mapFile, exportFile, paramsMapFile;
  std::optional<ParameterMap> map, exportMap; // of --params and of --export
  bool overwrites = false;                    // replaces what another run left
  bool averages = false;                      // --params gives those of a checkpoint
  bool drawsParameters = false;               // no warning about initial values
  int64_t steps = 100, saveEvery = 0;
  int64_t keep = 0, evalEvery = 0; // 0: keep all; evaluate only at the end
  std::optional<double> untilLoss;
  int64_t runs = 0;              // of infer, each with a slice of the tensors; 0: one run of whole tensors
  std::optional<uint64_t> seed;  // default 0, or the checkpoint's
  std::optional<double> holdout; // default defaultHoldout, or the checkpoint's
  double rtol = 0, atol = 0;
  std::vector<Prompt> prompts;
  std::string promptsFile;
  std::vector<std::string> stops;
  int64_t tokens = 200, topK = 0;
  double temperature = 0.8, topP = 1, minP = 0, repetitionPenalty = 1;
  std::string prefill;
  std::shared_ptr<Engine> prefillEngine; // of `prefill`
  std::vector<std::string> words;        // arguments of a command without a model
  TensorLocation out;
  std::string tokenizer;
  std::shared_ptr<const TextCodec> codec; // of `tokenizer`
  int64_t warmup = 3, repeats = 10;
  int64_t samples = 64; // of check-gradients: elements per parameter
};

/// Parses everything after the tool's name; throws usageError.
Options parseOptions(int argc, char **argv, const Tool &tool);

/// The text of --help: of one command, or of the tool if `command` is empty.
std::string helpText(const Tool &tool, const std::string &command);

} // namespace plc::runtime

#endif
