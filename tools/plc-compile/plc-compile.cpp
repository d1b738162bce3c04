//===- plc-compile.cpp - from a model to a plan, an IR or a module --------===//
#include "plc/Driver/Compile.h"
#include "plc/Driver/Instrumentation.h"
#include "plc/Support/ConfigSizes.h"
#include "plc/Support/PhaseKind.h"
#include "plc/Support/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <optional>

using namespace plc::driver;
using llvm::StringRef;

// What --program names beside the programs of a model.
static constexpr StringRef updateProgram = "update";

// PHASES stands for the names of the phases.
static const char help[] = R"(plc-compile: check a model and print its plan, or compile it
usage: plc-compile MODEL.ein|IR.mlir|MODEL.pt2 [options]   (IR, as --emit writes it: goes on from the phase that it
       is of; .pt2: an archive of torch.export.save; .mlir may be JAX's StableHLO in generic form, too)

what
  -o FILE             write the result there; without --emit: a module for plc-run (.plcm)
  --emit=PHASE        what stands after a phase, to -o or stdout: PHASES (the
                      stages and routes, for Graphviz); csv is the order of tasks as parallelism.schedule.file takes it;
                      json is what --explain tells of step and memory, as data
  --entry NAME        the model of the file to compile (default: its only one)
  --program P         the program that --emit and the plan show: train, eval or infer (default: train if the model has
                      a loss, else infer); a module holds all of them. With --emit=PHASE also update: the rules of the
                      optimizer, first those of scalars
  --output NAME       what 'infer' must give (default: all outputs); repeats. An output, grad(NAME) (the gradient of
                      'loss' for a real input or a parameter), or the value of a rule: PATH.NAME, as attention.3.p. A
                      module holds one more program then, of these outputs
  -D NAME=SIZE        replace a `dim` of the file
  --params FILE       of a .pt2: write its weights there (.safetensors), by the paths of the parameters of its rules,
                      which --emit=ein-source writes
  --map-out FILE      of an imported model: write the names that its parameters had, for plc-run --map
  --params-argument A of StableHLO: the argument whose leaves are parameters; else all arguments that are pytrees
  --loss E            of an imported model: the loss of training, as 'cross_entropy(logits, label)'
  --batch INPUT=AXIS  of an imported model: the axis of an input that holds the samples; else axis 0 of the first one
  --also FILE         of an imported model: the same at other sizes; what holds at the exported sizes alone is an error
  --config FILE       the config.json of a checkpoint: replaces the dims that '[sizes]' of --map names; -D wins over it
  --map FILE          which keys of --config are which dims

how
  --strategy FILE     a strategy in TOML (default: every key's default)
  --set KEY=VALUE     one key of it; the value is TOML, a bare word is a string
  --rates measured    plan by what this machine takes, measured once and kept in the user's cache folder (default,
                      unless PLC_RATES says otherwise); shipped: by the rates that the compiler comes with, the same on
                      every machine. A file of machine.rates goes before either
  --explain-strategy  print every key, its value and where that came from
  --explain           print why the plan is as it is: the next-best cuts, the step as a chart, for each rank what it
                      does, waits for and is bound by, and what its arena holds at the peak
  --recommend         search over stages, schedule, micro-batches and recomputation, and write the best strategy, with
                      what was considered as comments, to -o or stdout
  --plan-remat-curve  print what each byte less costs: for ten budgets what the fullest rank takes, the step, and what
                      is recomputed for it
  --print-pipeline    print the passes; given to plc-opt --pass-pipeline they give the same IR

watch (MLIR's own options, as plc-opt has them, written --name=value)
  --remarks-filter=REGEX           what the passes of matching names decided, and why; -passed, -missed, -analyse
                                   behind filter: that kind alone; --remarks-output-file=F: as YAML
  --mlir-timing                    the time of each pass of each program
  --mlir-print-ir-after=PASS, --mlir-print-ir-before=PASS, --mlir-print-ir-after-all, --mlir-print-ir-after-change, ..
  --mlir-pass-statistics, --mlir-print-debuginfo, --mlir-print-op-generic, --debug-only=PASS, ..
  PLC_PROGRESS=S in the environment: tell which pass is at work after S seconds, and now and then from there on (10)
  PLC_NO_OBJECT_CACHE=1 in the environment: compile kernels anew that the user's cache folder has the code of

  --error-limit N     stop after N errors (20; 0: never)
  --calibrate         measure this machine's rates instead, for `machine.rates`, to -o or stdout (about 5 s)

  --help              this text
  --version           the version of plc

exit codes: 0 done, 1 bad model, 2 usage or strategy, 3 no plan fits, 70 internal error
example: plc-compile examples/gpt.ein --set parallelism.stages=2 --set parallelism.micro_batches=4 -o gpt.plcm
)";

/// Prints an error about the command line; its exit code.
static int usage(const llvm::Twine &text) {
  llvm::errs() << "plc-compile: error: " << text << "\n";
  return 2;
}

static int checkOutputs(llvm::ArrayRef<std::string> outputs) {
  llvm::StringSet<> seen;
  for (StringRef name : outputs) {
    if (name.empty() || name.find_first_of(", {}\"'=") != StringRef::npos)
      return usage("--output is NAME, grad(NAME) or PATH.NAME, found '" + name + "'");
    if (!seen.insert(name).second)
      return usage("--output '" + name + "' is given twice");
  }
  return 0;
}

namespace {

/// Reads the command line into `CompileOptions`. Each function returns an exit code; what is wrong is reported.
class CommandLine {
public:
  CommandLine(int argc, char **argv, CompileOptions &options)
      : arguments(argv + 1, argv + argc), options(options), single{{"-o", &options.output},
                                                                   {"--emit", &options.emit},
                                                                   {"--entry", &options.entry},
                                                                   {"--params", &options.params},
                                                                   {"--loss", &options.loss},
                                                                   {"--map-out", &options.mapOut},
                                                                   {"--params-argument", &options.paramsArgument},
                                                                   {"--batch", &options.batch},
                                                                   {"--also", &options.also},
                                                                   {"--program", &program},
                                                                   {"--rates", &rates},
                                                                   {"--strategy", &options.strategy},
                                                                   {"--error-limit", &errorLimit},
                                                                   {"--config", &config},
                                                                   {"--map", &map}},
        repeated{{"--set", &options.sets}, {"--output", &options.program.outputs}, {"-D", &sizes}},
        flags{{"--explain-strategy", &options.explainStrategy},
              {"--calibrate", &options.calibrate},
              {"--recommend", &options.recommend},
              {"--plan-remat-curve", &options.listsBudgets},
              {"--explain", &options.explains},
              {"--print-pipeline", &options.printPipeline}} {}

  int parse() {
    for (next = 0; next < arguments.size(); ++next)
      if (int code = readArgument())
        return code;
    if (std::optional<std::string> wrong = parseInstrumentation(instrumentation))
      return wrong->empty() ? 2 : usage(*wrong);
    for (auto check :
         {&CommandLine::readConfig, &CommandLine::setSizes, &CommandLine::setErrorLimit, &CommandLine::setRates,
          &CommandLine::checkExclusive, &CommandLine::checkFiles, &CommandLine::setProgram})
      if (int code = (this->*check)())
        return code;
    return checkOutputs(options.program.outputs);
  }

private:
  /// The value of an option, written --name=value, --name value or (for one letter) -Nvalue.
  std::optional<std::string> valueOf(StringRef name) {
    StringRef rest = arguments[next];
    if (rest == name && next + 1 < arguments.size())
      return arguments[++next].str();
    if (rest.consume_front(name) && (name.size() == 2 ? !rest.empty() : rest.consume_front("=")))
      return rest.str();
    return std::nullopt;
  }

  int readArgument() {
    StringRef argument = arguments[next];
    for (auto [name, value] : single)
      if (std::optional<std::string> read = valueOf(name))
        return setOnce(name, *read, *value);
    for (auto [name, values] : repeated)
      if (std::optional<std::string> read = valueOf(name)) {
        values->push_back(*read);
        return 0;
      }
    for (auto [name, flag] : flags)
      if (argument == name) {
        *flag = true;
        return 0;
      }
    auto isIt = [&](const auto &option) { return option.first == argument; };
    if (llvm::any_of(single, isIt) || llvm::any_of(repeated, isIt))
      return usage("option '" + argument + "' needs a value");
    if (isInstrumentation(argument)) {
      instrumentation.push_back(argument.str());
      return 0;
    }
    if (argument.starts_with("-"))
      return usage("unknown option '" + argument + "'; see plc-compile --help");
    if (!options.model.empty())
      return usage("more than one model: '" + options.model + "' and '" + argument + "'");
    options.model = argument.str();
    return 0;
  }

  int setOnce(StringRef name, const std::string &read, std::string &value) {
    if (!given.insert(name).second)
      return usage("option '" + name + "' is given twice");
    if (read.empty())
      return usage("option '" + name + "' has an empty value");
    value = read;
    return 0;
  }

  /// The sizes of a `config.json` come before those of -D, which win.
  int readConfig() {
    if (config.empty() != map.empty())
      return usage(config.empty() ? "option '--map' needs '--config FILE'"
                                  : "option '--config' needs '--map FILE', which says what its keys are");
    if (config.empty())
      return 0;
    plc::NamedText texts[] = {{config, ""}, {map, ""}};
    for (plc::NamedText &each : texts) {
      auto text = llvm::MemoryBuffer::getFile(each.file, /*IsText=*/true);
      if (!text)
        return usage("cannot read '" + each.file + "': " + text.getError().message());
      each.text = (*text)->getBuffer().str();
    }
    try {
      std::vector<std::string> read = plc::readConfigSizes(texts[0], texts[1]);
      sizes.insert(sizes.begin(), read.begin(), read.end());
      return 0;
    } catch (const plc::ConfigError &error) {
      llvm::errs() << error.location << ": error: " << error.what() << "\n";
      if (!error.note.empty())
        llvm::errs() << "note: " << error.note << "\n";
      return 1;
    }
  }

  int setSizes() {
    for (StringRef each : sizes) {
      auto [name, size] = each.split('=');
      int64_t extent;
      if (name.empty() || size.getAsInteger(10, extent))
        return usage("-D needs NAME=SIZE, the size an integer below 2^63, found '" + each + "'");
      options.overrides.push_back({name.str(), extent});
    }
    return 0;
  }

  int setErrorLimit() {
    if (!errorLimit.empty() && StringRef(errorLimit).getAsInteger(10, options.errorLimit))
      return usage("--error-limit needs a number of errors, found '" + errorLimit + "'");
    return 0;
  }

  int setRates() {
    if (const char *source = std::getenv("PLC_RATES"); source && *source && rates.empty())
      rates = source;
    std::optional<RatesSource> source = plc::parseChoice<RatesSource>(rates.empty() ? "measured" : rates);
    if (!source)
      return usage("--rates is " + plc::listChoices<RatesSource>("", " or ") + ", found '" + rates + "'");
    options.rates = *source;
    return 0;
  }

  int checkExclusive() {
    for (auto [other, isGiven] : {std::pair("-o", given.contains("-o")),
                                  {"--emit", given.contains("--emit")},
                                  {"--recommend", options.recommend},
                                  {"--print-pipeline", options.printPipeline},
                                  {"--plan-remat-curve", options.listsBudgets}})
      if (options.explains && isGiven)
        return usage("--explain prints why the plan is as it is, and takes no " + llvm::Twine(other));
    for (const char *other : {"-o", "--emit"})
      if (options.listsBudgets && given.contains(other))
        return usage("--plan-remat-curve prints what each byte of a budget costs, and takes no " + llvm::Twine(other));
    if (options.calibrate && !options.model.empty())
      return usage("--calibrate measures the machine, and takes no model; found '" + options.model + "'");
    if (options.recommend && (!options.emit.empty() || options.printPipeline || options.listsBudgets))
      return usage("--recommend writes a strategy, and takes no --emit, --print-pipeline or --plan-remat-curve");
    return 0;
  }

  int checkFiles() {
    if (options.model.empty() && !options.explainStrategy && !options.calibrate)
      return usage("no model; see plc-compile --help");
    if (!options.output.empty() && llvm::sys::fs::equivalent(options.output, options.model))
      return usage("-o would overwrite the model '" + options.model + "'");
    if (!options.output.empty() && llvm::sys::fs::equivalent(options.output, options.strategy))
      return usage("-o would overwrite the strategy '" + options.strategy + "'");
    if (!options.emit.empty() && !llvm::is_contained(emitNames(), options.emit))
      return usage("--emit has no phase '" + options.emit + "'; phases: " + llvm::join(emitNames(), ", "));
    return 0;
  }

  int setProgram() {
    options.programGiven = given.contains("--program");
    if (!options.programGiven)
      return 0;
    if (options.showsUpdate = program == updateProgram; options.showsUpdate)
      return plc::parseChoice<plc::PhaseKind>(options.emit)
                 ? 0
                 : usage("--program update is the optimizer's rules: add --emit=PHASE");
    std::optional<plc::ProgramKind> kind = plc::parseChoice<plc::ProgramKind>(program);
    if (!kind)
      return usage("--program is " + plc::listChoices<plc::ProgramKind>("", ", ") + " or update, found '" + program +
                   "'");
    if (!options.program.outputs.empty() && *kind != plc::ProgramKind::infer)
      return usage("--output belongs to program 'infer', found --program '" + program + "'");
    options.program.entry = *kind;
    return 0;
  }

  std::vector<StringRef> arguments;
  size_t next = 0;
  CompileOptions &options;
  std::string program, rates, errorLimit, config, map;
  std::vector<std::string> sizes, instrumentation;
  llvm::StringSet<> given; // of `single`
  // Options with a value that can be given once, those that repeat, and those without a value.
  std::vector<std::pair<StringRef, std::string *>> single;
  std::vector<std::pair<StringRef, std::vector<std::string> *>> repeated;
  std::vector<std::pair<StringRef, bool *>> flags;
};

} // namespace

static void printHelp() {
  auto [before, after] = StringRef(help).split("PHASES");
  llvm::outs() << before;
  // Lines of at most 120 columns, which begin under the first name.
  size_t column = before.size() - before.rfind('\n') - 1;
  for (StringRef name : emitNames()) {
    bool last = name == emitNames().back();
    if (column + name.size() + 2 > 119) {
      llvm::outs() << "\n" << std::string(22, ' ');
      column = 22;
    } else if (name != emitNames().front()) {
      llvm::outs() << " ";
      ++column;
    }
    llvm::outs() << name << (last ? "" : ",");
    column += name.size() + 1;
  }
  llvm::outs() << after;
}

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond `ulimit -f` becomes an error of write()
  for (StringRef argument : llvm::ArrayRef(argv, argc).drop_front()) {
    if (argument == "--help" || argument == "-h")
      return printHelp(), 0;
    if (argument == "--version") {
      llvm::outs() << "plc-compile " << plc::version() << "\n";
      return 0;
    }
  }
  CompileOptions options;
  if (int code = CommandLine(argc, argv, options).parse())
    return code;
  return options.calibrate ? calibrate(options.sets, options.output) : compile(options);
}
