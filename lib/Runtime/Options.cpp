#include "Options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

namespace plc::runtime {

namespace {

/// Commands as bits, so that one table serves them all.
enum : unsigned { Train = 1, Eval = 2, Infer = 4, Generate = 8, Bench = 16, All = 31 };

struct Command {
  const char *name;
  unsigned bit;
  const char *what, *example;
};

constexpr Command commands[] = {
    {"train", Train, "trains the model and tells the loss on the held-out part",
     "train gpt.plcm --data tok=corpus.txt --data next=corpus.txt+1 --steps 200 --save run"},
    {"eval", Eval, "the mean of the loss over the held-out part",
     "eval gpt.plcm --data tok=corpus.txt --data next=corpus.txt+1 --params run"},
    {"infer", Infer, "runs the model once on given tensors",
     "infer gpt.plcm --params run --input tok=@tok.npy --output logits=@logits.npy"},
    {"generate", Generate, "writes text from a byte-level language model",
     "generate gpt.plcm --params run --prompt 'Once' --tokens 200"},
    {"bench", Bench, "measures a training step against the machine's FMA peak", "bench gpt.plcm --repeats 20"},
};

int64_t parseInteger(const std::string &flag, const std::string &text, int64_t low) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw usageError("found '" + text + "' for '" + flag + "', expected an integer below 2^63");
  if (error != std::errc() || end != text.data() + text.size() || value < low)
    throw usageError("found '" + text + "' for '" + flag + "', expected an integer of at least " + std::to_string(low));
  return value;
}

double parseReal(const std::string &flag, const std::string &text, double below) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || !(value < below))
    throw usageError("found '" + text + "' for '" + flag + "', expected a number from 0" +
                     (std::isinf(below) ? "" : " to below " + std::to_string(static_cast<int64_t>(below))));
  return value;
}

/// `NAME=REST`, both nonempty.
std::pair<std::string, std::string> parsePair(const std::string &flag, const std::string &text, const char *form) {
  size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    throw usageError("found '" + text + "' for '" + flag + "', expected " + form);
  return {text.substr(0, equal), text.substr(equal + 1)};
}

DataOption parseData(const std::string &flag, const std::string &text) {
  auto [input, file] = parsePair(flag, text, "IN=FILE or IN=FILE+n");
  DataOption option{input, file, 0};
  size_t plus = file.rfind('+');
  bool digits =
      plus != std::string::npos && plus > 0 && plus + 1 < file.size() &&
      std::all_of(file.begin() + static_cast<long>(plus) + 1, file.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) {
    option.shift = parseInteger(flag, file.substr(plus + 1), 0);
    option.file = file.substr(0, plus);
    if (option.shift > (int64_t(1) << 40))
      throw usageError("found '" + file.substr(plus + 1) + "' as a shift, expected at most 2^40");
  }
  return option;
}

TensorOption parseTensor(const std::string &flag, const std::string &text) {
  auto [name, rest] = parsePair(flag, text, "NAME=@FILE.npy, NAME=@FILE.safetensors:KEY or NAME=-");
  if (rest == "-")
    return {name, {"-", ""}};
  if (rest[0] != '@' || rest.size() == 1)
    throw usageError("found '" + text + "' for '" + flag +
                     "', expected NAME=@FILE.npy, NAME=@FILE.safetensors:KEY or NAME=-");
  return {name, TensorPlace::parse(rest.substr(1))};
}

/// A name alone is told.
TensorOption parseOutput(const std::string &flag, const std::string &text) {
  bool alone = !text.empty() && text.find('=') == std::string::npos;
  return alone ? TensorOption{text, {}} : parseTensor(flag, text);
}

TensorOption parseDump(const std::string &flag, const std::string &text) {
  TensorOption option = parseOutput(flag, text);
  size_t dot = option.name.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == option.name.size() || option.name.starts_with("grad("))
    throw usageError("found '" + text + "' for '" + flag + "', expected PATH.NAME or PATH.NAME=@FILE");
  return option;
}

struct OptionSpec {
  const char *flag, *argument;
  unsigned commands;
  const char *group, *help;
  void (*set)(Options &, const std::string &flag, const std::string &text);
};

#define SET [](Options & o, const std::string &flag, const std::string &text)

