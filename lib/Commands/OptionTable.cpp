// The tables of commands and options, and the text of --help.
#include "OptionTable.h"

#include "Runs.h"
#include "plc/Runtime/Base/TextCodec.h"
#include "plc/Runtime/Execute/ModuleEngine.h"
#include "plc/Support/ResultName.h"

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace plc::runtime {

namespace {

constexpr Command commands[] = {
    {"train", Train, runTrain, nullptr, "trains the model and tells the loss on the held-out part",
     "--data tok=corpus.txt --data next=corpus.txt+1 --steps 200 --save run"},
    {"eval", Eval, runEval, nullptr, "the means of the loss and of the other scalar outputs over the held-out part",
     "--data tok=corpus.txt --data next=corpus.txt+1 --params run"},
    {"infer", Infer, runInfer, nullptr, "runs the model once on given tensors",
     "--params run --input tok=@tok.npy --output logits=@logits.npy"},
    {"generate", Generate, runGenerate, nullptr, "writes text from a language model",
     "--params run --prompt 'Once' --tokens 200"},
    {"bench", Bench, runBench, nullptr,
     "measures a training step, or a forward pass of a model without a loss, against the machine's FMA peak",
     "--repeats 20"},
    {"params", Params, runParams, nullptr,
     "tells the model's parameters, and what a file of weights has for each, lacks, and has besides; or exports them",
     "--params model.safetensors"},
    {"check-gradients", CheckGradients, runCheckGradients, nullptr,
     "compares gradients in f64 with differences of the loss, also where parameters or inputs are 0, 1 or equal; exit "
     "code 6 if one is wrong",
     "-D L=1 -D S=8"},
    {"einsum", Einsum, nullptr, nullptr, "gives a product of tensors, with the subscripts of numpy.einsum",
     "'bij,bjk->bik' a.npy b.npy -o c.npy", "'SUBSCRIPTS' FILE ..", runEinsum},
    {"tokenize", Tokenize, nullptr, nullptr, "tells the tokens of a text, of '@FILE' or of stdin, '@-'",
     "tokenizer.json 'Once upon a time'", "TOKENIZER.json TEXT|@FILE", runTokenize},
    {"inspect", Inspect, nullptr, &Tool::inspect,
     "tells what a compiled model holds: entries, tensors, parameters, plan and kernels", ""},
    {"simulate", Simulate, nullptr, &Tool::simulate,
     "plays a module's plan on a described cluster: its step, and each rank's bubble, bytes and messages",
     "--cluster cluster.toml --trace step.json"},
};

int64_t parseInteger(const Given &given, int64_t low) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(given.text.data(), given.text.data() + given.text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected an integer below 2^63");
  if (error != std::errc() || end != given.text.data() + given.text.size() || value < low)
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected an integer of at least " +
                     std::to_string(low));
  return value;
}

double parseNumber(const Given &given, double from, double below, const std::string &expected) {
  double value = 0;
  auto [end, error] = std::from_chars(given.text.data(), given.text.data() + given.text.size(), value);
  if (error != std::errc() || end != given.text.data() + given.text.size() || !(value >= from) || !(value < below))
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected " + expected);
  return value;
}

template <typename Kind>
Kind parseChosen(const Given &given) {
  if (auto kind = parseChoice<Kind>(given.text))
    return *kind;
  throw usageError("found '" + given.text + "' for '" + given.flag + "', expected " + listChoices<Kind>("'", " or "));
}

double parseReal(const Given &given, double below) {
  std::string end = std::isinf(below) ? "" : " to below " + std::to_string(static_cast<int64_t>(below));
  return parseNumber(given, 0, below, "a number from 0" + end);
}

/// A number above 0, at most 1.
double parsePart(const Given &given) {
  double value = parseReal(given, INFINITY);
  if (value == 0 || value > 1)
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected a number above 0, to 1");
  return value;
}

/// All of the data, 1, is for eval alone.
double parseHoldout(const Options &options, const Given &given) {
  auto isEval = [&](const Command &command) { return command.bit == Eval && command.name == options.model.command; };
  bool mayBeAll = std::any_of(std::begin(commands), std::end(commands), isEval);
  return mayBeAll ? parseNumber(given, 0, std::nextafter(1, 2), "a number from 0 to 1") : parseReal(given, 1);
}

/// `NAME=REST`, both nonempty.
std::pair<std::string, std::string> parsePair(const Given &given, const char *form) {
  size_t equal = given.text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == given.text.size())
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected " + form);
  return {given.text.substr(0, equal), given.text.substr(equal + 1)};
}

