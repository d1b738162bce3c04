#include "plc/Runtime/Commands.h"

#include "Files.h"
#include "OptionTable.h"
#include "Runs.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

namespace plc::runtime {

const EntryInfo &needEntry(const Engine &engine, const std::string &name) {
  if (const EntryInfo *entry = engine.findEntry(name))
    return *entry;
  std::string names;
  for (const EntryInfo &entry : engine.entries())
    names += (names.empty() ? "'" : ", '") + entry.name + "'";
  throw Error(BadInput, "", "model '" + engine.modelName() + "' has no entry '" + name + "', only " + names);
}

namespace {

void runWithEngine(const Command &command, const Options &options, Engine &engine) {
  if (!options.model.trace.empty())
    checkWritable(options.model.trace);
  command.run(options, engine);
  if (!options.model.trace.empty())
    engine.writeTrace(options.model.trace);
}

} // namespace

int runCommands(int argc, char **argv, const Tool &tool) {
  try {
    Options options = parseOptions(argc, argv, tool);
    if (options.help) {
      std::fputs(helpText(tool, options.model.command).c_str(), stdout);
      return Done;
    }
    if (!options.mapFile.empty())
      options.map = tool.readMap(options.mapFile, readFile(options.mapFile));
    if (!options.tokenizer.empty())
      options.codec = tool.readTokenizer(options.tokenizer, readFile(options.tokenizer));
    const Command &command = *findCommand(tool, options.model.command);
    if (command.runWithTool)
      command.runWithTool(options, tool);
    else if (command.run)
      runWithEngine(command, options, *tool.open(options.model));
    else
      (tool.*command.withoutEngine)(options.model);
    if (std::fflush(stdout) != 0)
      throw fileError("<stdout>", std::string("cannot be written: ") + std::strerror(errno));
    return Done;
  } catch (const Error &error) {
    std::fflush(stdout);
    printError(error, tool.name);
    return error.exitCode;
  } catch (const std::bad_alloc &) {
    printError(Error(BadInput, "", "out of memory"), tool.name);
    return BadInput;
  } catch (const std::exception &error) {
    printError(Error(Internal, "", std::string("internal error: ") + error.what()), tool.name);
    return Internal;
  }
}

} // namespace plc::runtime