const OptionSpec specs[] = {{"--data", "IN=FILE[+n]", Train | Eval | Bench, "data",
                             "an input's windows of bytes, n further on, or rows of a .npy or .safetensors:KEY",
                             SET{o.data.push_back(parseData(flag, text));
} // namespace
} // namespace plc::runtime
, {"--holdout", "PART", Train | Eval, "data", "last part of the data, never trained on (default 0.1; 0: none)",
   SET{o.holdout = parseReal(flag, text, 1);
}
}
, {"--input", "NAME=@FILE", Infer, "data", "a tensor: .npy, .safetensors:KEY, or - for stdin",
   SET{o.inputs.push_back(parseTensor(flag, text));
}
}
, {"--output", "NAME[=@FILE]", Infer, "data",
   "a result or grad(NAME): told, or written to .npy, .safetensors:KEY, or - (default: all results are told)",
   SET{o.outputs.push_back(parseOutput(flag, text));
}
}
, {"--dump", "PATH.NAME[=@FILE]", Infer, "data", "the value of a rule, as attention.3.p: told, or written",
   SET{o.outputs.push_back(parseDump(flag, text));
}
}
, {"--expect", "NAME=@FILE", Infer, "data",
   "compare a result, by its bits unless a tolerance is given; exit code 6 if it differs",
   SET{o.expects.push_back(parseTensor(flag, text));
}
}
, {"--rtol", "X", Infer, "data", "relative tolerance of --expect (default 0)",
   SET{o.rtol = parseReal(flag, text, INFINITY);
}
}
, {"--atol", "X", Infer, "data", "absolute tolerance of --expect (default 0)",
   SET{o.atol = parseReal(flag, text, INFINITY);
}
}
, {"--prompt", "TEXT", Generate, "text", "what the text begins with", SET{o.prompt = text;
}
}
, {"--tokens", "N", Generate, "text", "bytes to add (default 200)", SET{o.tokens = parseInteger(flag, text, 0);
}
}
, {"--temperature", "T", Generate, "text", "0 takes the likeliest byte (default 0.8)",
   SET{o.temperature = parseReal(flag, text, INFINITY);
}
}
, {"--steps", "N", Train, "training", "number of the last step (default 100)",
   SET{o.steps = parseInteger(flag, text, 1);
}
}
, {"--seed", "K", All, "training", "of initial values, data and sampling (default 0, or the checkpoint's)",
   SET{o.seed = static_cast<uint64_t>(parseInteger(flag, text, 0));
}
}
, {"--log", "FILE", Train, "training", "one JSON object per line: plan, steps, summary (default: none)",
   SET{o.log = text;
}
}
, {"--save", "DIR", Train, "checkpoints", "write DIR/step-N after the last step (default: none)", SET{o.save = text;
}
}
, {"--save-every", "N", Train, "checkpoints", "and after every N steps (default: the last only)",
   SET{o.saveEvery = parseInteger(flag, text, 1);
}
}
, {"--resume", "DIR", Train, "checkpoints", "continue from DIR, or from one DIR/step-N", SET{o.resume = text;
}
}
, {"--params", "P", Eval | Infer | Generate, "checkpoints",
   "DIR, DIR/step-N or a .safetensors file (default: initial values)", SET{o.params = text;
}
}
, {"--warmup", "N", Bench, "measuring", "steps before measuring (default 3)",
   SET{o.warmup = parseInteger(flag, text, 0);
}
}
, {"--repeats", "N", Bench, "measuring", "steps measured (default 10)", SET{o.repeats = parseInteger(flag, text, 1);
}
}
, {"--check-arena", "", Train | Eval | Infer | Generate, "checking",
   "run all twice, with NaN in every byte that the plan calls dead; the bits must agree",
   SET{(void)flag, (void)text, o.model.checkArena = true;
}
}
, {"--check-live", "", Train | Eval | Infer, "checking",
   "first run all with other bytes in each place that the plan calls live at its peak; a bit must change",
   SET{(void)flag, (void)text, o.model.checkLive = true;
}
}
, {"--check-finite", "", All, "checking",
   "stop at the first kernel that writes a NaN, or an infinity that none of its rules speaks of",
   SET{(void)flag, (void)text, o.model.checkFinite = true;
}
}
, {"--hang-timeout", "SECONDS", All, "checking",
   "a rank hangs that does nothing for so long; exit code 5 (default 30; 0: never)",
   SET{o.model.hangTimeout = parseReal(flag, text, 1e9);
}
}
, {"--trace", "FILE", All, "measuring", "write Chrome trace events: tasks, kernels, sends and waits of each rank",
   SET{o.model.trace = text;
}
}
, {"--set", "KEY=VALUE", All, "model", "a key of the strategy; for a .plcm: machine.threads_per_stage",
   SET{o.model.sets.push_back(text);
parsePair(flag, text, "KEY=VALUE");
}
}
, {"--strategy", "FILE.toml", All, "model", "how to compile a .ein file", SET{o.model.strategy = text;
}
}
, {"-D", "NAME=SIZE", All, "model", "overrides a dim of a .ein file", SET{o.model.defines.push_back(text);
parsePair(flag, text, "NAME=SIZE");
}
}
, {"--entry", "NAME", All, "model", "the model of a .ein file with several", SET{o.model.entry = text;
}
}
,
}
;
#undef SET

/// Each adds to those before; any other option is given once.
constexpr std::string_view repeating[] = {"--data", "--input", "--output", "--dump", "--expect", "--set", "-D"};

constexpr const char *notYet[] = {"--report", "--ranks"};

const Command *findCommand(const Tool &tool, const std::string &name) {
  if (std::find(tool.commands.begin(), tool.commands.end(), name) == tool.commands.end())
    return nullptr;
  for (const Command &command : commands)
    if (command.name == name)
      return &command;
  return nullptr;
}

