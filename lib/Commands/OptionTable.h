// The table of all commands and options, for parsing and for --help.
#ifndef PLC_LIB_COMMANDS_OPTIONTABLE_H
#define PLC_LIB_COMMANDS_OPTIONTABLE_H

#include "Options.h"

#include <span>

namespace plc::runtime {

/// Commands as bits: each option has the set of commands that take it.
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

/// The commands that execute entries of a model.
inline constexpr unsigned executing = Train | Eval | Infer | Generate | Bench;

/// A row of the table of commands.
struct Command {
  const char *name;
  unsigned bit;
  void (*run)(const Options &options, Engine &engine); // nullptr: the tool runs it without an engine
  std::function<void(const ModelRequest &)> Tool::*withoutEngine;
  const char *what, *example; // for --help; the example without tool, command and model
  // For a command without a model: its arguments, and its function.
  const char *arguments = nullptr;
  void (*runWithTool)(const Options &options, const Tool &tool) = nullptr;
};

/// An option on the command line.
struct Given {
  const std::string &flag, &text;
};

/// What all processes of a run must have in common of an option.
enum class Alike : uint8_t {
  Value,
  Names,    // NAME of NAME=FILE: the file may be elsewhere on another machine
  Files,    // the name, and the bytes of the file, which every process reads
  Presence, // that it is given: its file belongs to one process
  Nothing   // it is each process's own, or the module's hash covers it
};

/// A row of the table of options.
struct OptionSpec {
  const char *flag, *argument; // no argument: a switch
  unsigned commands;
  const char *group, *help;
  void (*set)(Options &options, const Given &given); // throws usageError
  bool repeats = false;                              // may be given several times, and each adds to the others
  Alike alike = Alike::Value;
};

/// The command of that name, if the tool has it, or nullptr.
const Command *findCommand(const Tool &tool, const std::string &name);
std::span<const OptionSpec> allOptions();
/// The option of that name, which must exist.
const OptionSpec &optionOf(std::string_view flag);

} // namespace plc::runtime

#endif
