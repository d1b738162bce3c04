// Compiles, caches, loads and launches what the user names.
#include "plc/Commands/ModelFile.h"

#include "Inspect.h"
#include "SimulateFile.h"
#include "SourceTexts.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/Module.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Base/ScratchFolder.h"
#include "plc/Runtime/Execute/MakeTransport.h"
#include "plc/Runtime/Execute/ModuleEngine.h"
#include "plc/Runtime/Processes/Launch.h"
#include "plc/Support/CacheFolder.h"
#include "plc/Support/Counted.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

extern char **environ;

namespace plc::runtime {

namespace {

int64_t readThreads(const std::string &key, const std::string &value) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > 256)
    throw usageError("found '" + value + "' for key '" + key + "', expected 1 to 256");
  return number;
}

/// Takes a key of --set for a compiled module. RunSettings refuses those that cannot change at run time.
void applyRunTimeKey(const std::string &set, const ModelRequest &request, ModuleOptions &options) {
  size_t equal = set.find('=');
  std::string key = set.substr(0, equal), value = set.substr(equal + 1);
  if (key == "machine.threads_per_stage")
    options.threadsPerStage = readThreads(key, value);
  else if (key == "machine.transport")
    options.transportKind = findTransport(value);
  else if (key.starts_with("optimizer.") && !request.trains)
    throw usageError("key '" + key + "' belongs to training and would be ignored by '" + request.command + "'");
  else {
    refuseFixedKey(key);
    options.settings[key] = value;
  }
}

void refuseCompileOptions(const ModelRequest &request) {
  const std::pair<const char *, bool> given[] = {{"--strategy", !request.strategy.empty()},
                                                 {"--config", !request.config.empty()},
                                                 {"-D", !request.defines.empty()},
                                                 {"--entry", !request.entry.empty()},
                                                 {"--batch", !request.batch.empty()}};
  for (auto [flag, present] : given)
    if (present)
      throw usageError("option '" + std::string(flag) + "' does not apply to a compiled module");
}

std::string compilerBesideUs() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  fs::path compiler = self.parent_path() / "plc-compile";
  if (error || ::access(compiler.c_str(), X_OK) != 0)
    throw Error(BadUsage, "", "no 'plc-compile' beside this program, found none at '" + compiler.string() + "'");
  return compiler;
}

fs::path cacheDirectory() { return cacheFolder(); }

std::vector<std::string> compileArguments(const ModelRequest &request) {
  std::vector<std::string> arguments{request.file};
  if (!request.strategy.empty())
    arguments.insert(arguments.end(), {"--strategy", request.strategy});
  if (!request.entry.empty())
    arguments.insert(arguments.end(), {"--entry", request.entry});
  if (!request.batch.empty())
    arguments.insert(arguments.end(), {"--batch", request.batch});
  for (const std::string &set : request.sets)
    arguments.insert(arguments.end(), {"--set", set});
  for (const std::string &define : request.defines)
    arguments.insert(arguments.end(), {"-D", define});
  for (const std::string &output : request.outputs)
    arguments.insert(arguments.end(), {"--output", output});
  return arguments;
}