/// Whether the text ends in `:NUMBER`.
bool hasWeight(std::string_view text) {
  size_t colon = text.rfind(':');
  double value = 0;
  const char *begin = text.data() + (colon == text.npos ? text.size() : colon + 1), *end = text.data() + text.size();
  auto [behind, error] = std::from_chars(begin, end, value);
  return begin != end && error != std::errc::invalid_argument && behind == end;
}

/// `FILE:WEIGHT,FILE:WEIGHT`; empty if it is another name.
std::vector<WeightedFile> parseBlend(const Given &given, std::string_view text) {
  std::vector<std::string_view> words;
  for (std::string_view rest = text;; rest.remove_prefix(words.back().size() + 1)) {
    words.push_back(rest.substr(0, rest.find(',')));
    if (words.back().size() == rest.size())
      break;
  }
  std::vector<WeightedFile> blend;
  std::error_code ignored;
  if (words.size() == 1 || std::none_of(words.begin(), words.end(), hasWeight) ||
      std::filesystem::exists(text, ignored))
    return blend;
  for (std::string_view word : words) {
    size_t colon = word.rfind(':');
    std::string weight(hasWeight(word) ? word.substr(colon + 1) : "");
    if (weight.empty() || colon == 0)
      throw usageError("found '" + std::string(word) + "' for '" + given.flag +
                       "', expected FILE:WEIGHT, since other files of the list have weights");
    blend.push_back({std::string(word.substr(0, colon)),
                     parseNumber({given.flag, weight}, DBL_MIN, INFINITY, "a finite weight above 0")});
  }
  return blend;
}

DataOption parseData(const Given &given) {
  auto [input, file] = parsePair(given, "IN=FILE or IN=FILE+n");
  DataOption option;
  option.input = input;
  option.file = file;
  option.flag = given.flag == "--eval-data" ? "--eval-data" : "--data";
  size_t plus = file.rfind('+');
  bool digits =
      plus != std::string::npos && plus > 0 && plus + 1 < file.size() &&
      std::all_of(file.begin() + static_cast<long>(plus) + 1, file.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) {
    option.shift = parseInteger({given.flag, file.substr(plus + 1)}, 0);
    option.file = file.substr(0, plus);
    if (option.shift > (int64_t(1) << 40))
      throw usageError("found '" + file.substr(plus + 1) + "' as a shift, expected at most 2^40");
  }
  option.blend = parseBlend(given, option.file);
  return option;
}

PackOption parsePack(const Given &given) {
  auto [input, kind] = parsePair(given, "INPUT=segments, INPUT=positions or INPUT=mask");
  return {input, parseChosen<PackKind>({given.flag, kind})};
}

TensorOption parseTensor(const Given &given) {
  auto [name, rest] = parsePair(given, "NAME=@FILE.npy, NAME=@FILE.safetensors:KEY or NAME=-");
  if (rest == "-")
    return {name, {"-", ""}};
  if (rest[0] != '@' || rest.size() == 1)
    throw usageError("found '" + given.text + "' for '" + given.flag +
                     "', expected NAME=@FILE.npy, NAME=@FILE.safetensors:KEY or NAME=-");
  return {name, TensorLocation::parse(rest.substr(1))};
}

/// A tensor, or numbers for its elements.
TensorOption parseInput(const Given &given) {
  size_t equal = given.text.find('=');
  std::string_view rest = equal == std::string::npos ? "" : std::string_view(given.text).substr(equal + 1);
  auto isNumber = [](std::string_view word) {
    double value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error != std::errc::invalid_argument && end == word.data() + word.size();
  };
  bool areNumbers = !rest.empty();
  for (std::string_view words = rest; areNumbers;) {
    size_t comma = words.find(',');
    areNumbers = isNumber(words.substr(0, comma));
    if (comma == words.npos)
      break;
    words.remove_prefix(comma + 1);
  }
  if (areNumbers)
    return {parsePair(given, "NAME=NUMBER").first, {}, std::string(rest)};
  try {
    return parseTensor(given);
  } catch (Error &error) {
    throw error.note("numbers stand for themselves: NAME=0.5, or NAME=1,2,3 for each element");
  }
}

/// A name without a file: the result is printed.
TensorOption parseOutput(const Given &given) {
  bool alone = !given.text.empty() && given.text.find('=') == std::string::npos;
  return alone ? TensorOption{given.text, {}} : parseTensor(given);
}