std::string commandNames(const Tool &tool) {
  std::string names;
  for (const std::string &name : tool.commands)
    names += (names.empty() ? "" : ", ") + name;
  return names;
}

const OptionSpec &findSpec(const std::string &flag, const Command &command) {
  for (const char *name : notYet)
    if (flag == name)
      throw usageError("option '" + flag + "' is not supported yet");
  for (const OptionSpec &spec : specs) {
    if (flag != spec.flag)
      continue;
    if (!(spec.commands & command.bit))
      throw usageError("option '" + flag + "' does not apply to '" + command.name + "'");
    return spec;
  }
  throw usageError("unknown option '" + flag + "' for '" + command.name + "'");
}

/// Reads the flag at argv[i], with its value in the same word or the next; advances i past both.
void parseFlag(int argc, char **argv, int &i, const Command &command, std::set<std::string> &given, Options &options) {
  std::string word = argv[i++], flag = word, value;
  size_t equal = word.find('=');
  bool attached = equal != std::string::npos && word[1] == '-';
  if (attached)
    flag = word.substr(0, equal);
  const bool shortForm = word.size() > 2 && word[1] == 'D';
  if (shortForm)
    flag = "-D";
  const OptionSpec &spec = findSpec(flag, command);
  bool repeats = std::find(std::begin(repeating), std::end(repeating), flag) != std::end(repeating);
  if (!repeats && !given.insert(flag).second)
    throw usageError("option '" + flag + "' is given twice");
  if (!*spec.argument) {
    if (attached)
      throw usageError("found '" + word + "', but option '" + flag + "' has no value");
    return spec.set(options, flag, value);
  }
  if (attached)
    value = word.substr(equal + 1);
  else if (shortForm)
    value = word.substr(2);
  else if (i < argc)
    value = argv[i++];
  else
    throw usageError("option '" + flag + "' has no value, expected " + spec.argument);
  if (value.empty() && flag != "--prompt")
    throw usageError("option '" + flag + "' has an empty value, expected " + spec.argument);
  spec.set(options, flag, value);
}

/// A gradient or a rule's value is compiled only if it is asked for, with the other results of the same run.
std::vector<std::string> outputsToCompile(const Options &options) {
  std::vector<std::string> names;
  bool further = false;
  for (const auto *list : {&options.outputs, &options.expects})
    for (const TensorOption &option : *list) {
      further |= option.name.find_first_of("(.") != std::string::npos;
      if (std::find(names.begin(), names.end(), option.name) == names.end())
        names.push_back(option.name);
    }
  return further ? names : std::vector<std::string>();
}

} // namespace

Options parseOptions(int argc, char **argv, const Tool &tool) {
  Options options;
  options.model.toolPath = argv[0];
  if (argc < 2)
    throw usageError("no command, expected one of " + commandNames(tool));
  std::string first = argv[1];
  if (first == "--help" || first == "-h") {
    options.help = true;
    return options;
  }
  const Command *command = findCommand(tool, first);
  if (!command)
    throw usageError("unknown command '" + first + "', expected one of " + commandNames(tool));
  options.model.command = first;
  std::set<std::string> given;
  for (int i = 2; i < argc;) {
    std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      return options;
    }
    if (word.size() > 1 && word[0] == '-') {
      parseFlag(argc, argv, i, *command, given, options);
      continue;
    }
    if (!options.model.file.empty())
      throw usageError("found a second file '" + word + "' beside '" + options.model.file + "', expected one");
    options.model.file = word;
    ++i;
  }
  if (options.model.file.empty())
    throw usageError("no model, expected " + tool.modelArgument);
  if (options.saveEvery && options.save.empty())
    throw usageError("option '--save-every' needs '--save DIR'");
  options.model.outputs = outputsToCompile(options);
  return options;
}

std::string helpText(const Tool &tool, const std::string &name) {
  const Command *command = findCommand(tool, name);
  std::string text;
  if (!command) {
    text = tool.name + ": " + tool.summary + "\n\nusage: " + tool.name + " COMMAND " + tool.modelArgument +
           " [options]\n\n";
    for (const std::string &each : tool.commands)
      if (const Command *found = findCommand(tool, each))
        text += "  " + each + std::string(10 - each.size(), ' ') + found->what + "\n";
    return text + "\n" + tool.name + " COMMAND --help tells a command's options\n";
  }
  text = "usage: " + tool.name + " " + name + " " + tool.modelArgument + " [options]\n" + command->what + "\n";
  for (const char *group : {"data", "text", "training", "measuring", "checking", "checkpoints", "model"}) {
    bool any = false;
    for (const OptionSpec &spec : specs) {
      if (!(spec.commands & command->bit) || std::string_view(spec.group) != group)
        continue;
      if (!any)
        text += "\n" + std::string(group) + "\n";
      any = true;
      std::string left = std::string("  ") + spec.flag + (*spec.argument ? " " : "") + spec.argument;
      text += left + std::string(left.size() < 28 ? 28 - left.size() : 1, ' ') + spec.help + "\n";
    }
  }
  return text + "\nexample: " + tool.name + " " + command->example + "\n";
}

} // namespace plc::runtime