/// Runs the compiler, whose diagnostics go straight to the user. Its output does too, unless `output` names a file.
/// Throws with its exit code, without a text.
void compile(const std::string &compiler, const std::vector<std::string> &arguments, const std::string &output = "") {
  std::vector<char *> argv{const_cast<char *>(compiler.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (!output.empty())
    ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  pid_t child = 0;
  int error = ::posix_spawn(&child, compiler.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error)
    throw Error(Internal, "", "'" + compiler + "' cannot be started: " + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(status))
    throw Error(Internal, "", "'" + compiler + "' was ended by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    throw Error(WEXITSTATUS(status), "", "");
}

/// The pipeline that the compiler would run, which has the rates of the file of `machine.rates`. Empty if neither
/// strategy nor --set mentions rates: then no file matters.
std::string ratesOf(const ModelRequest &request, const std::string &compiler, ScratchFolder &scratch) {
  std::string how = request.strategy.empty() ? "" : readFile(request.strategy);
  for (const std::string &set : request.sets)
    how += set + "\n";
  if (how.find("rates") == std::string::npos)
    return "";
  std::string passes = scratch.path() / "passes";
  std::vector<std::string> arguments = compileArguments(request);
  arguments.push_back("--print-pipeline");
  compile(compiler, arguments, passes);
  return readFile(passes);
}

/// FNV-1a, 128 bits: two models with one hash would run each other's modules, so 64 bits are too few. Two hashes of 64
/// bits would not be independent.
std::string hash128(std::string_view bytes) {
  using Wide = unsigned __int128;
  constexpr Wide offset = (Wide(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d, prime = (Wide(1) << 88) | 0x13b;
  Wide hash = offset;
  for (char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash >> 64),
                static_cast<unsigned long long>(hash));
  return text;
}

std::string identityOf(const std::string &compiler) {
  std::error_code ignored;
  return compiler + '\0' + std::to_string(fs::file_size(compiler, ignored)) + '\0' +
         std::to_string(fs::last_write_time(compiler, ignored).time_since_epoch().count());
}

/// The hash of everything that a module is made from: model, used files, strategy, rates, options and the compiler. The
/// CPU is not among them.
std::string contentHash(const ModelRequest &request, const std::string &compiler, ScratchFolder &scratch) {
  std::string all = textOfModel(request.file);
  auto add = [&](const std::string &part) {
    all += '\0';
    all += part;
  };
  if (!request.strategy.empty())
    add(readFile(request.strategy));
  add(ratesOf(request, compiler, scratch));
  for (const std::string &argument : compileArguments(request))
    add(argument);
  add(identityOf(compiler));
  return hash128(all);
}

/// Copies a module to the cache; returns the reason if that fails.
std::error_code keep(const fs::path &module, const fs::path &kept) {
  std::error_code error;
  fs::create_directories(kept.parent_path(), error);
  if (error)
    return error;
  // Renamed when complete: another process finds no module or a whole one.
  fs::path partial = fs::path(kept).replace_extension("partial-" + std::to_string(::getpid()));
  fs::copy_file(module, partial, fs::copy_options::overwrite_existing, error);
  if (!error)
    fs::rename(partial, kept, error);
  if (error)
    ::unlink(partial.c_str());
  return error;
}

fs::path keptModule(const ModelRequest &request, const std::string &compiler, ScratchFolder &scratch) {
  return cacheDirectory() / (contentHash(request, compiler, scratch) + ".plcm");
}

/// The compiled module of a .ein file, from the cache if nothing has changed. If the cache cannot be written, the
/// module is in the scratch folder, and the next run compiles again. Launched processes use the launcher's module: each
/// would measure its machine by itself, and plan differently.
std::string moduleOf(const ModelRequest &request, ScratchFolder &scratch) {
  if (std::string module = moduleOfLauncher(request.file); !module.empty())
    return module;
  std::string compiler = compilerBesideUs();
  fs::path kept = keptModule(request, compiler, scratch);
  std::error_code ignored;
  if (fs::exists(kept, ignored))
    return kept;
  std::string module = scratch.path() / "module.plcm";
  std::vector<std::string> arguments = compileArguments(request);
  arguments.insert(arguments.end(), {"-o", module});
  compile(compiler, arguments);
  std::error_code error = keep(module, kept);
  if (!error)
    return kept;
  warnUser("warning: cannot keep the compiled model in '" + cacheDirectory().string() + "': " + error.message() +
           "; the next run compiles it again, unless XDG_CACHE_HOME names a folder that can be written\n");
  return module;
}

/// Whether a file is compiled before it runs: a model, or IR.
bool isCompiled(const fs::path &file) {
  return file.extension() == ".ein" || file.extension() == ".mlir" || file.extension() == ".pt2";
}

} // namespace

/// The largest number of ranks of an entry.
static int64_t numRanks(const Manifest &manifest) {
  size_t most = 0;
  for (const module::EntryPlan &entry : manifest.entries)
    most = std::max(most, entry.ranks.size());
  return static_cast<int64_t>(most);
}

/// Whether this process is one of several that run the model, by options or by the module.
static bool isShared(const ModelRequest &request, const ModuleOptions &options, const Manifest &manifest) {
  if (!request.runs || (options.transportKind && *options.transportKind != TransportKind::Mpi))
    return false;
  std::optional<MpiJob> job = findMpiJob();
  bool several = job && (!job->count || *job->count > 1);
  return request.ranks || several || options.transportKind.value_or(manifest.transport) == TransportKind::Mpi;
}

/// Runs the model in processes of its own, and throws their exit code without a text: they have printed their errors.
[[noreturn]] static void launchProcesses(const ModelRequest &request, const Module &module, const std::string &file) {
  int64_t most = numRanks(module.manifest());
  if (request.ranks > most)
    throw usageError("found '--ranks " + std::to_string(request.ranks) + "', but the plan of '" + request.file +
                     "' has " + counted(most, "rank"));
  std::optional<MpiLibrary> asked;
  if (!request.mpi.empty() && !(asked = parseChoice<MpiLibrary>(request.mpi)))
    throw usageError("found '" + request.mpi + "' for '--mpi', expected one of " + listChoices<MpiLibrary>("", ", "));
  if (!request.hostfile.empty())
    readFile(request.hostfile); // a clear error: each launcher has another one for a missing file
  throw Error(launch({chooseLauncher(asked), request.ranks ? request.ranks : most, request.hostfile,
                      request.hangTimeout.value_or(ModuleOptions().hangTimeout), request.arguments,
                      file == request.file ? "" : request.file, file == request.file ? "" : file},
                     module.manifest()),
              "", "");
}

/// Opens a module in this process, in the group that it belongs to, or in new processes.
static std::unique_ptr<Engine> runModule(const ModelRequest &request, const std::string &file, ModuleOptions &options) {
  auto module = std::make_unique<Module>(file);
  bool shared = isShared(request, options, module->manifest());
  for (auto [flag, given] : {std::pair("--ranks", request.ranks > 0),
                             {"--mpi", !request.mpi.empty()},
                             {"--hostfile", !request.hostfile.empty()}})
    if (given && !shared)
      throw usageError("option '" + std::string(flag) + "' needs " + (request.ranks ? "" : "'--ranks N' or ") +
                       "'machine.transport = \"mpi\"'");
  options.transportKind = shared ? TransportKind::Mpi : TransportKind::Threads;
  if (!shared)
    return openModule(std::move(module), options);
  settingsOf(*module, options); // an error before processes are launched
  if (request.checkLive)        // its runs may fail, which would end a process
    throw usageError("option '--check-live' wants all ranks in one process: with '--set machine.transport=threads' it "
                     "checks the same plan");
  if (!findMpiJob())
    launchProcesses(request, *module, file);
  ProcessGroup &world = *joinGroup(TransportKind::Mpi);
  followLauncher();
  if (request.ranks && request.ranks != world.count())
    throw usageError("found '--ranks " + std::to_string(request.ranks) + "', but mpirun has started " +
                     std::to_string(world.count()) + " processes");
  return openModule(std::move(module), options);
}

std::unique_ptr<Engine> openModelFile(const ModelRequest &request) {
  ScratchFolder scratch; // a loaded module does not need its file
  ModuleOptions options;
  options.checkArena = request.checkArena;
  options.checkLive = request.checkLive;
  options.checkFinite = request.checkFinite;
  options.shareKernels = request.sharesKernels;
  options.trace = !request.trace.empty();
  options.timeTasks = request.timesTasks;
  options.printWorkers = request.runs;
  options.hangTimeout = request.hangTimeout.value_or(options.hangTimeout);
  if (isCompiled(request.file)) {
    for (const std::string &set : request.sets)
      options.keptSettings.push_back(set.substr(0, set.find('=')));
    return runModule(request, moduleOf(request, scratch), options);
  }
  refuseCompileOptions(request);
  for (const std::string &set : request.sets)
    applyRunTimeKey(set, request, options);
  return runModule(request, request.file, options);
}

/// A module whose kernels are never called, so any CPU will do.
static Module openUnrun(const ModelRequest &request) {
  bool compiles = isCompiled(request.file);
  if (!compiles) {
    refuseCompileOptions(request);
    if (!request.sets.empty())
      throw usageError("option '--set' does not apply to a compiled module that is not run");
  }
  ScratchFolder scratch;
  return Module(compiles ? moduleOf(request, scratch) : request.file, Module::Use::Inspect);
}

std::string archivedWeights(const ModelRequest &request) {
  if (fs::path(request.file).extension() != ".pt2")
    return "";
  std::string compiler = compilerBesideUs();
  fs::path kept = cacheDirectory() / (hash128(readFile(request.file) + identityOf(compiler)) + ".safetensors");
  std::error_code error;
  if (fs::exists(kept, error))
    return kept;
  ScratchFolder scratch;
  // An import takes as long as all else of a compilation, so the same one makes the module that is opened next.
  std::string weights = scratch.path() / "weights.safetensors", module = scratch.path() / "module.plcm";
  std::vector<std::string> arguments = compileArguments(request);
  arguments.insert(arguments.end(), {"--params", weights, "-o", module});
  compile(compiler, arguments);
  error = keep(weights, kept);
  if (error)
    throw Error(BadInput, request.file,
                "its weights cannot be kept in '" + cacheDirectory().string() + "': " + error.message() +
                    "; XDG_CACHE_HOME names another folder");
  keep(module, keptModule(request, compiler, scratch)); // one that cannot be kept is compiled again
  return kept;
}

void inspectModelFile(const ModelRequest &request) { printModule(openUnrun(request)); }

void simulateModelFile(const ModelRequest &request, simulator::ClusterReader readCluster) {
  if (request.cluster.empty())
    throw usageError("'simulate' needs option '--cluster FILE.toml'");
  simulator::Cluster cluster;
  if (auto error = readCluster(readFile(request.cluster), cluster))
    throw Error(BadInput, request.cluster + ":" + std::to_string(error->line) + ":" + std::to_string(error->column),
                error->text);
  Module module = openUnrun(request);
  if (!request.trace.empty())
    checkWritable(request.trace);
  simulateModule(module.manifest(), cluster, request.cluster, request.trace);
}

} // namespace plc::runtime