TensorOption parseDump(const Given &given) {
  TensorOption option = parseOutput(given);
  size_t dot = option.name.rfind('.');
  if (!parseResultName(option.name).isRuleValue() || dot == 0 || dot + 1 == option.name.size())
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected PATH.NAME or PATH.NAME=@FILE");
  return option;
}

std::string parseExport(const Given &given) {
  if (!given.text.ends_with(".safetensors"))
    throw usageError("found '" + given.text + "' for '" + given.flag + "', expected FILE.safetensors");
  return given.text;
}

// The columns: flag, argument, commands, group of --help, help, effect.
constexpr unsigned runs = executing, all = runs | Inspect | Simulate | Params | CheckGradients;

constexpr OptionSpec options[] = {
    {"--data", "IN=FILE[+n]", Train | Eval | Bench | CheckGradients, "data",
     "an input's windows of bytes, of a .npy or .bin:TYPE, n further on, or rows of a .npy or .safetensors:KEY; of "
     "all files if '*' matches several; FILE:WEIGHT,FILE:WEIGHT blends",
     [](Options &o, const Given &given) { o.data.push_back(parseData(given)); }, true, Alike::Files},
    {"--eval-data", "IN=FILE[+n]", Train, "data",
     "as --data, for files that are evaluated instead of a held-out part: the whole of them",
     [](Options &o, const Given &given) { o.evalData.push_back(parseData(given)); }, true, Alike::Files},
    {"--pack", "IN=KIND", Train | Eval, "data",
     "packs rows of different lengths, of .jsonl or with .offsets.npy, into windows; IN has segments, positions or "
     "mask of them",
     [](Options &o, const Given &given) { o.packs.push_back(parsePack(given)); }, true},
    {"--windows", "ORDER", Train, "data",
     "where windows begin: random (default, or the checkpoint's), or epochs: side by side, each once, shuffled by "
     "the seed",
     [](Options &o, const Given &given) { o.windows = parseChosen<WindowOrder>(given); }},
    {"--holdout", "PART", Train | Eval, "data", "last part of the data, never trained on (default 0.1, with --resume "
     "the checkpoint's; 0: none; 1, of eval: all)",
     [](Options &o, const Given &given) { o.holdout = parseHoldout(o, given); }},
    {"--input", "NAME=@FILE|NUMBERS", Infer | Generate | CheckGradients, "data",
     "a tensor: .npy, .safetensors:KEY, or NAME=- for stdin; or its numbers, or one for all elements",
     [](Options &o, const Given &given) { o.inputs.push_back(parseInput(given)); }, true, Alike::Files},
    {"--output", "NAME[=@FILE]", Infer, "data",
     "a result or grad(NAME): told, or written to .npy, .safetensors:KEY, or - (default: all results are told)",
     [](Options &o, const Given &given) { o.outputs.push_back(parseOutput(given)); }, true, Alike::Names},
    {"--dump", "PATH.NAME[=@FILE]", Infer, "data", "the value of a rule, as attention.3.p: told, or written",
     [](Options &o, const Given &given) { o.outputs.push_back(parseDump(given)); }, true, Alike::Names},
    {"--expect", "NAME=@FILE", Infer, "data",
     "compare a result, by its bits unless a tolerance is given; exit code 6 if it differs",
     [](Options &o, const Given &given) { o.expects.push_back(parseTensor(given)); }, true, Alike::Names},
    {"--rtol", "X", Infer, "data", "relative tolerance of --expect (default 0)",
     [](Options &o, const Given &given) { o.rtol = parseReal(given, INFINITY); }},
    {"--atol", "X", Infer, "data", "absolute tolerance of --expect (default 0)",
     [](Options &o, const Given &given) { o.atol = parseReal(given, INFINITY); }},
    {"-o", "FILE", Einsum | Tokenize, "data",
     "the result: .npy, .safetensors:KEY, - for stdout, or .jsonl for the tokens of each line (default: it is told)",
     [](Options &o, const Given &given) { o.out = TensorLocation::parse(given.text); }},
    {"--prompt", "TEXT", Generate, "text", "what a text begins with; given more than once, so many texts",
     [](Options &o, const Given &given) { o.prompts.push_back({given.text, std::nullopt, ""}); }, true},
    {"--prompts", "FILE", Generate, "text",
     "a prompt in each line; or a .jsonl of strings or lists of tokens, whose results are JSON lines",
     [](Options &o, const Given &given) { o.promptsFile = given.text; }, false, Alike::Files},
    {"--tokenizer", "FILE.json", Generate, "text", "a tokenizer.json, as Hugging Face's models have (default: bytes)",
     [](Options &o, const Given &given) { o.tokenizer = given.text; }, false, Alike::Files},
    {"--prompt-ids", "N,N,..", Generate, "text",
     "instead of a prompt the numbers of its tokens; without a tokenizer numbers are written, too",
     [](Options &o, const Given &given) {
       o.prompts.push_back({given.text, numberCodec()->encode(given.text), ""});
     },
     true},
    {"--prefill", "FILE", Generate, "text",
     "a model that fills states of one that keeps some, from prompts or other inputs: .plcm or .ein",
     [](Options &o, const Given &given) { o.prefill = given.text; }, false, Alike::Presence},
    {"--tokens", "N", Generate, "text", "tokens to add: bytes of a byte-level model (default 200)",
     [](Options &o, const Given &given) { o.tokens = parseInteger(given, 0); }},
    {"--temperature", "T", Generate, "text", "0 takes the likeliest token (default 0.8)",
     [](Options &o, const Given &given) { o.temperature = parseReal(given, INFINITY); }},
    {"--top-k", "N", Generate, "text", "draws from the N likeliest tokens (default: all)",
     [](Options &o, const Given &given) { o.topK = parseInteger(given, 1); }},
    {"--top-p", "P", Generate, "text",
     "draws from the likeliest tokens that together have the probability P (default 1: all)",
     [](Options &o, const Given &given) { o.topP = parsePart(given); }},
    {"--min-p", "P", Generate, "text",
     "draws from the tokens that are at least P times as likely as the likeliest (default 0: all)",
     [](Options &o, const Given &given) { o.minP = parseNumber(given, 0, std::nextafter(1, 2), "a number from 0 to "
     "1"); }},
    {"--repetition-penalty", "X", Generate, "text",
     "divides the positive logits of tokens that are in the text by X, and multiplies the others (default 1)",
     [](Options &o, const Given &given) { o.repetitionPenalty = parseNumber(given, DBL_MIN, INFINITY, "a number "
     "above 0"); }},
    {"--stop", "TEXT", Generate, "text", "ends a text before this one; of several, the first that comes",
     [](Options &o, const Given &given) { o.stops.push_back(given.text); }, true},
    {"--steps", "N", Train, "training", "number of the last step (default 100)",
     [](Options &o, const Given &given) { o.steps = parseInteger(given, 1); }},
    {"--runs", "N", Infer, "data",
     "N runs, one after another: tensors have a first axis of N more (default: one run)",
     [](Options &o, const Given &given) { o.runs = parseInteger(given, 1); }},
    {"--seed", "K", runs | CheckGradients, "training", "of initial values, data, draws and sampling (default 0, with "
     "--resume, or of the draws of eval, the checkpoint's)",
     [](Options &o, const Given &given) { o.seed = static_cast<uint64_t>(parseInteger(given, 0)); }},
    {"--until-loss", "X", Train, "training", "end after the first step whose loss is at most X (default: the last "
     "step)",
     [](Options &o, const Given &given) { o.untilLoss = parseNumber(given, -DBL_MAX, INFINITY, "a number"); }},
    {"--eval-every", "N", Train, "training", "after every N steps the held-out loss, too, into the log",
     [](Options &o, const Given &given) { o.evalEvery = parseInteger(given, 1); }},
    {"--log", "FILE", Train, "training", "one JSON object per line: plan, steps, summary; '-' is standard output "
     "(default: none)",
     [](Options &o, const Given &given) { o.log = given.text; }, false, Alike::Presence},
    {"--log-csv", "FILE", Train, "training", "a table of the steps, with a header",
     [](Options &o, const Given &given) { o.logCsv = given.text; }, false, Alike::Presence},
    {"--log-tensorboard", "DIR", Train, "training", "event files in a folder, which TensorBoard shows",
     [](Options &o, const Given &given) { o.logEvents = given.text; }, false, Alike::Presence},
    {"--save", "DIR", Train, "checkpoints", "write DIR/step-N after the last step (default: none)",
     [](Options &o, const Given &given) { o.save = given.text; }, false, Alike::Presence},
    {"--save-every", "N", Train, "checkpoints", "and after every N steps (default: the last only)",
     [](Options &o, const Given &given) { o.saveEvery = parseInteger(given, 1); }},
    {"--keep", "N", Train, "checkpoints", "of the steps saved so far, only the last N (default: all)",
     [](Options &o, const Given &given) { o.keep = parseInteger(given, 1); }},
    {"--resume", "DIR", Train, "checkpoints", "continue from DIR, or from one DIR/step-N",
     [](Options &o, const Given &given) { o.resume = given.text; }, false, Alike::Presence},
    {"--overwrite", "", runs | Simulate, "checkpoints",
     "replace what another run left in --save, logs and --trace, which are refused otherwise",
     [](Options &o, const Given &) { o.overwrites = true; }},
    {"--params", "P", Train | Eval | Infer | Generate | Params, "checkpoints",
     "DIR, DIR/step-N, a .safetensors file or an index of several (default: initial values)",
     [](Options &o, const Given &given) { o.params = given.text; }, false, Alike::Presence},
    {"--ema", "", Train | Eval | Infer | Generate | Params, "checkpoints",
     "of a checkpoint in --params the moving averages of its parameters (optimizer.ema)",
     [](Options &o, const Given &) { o.averages = true; }},
    {"--random-parameters", "", Eval | Infer | Generate, "checkpoints",
     "use initial values, as is done without --params, but without a warning",
     [](Options &o, const Given &) { o.drawsParameters = true; }},
    {"--map", "FILE.toml", all, "checkpoints",
     "which tensors of --params are which parameters, and how they are turned; which keys of --config are which dims",
     [](Options &o, const Given &given) { o.mapFile = given.text; }, false, Alike::Presence},
    {"--export", "FILE.safetensors", Params, "checkpoints",
     "writes the parameters to this file, whose names and layouts are those of '--map', read backwards",
     [](Options &o, const Given &given) { o.exportFile = parseExport(given); }, false, Alike::Presence},
    {"--params-map", "FILE.toml", Params, "checkpoints", "beside --export: the map of --params",
     [](Options &o, const Given &given) { o.paramsMapFile = given.text; }, false, Alike::Presence},
    {"--warmup", "N", Bench, "measuring", "steps before measuring (default 3)",
     [](Options &o, const Given &given) { o.warmup = parseInteger(given, 0); }},
    {"--repeats", "N", Bench, "measuring", "steps measured (default 10)",
     [](Options &o, const Given &given) { o.repeats = parseInteger(given, 1); }},
    {"--samples", "N", CheckGradients, "checking", "elements tried per parameter (default 64)",
     [](Options &o, const Given &given) { o.samples = parseInteger(given, 0); }},
    {"--check-arena", "", Train | Eval | Infer | Generate, "checking",
     "run all twice, with NaN in every byte that the plan calls dead; the bits must agree",
     [](Options &o, const Given &) { o.model.checkArena = true; }},
    {"--check-live", "", Train | Eval | Infer, "checking",
     "first run all with other bytes in each place that the plan calls live at its peak; a bit must change",
     [](Options &o, const Given &) { o.model.checkLive = true; }},
    {"--check-finite", "", runs, "checking",
     "stop at the first kernel that writes a NaN, or an infinity that none of its rules speaks of",
     [](Options &o, const Given &) { o.model.checkFinite = true; }, false, Alike::Nothing},
    {"--hang-timeout", "SECONDS", runs, "checking",
     "a rank hangs that does nothing for so long; exit code 5 (default 30; 0: never)",
     [](Options &o, const Given &given) { o.model.hangTimeout = parseReal(given, longestHangTimeout); }, false,
     Alike::Nothing},
    {"--cluster", "FILE.toml", Simulate, "measuring", "the machines and links that ranks run on",
     [](Options &o, const Given &given) { o.model.cluster = given.text; }},
    {"--trace", "FILE", runs | Simulate, "measuring",
     "write Chrome trace events: tasks, kernels, sends and waits of each rank",
     [](Options &o, const Given &given) { o.model.trace = given.text; }, false, Alike::Presence},
    {"--no-sharing", "", Train | Bench, "measuring",
     "no worker computes a part of another's kernel: the same bits, to measure what sharing gains",
     [](Options &o, const Given &) { o.model.sharesKernels = false; }, false, Alike::Nothing},
    {"--ranks", "N", runs, "processes", "so many processes, which mpirun starts (default: one, or as "
     "machine.transport says)",
     [](Options &o, const Given &given) { o.model.ranks = parseInteger(given, 1); }, false, Alike::Nothing},
    {"--mpi", "NAME", runs, "processes", "of which library: openmpi or mpich (default: the first that is there)",
     [](Options &o, const Given &given) { o.model.mpi = given.text; }, false, Alike::Nothing},
    {"--hostfile", "FILE", runs, "processes", "the machines of the processes, as mpirun reads them (default: this one)",
     [](Options &o, const Given &given) { o.model.hostfile = given.text; }, false, Alike::Nothing},
    {"--set", "KEY=VALUE", all | Einsum, "model",
     "a key of the strategy; for a .plcm one that a run may change: rates, schedule, clipping and numbers of the "
     "optimizer, training.nonfinite, precision.loss_scale, machine.threads_per_stage, machine.transport",
     [](Options &o, const Given &given) {
       o.model.sets.push_back(given.text);
       parsePair(given, "KEY=VALUE");
     },
     true, Alike::Nothing},
    {"--strategy", "FILE.toml", all, "model", "how to compile a .ein file",
     [](Options &o, const Given &given) { o.model.strategy = given.text; }, false, Alike::Nothing},
    {"-D", "NAME=SIZE", all, "model", "overrides a dim of a .ein file",
     [](Options &o, const Given &given) {
       o.model.defines.push_back(given.text);
       parsePair(given, "NAME=SIZE");
     },
     true, Alike::Nothing},
    {"--config", "config.json", all, "model", "of a checkpoint: overrides the dims that '[sizes]' of '--map' names",
     [](Options &o, const Given &given) { o.model.config = given.text; }, false, Alike::Nothing},
    {"--entry", "NAME", all, "model", "the model of a .ein file with several",
     [](Options &o, const Given &given) { o.model.entry = given.text; }, false, Alike::Nothing},
    {"--batch", "INPUT=AXIS", all, "model", "of an imported model: the axis that holds the samples",
     [](Options &o, const Given &given) {
       o.model.batch = given.text;
       parsePair(given, "INPUT=AXIS");
     },
     false, Alike::Nothing},
};

