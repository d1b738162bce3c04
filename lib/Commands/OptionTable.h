// Every command and every option, one row each: parsing and --help read the same table.
#ifndef PLC_LIB_COMMANDS_OPTIONTABLE_H
#define PLC_LIB_COMMANDS_OPTIONTABLE_H

#include "Options.h"

#include <span>

namespace plc::runtime {

/// Commands as bits, so that a row says to which of them it applies.
enum CommandBit : unsigned {
  Train = 1,
  Eval = 2,
  Infer = 4,
  Generate = 8,
  Bench = 16,
  Inspect = 32,
  Simulate = 64,
  Params = 128,
  Einsum = 256,
  Tokenize = 512,
  CheckGradients = 1024
};

/// Those that execute entries of a model.
inline constexpr unsigned executing = Train | Eval | Infer | Generate | Bench;

struct Command {
  const char *name;
  unsigned bit;
  void (*run)(const Options &options, Engine &engine); // nullptr: the tool does it without an engine
  std::function<void(const ModelRequest &)> Tool::*withoutEngine;
  const char *what, *example; // the example without tool, command and model
  // Of a command that has no model: what it takes instead, and what it does.
  const char *arguments = nullptr;
  void (*runWithTool)(const Options &options, const Tool &tool) = nullptr;
};

/// An option as it was given.
struct Given {
  const std::string &flag, &text;
};

/// What of an option all processes of a run must give alike.
enum class Alike : uint8_t {
  Value,
  Names,    // NAME of NAME=FILE: a file may be elsewhere on another machine, and one process writes it
  Files,    // the same, and what is in the file, which every process reads
  Presence, // that it is given: its file is one process's own
  Nothing   // it is each process's own, or the module's hash tells it
};

struct OptionSpec {
  const char *flag, *argument; // no argument: a switch
  unsigned commands;
  const char *group, *help;
  void (*set)(Options &options, const Given &given); // throws usageError
  bool repeats = false;                              // each adds to those before; any other option is given once
  Alike alike = Alike::Value;
};

/// The command of that name, if the tool has it, or nullptr.
const Command *findCommand(const Tool &tool, const std::string &name);
std::span<const OptionSpec> allOptions();
/// The option of that name, which must be one.
const OptionSpec &optionOf(std::string_view flag);

} // namespace plc::runtime

#endif
