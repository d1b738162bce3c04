// Parses the command line by the table of options.
#include "OptionTable.h"

#include <algorithm>
#include <set>

namespace plc::runtime {

namespace {

/// Flags that are reserved.
constexpr const char *notYet[] = {"--report"};

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
  for (const OptionSpec &spec : allOptions()) {
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
  if (!given.insert(flag).second && !spec.repeats)
    throw usageError("option '" + flag + "' is given twice");
  if (!*spec.argument) {
    if (attached)
      throw usageError("found '" + word + "', but option '" + flag + "' has no value");
    options.given.emplace_back(flag, value);
    return spec.set(options, {flag, value});
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
  options.given.emplace_back(flag, value);
  spec.set(options, {flag, value});
}

/// The outputs to compile, if a gradient or a rule's value is among them: these are compiled only on request, together
/// with the other results of the same run.
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
  options.model.arguments.assign(argv + std::min(argc, 1), argv + argc);
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
  options.model.timesTasks = command->bit == Bench;
  options.model.runs = command->bit & executing;
  options.model.trains = command->bit & (Train | Bench);
  std::set<std::string> given;
  for (int i = 2; i < argc;) {
    std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
      return options;
    }
    // A word that begins with an arrow is no flag: einsum's subscripts may.
    if (word.size() > 1 && word[0] == '-' && !word.starts_with("->")) {
      parseFlag(argc, argv, i, *command, given, options);
      continue;
    }
    if (command->arguments) {
      options.words.push_back(word);
      ++i;
      continue;
    }
    if (!options.model.file.empty())
      throw usageError("found a second file '" + word + "' beside '" + options.model.file + "', expected one");
    options.model.file = word;
    ++i;
  }
  if (command->arguments && options.words.size() < 2)
    throw usageError(std::string("'") + command->name + "' needs " + command->arguments);
  if (command->arguments)
    return options;
  if (options.model.file.empty())
    throw usageError("no model, expected " + tool.modelArgument);
  for (const char *option : {"--save-every", "--keep"})
    if (given.count(option) && options.save.empty())
      throw usageError(std::string("option '") + option + "' needs '--save DIR'");
  for (const char *option : {"--rtol", "--atol"})
    if (given.count(option) && options.expects.empty())
      throw usageError(std::string("option '") + option + "' needs '--expect OUTPUT=FILE'");
  if (!options.evalData.empty() && options.resume.empty() && options.holdout.value_or(0) > 0)
    throw usageError("'--eval-data' is evaluated instead of a held-out part, found '--holdout' too: give one of them");
  if (options.evalEvery && options.evalData.empty() && options.holdout == 0)
    throw usageError("option '--eval-every' needs held-out data, but '--holdout 0' leaves none");
  if (given.count("--prompts") && !options.prompts.empty())
    throw usageError("'--prompts' names a file of all prompts, found '" +
                     std::string(given.count("--prompt") ? "--prompt" : "--prompt-ids") + "' too: give one of them");
  if (given.count("--prompt") && given.count("--prompt-ids"))
    throw usageError("'--prompt' gives text, '--prompt-ids' numbers: give one of them");
  if (options.drawsParameters && !options.params.empty())
    throw usageError("'--params' gives the values that '--random-parameters' draws: give one of them");
  if (options.averages && options.params.empty())
    throw usageError("option '--ema' needs '--params DIR'");
  if (!options.mapFile.empty() && options.params.empty() && options.model.config.empty())
    throw usageError("option '--map' needs '--params P' or '--config FILE'");
  if (options.mapFile.empty() && !options.model.config.empty())
    throw usageError("option '--config' needs '--map FILE', which says what its keys are");
  if (!options.exportFile.empty() && options.params.empty())
    throw usageError("option '--export' needs '--params P'");
  if (!options.paramsMapFile.empty() && options.exportFile.empty())
    throw usageError("option '--params-map' needs '--export FILE'; without it '--map' is the map of '--params'");
  options.model.outputs = outputsToCompile(options);
  return options;
}

} // namespace plc::runtime