// The groups of --help, in its order.
constexpr const char *groups[] = {"data",     "text",        "training",  "measuring",
                                  "checking", "checkpoints", "processes", "model"};
static_assert(std::all_of(std::begin(options), std::end(options),
                          [](const OptionSpec &spec) {
                            return std::find(std::begin(groups), std::end(groups), std::string_view(spec.group)) !=
                                   std::end(groups);
                          }),
              "--help lists each option in its group");

} // namespace

const Command *findCommand(const Tool &tool, const std::string &name) {
  if (std::find(tool.commands.begin(), tool.commands.end(), name) == tool.commands.end())
    return nullptr;
  for (const Command &command : commands)
    if (command.name == name)
      return &command;
  return nullptr;
}

std::span<const OptionSpec> allOptions() { return options; }

const OptionSpec &optionOf(std::string_view flag) {
  return *std::find_if(std::begin(options), std::end(options),
                       [&](const OptionSpec &each) { return flag == each.flag; });
}

std::string helpText(const Tool &tool, const std::string &name) {
  const Command *command = findCommand(tool, name);
  std::string text;
  if (!command) {
    text = tool.name + ": " + tool.summary + "\n\nusage: " + tool.name + " COMMAND " + tool.modelArgument +
           " [options]\n\n";
    for (const std::string &each : tool.commands)
      if (const Command *found = findCommand(tool, each))
        text += "  " + each + std::string(each.size() < 10 ? 10 - each.size() : 1, ' ') + found->what + "\n";
    return text + "\n" + tool.name + " COMMAND --help tells a command's options, " + tool.name +
           " --version the version\n";
  }
  text = "usage: " + tool.name + " " + name + " " + (command->arguments ? command->arguments : tool.modelArgument) +
         " [options]\n" + command->what + "\n";
  for (const char *group : groups) {
    bool any = false;
    for (const OptionSpec &spec : options) {
      if (!(spec.commands & command->bit) || std::string_view(spec.group) != group)
        continue;
      if (!any)
        text += "\n" + std::string(group) + "\n";
      any = true;
      std::string left = std::string("  ") + spec.flag + (*spec.argument ? " " : "") + spec.argument;
      text += left + std::string(left.size() < 28 ? 28 - left.size() : 1, ' ') + spec.help + "\n";
    }
  }
  std::string example = tool.name + " " + name + (command->arguments ? "" : " " + tool.exampleModel);
  return text + "\nexample: " + example + (*command->example ? " " : "") + command->example + "\n";
}

} // namespace plc::runtime
