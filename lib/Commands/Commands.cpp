// main of plc-run and plc-interpret: parses, runs, reports errors.
#include "plc/Commands/Commands.h"

#include "OptionTable.h"
#include "Overwrites.h"
#include "Runs.h"
#include "SameRun.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Processes/Launch.h"
#include "plc/Support/ConfigSizes.h"
#include "plc/Support/Version.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <new>
#include <thread>

namespace plc::runtime {

namespace {

/// Runs a command on an engine that is open, and writes its trace.
void runWithEngine(const Command &command, const Options &options, Engine &engine) {
  if (ProcessGroup *world = ProcessGroup::joined())
    checkSameRun(options, *world);
  if (!options.model.trace.empty() && engine.leads()) {
    refuseFormer("--trace", options.model.trace, options);
    checkWritable(options.model.trace);
  }
  command.run(options, engine);
  if (!options.model.trace.empty())
    engine.writeTrace(options.model.trace);
}

} // namespace

namespace {

/// Of several processes that fail alike one should be heard: the one that failed first. So the others wait. Not tuned:
/// long beside the printing of an error.
constexpr auto late = std::chrono::milliseconds(500);

/// Prints an error and ends the other processes, unless all end by the same error. Returns the exit code.
int fail(const Error &error, const Tool &tool) {
  std::fflush(stdout);
  ProcessGroup *world = ProcessGroup::joined();
  if (!*error.what()) { // already printed
    endMpiJob(error.exitCode);
    return error.exitCode;
  }
  // A stop by signal is agreed on: all processes come here, and end in order.
  if (world && isOfSignal(error.exitCode)) {
    if (world->leads())
      failLauncher(textOf(error, tool.name), error.exitCode);
    try {
      world->finish();
    } catch (const Error &) { // a peer has ended without waiting
    }
    return error.exitCode;
  }
  std::optional<MpiJob> job = findMpiJob();
  if (error.exitCode == PeerLost || (job && job->process.value_or(0) > 0))
    std::this_thread::sleep_for(late);
  failLauncher(textOf(error, tool.name), error.exitCode);
  if (world)
    world->abort(error.exitCode);
  endMpiJob(error.exitCode);
  return error.exitCode;
}

/// The sizes of --config come before those of -D, which win.
void readConfig(Options &options) {
  const std::string &config = options.model.config;
  if (config.empty())
    return;
  try {
    std::vector<std::string> sizes =
        readConfigSizes({config, readFile(config)}, {options.mapFile, readFile(options.mapFile)});
    options.model.defines.insert(options.model.defines.begin(), sizes.begin(), sizes.end());
  } catch (const ConfigError &wrong) {
    Error error(BadInput, wrong.location, wrong.what());
    throw wrong.note.empty() ? error : error.note(wrong.note);
  }
}

} // namespace

int runCommands(int argc, char **argv, const Tool &tool) {
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond `ulimit -f` becomes an error of write()
  greetLauncher();
  try {
    if (argc == 2 && argv[1] == std::string_view("--version")) {
      std::printf("%s %s\n", tool.name.c_str(), plc::version());
      flushStdout();
      return Done;
    }
    Options options = parseOptions(argc, argv, tool);
    if (options.help) {
      std::fputs(helpText(tool, options.model.command).c_str(), stdout);
      flushStdout();
      return Done;
    }
    checkOverwrites(options);
    if (!options.paramsMapFile.empty())
      options.map = tool.readMap(options.paramsMapFile, readFile(options.paramsMapFile));
    if (!options.mapFile.empty())
      (options.exportFile.empty() ? options.map : options.exportMap) =
          tool.readMap(options.mapFile, readFile(options.mapFile));
    readConfig(options);
    if (!options.promptsFile.empty())
      options.prompts = readPrompts(options.promptsFile);
    if (!options.tokenizer.empty())
      options.codec = tool.readTokenizer(options.tokenizer, readFile(options.tokenizer));
    if (!options.prefill.empty()) {
      ModelRequest request = options.model;
      request.file = options.prefill;
      request.entry.clear(); // of the other file
      request.trace.clear();
      options.prefillEngine = tool.open(request);
    }
    const Command &command = *findCommand(tool, options.model.command);
    bool needsWeights = options.params.empty() && options.resume.empty() && !options.drawsParameters && command.run;
    if (needsWeights && tool.ownWeights)
      options.params = tool.ownWeights(options.model);
    if (command.runWithTool)
      command.runWithTool(options, tool);
    else if (command.run)
      runWithEngine(command, options, *tool.open(options.model));
    else {
      refuseFormer("--trace", options.model.trace, options);
      (tool.*command.withoutEngine)(options.model);
    }
    flushStdout();
    options.prefillEngine.reset(); // it must free its communicators before MPI ends
    if (ProcessGroup *world = ProcessGroup::joined())
      world->finish();
    leaveLauncher();
    return Done;
  } catch (const Error &error) {
    return fail(error, tool);
  } catch (const std::bad_alloc &) {
    return fail(Error(BadInput, "", "out of memory"), tool);
  } catch (const std::exception &error) {
    return fail(Error(Internal, "", std::string("internal error: ") + error.what()), tool);
  }
}

} // namespace plc::runtime
