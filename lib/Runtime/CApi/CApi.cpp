// The C API (plc/Runtime/plc.h) over Engine.
#include "plc/Runtime/plc.h"

#include "CApi/ShownAverages.h"
#include "CApi/Structs.h"
#include "Execute/ModuleUse.h"
#include "plc/Runtime/Base/Files.h"
#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Execute/MakeTransport.h"
#include "plc/Runtime/Execute/ModuleEngine.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/ExportParameters.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Runtime/Tensors/LoadParameters.h"
#include "plc/Runtime/Tensors/RandomKeys.h"
#include "plc/Support/Version.h"

#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <new>

using namespace plc::runtime;

struct plc_module {
  std::unique_ptr<Engine> engine;
  std::string plan = {};                      // JSON
  std::atomic<int64_t> step = 0;              // after which training goes on
  bool hasValues = false;                     // parameters were initialized, loaded, resumed or set
  std::optional<RunSettings> settings = {};   // that the next step takes
  std::optional<ShownAverages> averages = {}; // in place of the parameters
  ModuleUse use = {};
};

struct plc_session {
  plc_module *module;
  Engine *engine;
  const EntryInfo *entry;
  std::atomic<int> running = 0; // calls in progress, also those that are refused
};

namespace {

thread_local std::string lastError, lastReport;

void keepError(const std::string &text) {
  lastError = text;
  lastReport = "plc: error: " + text + "\n";
}

/// Sets the model's floating-point environment, and restores the caller's. This thread adds up values of micro-batches,
/// so the caller's rounding mode would change bits.
class FloatingPointEnvironment {
public:
  FloatingPointEnvironment() : before(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatingPointEnvironment() { _mm_setcsr(before); }
  FloatingPointEnvironment(const FloatingPointEnvironment &) = delete;

private:
  unsigned before;
};

/// Runs a function that may throw. Returns the exit code, and keeps the text for plc_last_error(): no exception may
/// leave a C function.
template <class Run>
int guarded(Run run) {
  FloatingPointEnvironment environment;
  try {
    run();
    return Done;
  } catch (const Error &error) {
    lastError = (error.location.empty() ? "" : error.location + ": ") + error.what();
    lastReport = textOf(error, "plc");
    return error.exitCode;
  } catch (const std::bad_alloc &) {
    keepError("out of memory");
    return BadInput;
  } catch (const std::exception &error) {
    keepError(error.what());
    return Internal;
  }
}

/// `guarded`, by one thread at a time.
template <class Run>
int guardedCall(plc_module *module, Run run) {
  return guarded([&] {
    ModuleUse::Call call(module->use, *module->engine);
    run();
  });
}

int failedTogether = Done; // the code of a collective call that failed here: other processes may wait for it

/// Fails in all processes unless all make the same call with the same arguments. With one process `describe` is not
/// called.
template <class Describe>
void callTogether(const Engine &engine, Describe describe) {
  if (engine.numProcesses() > 1)
    ProcessGroup::joined()->compare("", "what it calls", describe());
}

/// A hash of some of the bytes, which differs for nearly all different inputs. Not tuned: 64 pieces of 64 bytes cost
/// little beside a run.
std::string hashSome(const void *data, size_t bytes) {
  constexpr size_t piece = 64, pieces = 64;
  std::string_view all(static_cast<const char *>(data), bytes);
  std::string some(all.substr(0, piece * pieces));
  for (size_t i = 1; bytes > piece * pieces && i <= pieces; ++i)
    some.append(all.substr((bytes - piece) / pieces * i, piece));
  return std::to_string(hashBytes(some));
}

std::string describeInputs(const EntryInfo &entry, const void *const *inputs) {
  std::string text;
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    text += hashSome(inputs[i], entry.inputs[i].numBytes());
  return "with inputs of hash " + std::to_string(hashBytes(text));
}

/// Leaves the process group when the program exits: in order, or by ending all if another process may wait.
void leaveWorld() {
  ProcessGroup *world = ProcessGroup::joined();
  if (failedTogether)
    world->abort(failedTogether);
  try {
    if (world->finishes())
      world->compare("", "what it calls", "the end of the program");
    world->finish();
  } catch (const Error &error) {
    if (error.exitCode == BadInput) // the others made another call, which has failed in them
      world->abort(BadInput);
  } // else a peer has ended already
}

/// `guardedCall` of a collective call. A step that is not finite, or bad usage, fails in all processes alike, so no one
/// waits.
template <class Run>
int guardedTogether(plc_module *module, Run run) {
  int code = guardedCall(module, run);
  if (code && code != BadUsage && code != ResultDiffers && ProcessGroup::joined() &&
      ProcessGroup::joined()->count() > 1)
    failedTogether = code;
  return code;
}

/// The same for a call of a session, which cannot be destroyed meanwhile.
template <class Run>
int guardedRun(plc_session *session, Run run) {
  ++session->running;
  int code = guardedTogether(session->module, run);
  --session->running;
  return code;
}

/// The first process reads parameters and sends them to the others. They fail if it does, instead of waiting.
void readParameters(Engine &engine, const std::function<void()> &read) {
  std::optional<Error> failure;
  if (engine.leads()) {
    try {
      read();
    } catch (const Error &error) {
      failure = error;
    }
  }
  if (int64_t code = engine.agree(failure ? failure->exitCode : Done))
    throw failure ? *failure : Error(static_cast<int>(code), "", "the first process cannot read the parameters");
  engine.shareParameters();
}

void checkStep(int64_t step, int64_t least) {
  if (step < least || step > mostSteps)
    throw usageError("found step " + std::to_string(step) + ", expected " + std::to_string(least) + " to " +
                     std::to_string(mostSteps));
}

std::vector<Bytes> copyInputs(const EntryInfo &entry, const void *const *inputs) {
  std::vector<Bytes> copies;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const auto *data = static_cast<const std::byte *>(inputs[i]);
    copies.emplace_back(data, data + entry.inputs[i].numBytes());
  }
  return copies;
}

void checkParameter(const plc_module *module, size_t index) {
  checkIndex(module->engine->parameters().size(), index, "parameter");
}

// Throws if parameters are still undefined: to run or save zeros by mistake helps no user.
void checkValues(const plc_module *module) {
  if (!module->hasValues && !module->engine->parameters().empty())
    throw usageError("parameters have no values yet; call plc_module_initialize, plc_module_load, plc_module_resume or "
                     "plc_module_set_parameter first");
}

/// Throws while averages are in place of the parameters, which a call would change or save.
void needParameters(const plc_module *module) {
  if (module->averages)
    throw usageError("averages are in place of the parameters; call plc_module_use_averages(module, 0) first");
}

/// A file of parameters, or of averages, by the names of a map, which may be null.
int loadFile(plc_module *module, const char *call, const char *path, const char *map, bool averages) {
  return guardedCall(module, [&] {
    needParameters(module);
    callTogether(*module->engine, [&] { return std::string(call); });
    readParameters(*module->engine, [&] {
      std::optional<ParameterMap> names;
      if (map)
        names = readParameterMap(map, readFile(map));
      auto load = [&](const std::string &file) {
        loadParameters(file, *module->engine, /*mayLack=*/false, names ? &*names : nullptr);
      };
      readParameterFile(path, load, averages);
    });
    module->hasValues = true;
  });
}

/// Makes the engine take what plc_module_set has set.
void applySettings(plc_module *module) {
  if (!module->settings)
    return;
  module->engine->setRun(*module->settings);
  module->settings.reset();
}

} // namespace

extern "C" {

const char *plc_version(void) { return plc::version(); }

const char *plc_last_error(void) { return lastError.c_str(); }
const char *plc_last_error_report(void) { return lastReport.c_str(); }

plc_module *plc_module_open(const char *file) { return plc_module_open_with(file, nullptr); }

plc_module *plc_module_open_with(const char *file, const plc_options *given) {
  plc_module *module = nullptr;
  guarded([&] {
    if (!file)
      throw usageError("found no name of a module's file");
    plc_options options = optionsOf(given);
    ModuleOptions chosen;
    if (options.threads_per_stage) {
      if (options.threads_per_stage < 1 || options.threads_per_stage > 256)
        throw usageError("found " + std::to_string(options.threads_per_stage) +
                         " threads per stage, expected 1 to 256");
      chosen.threadsPerStage = options.threads_per_stage;
    }
    if (options.hang_timeout != 0) {
      if (!(options.hang_timeout < longestHangTimeout))
        throw usageError("found a hang_timeout of " + std::to_string(options.hang_timeout) +
                         ", expected less than 1e9 seconds");
      chosen.hangTimeout = std::max(0.0, options.hang_timeout);
    }
    chosen.checkFinite = options.check_finite;
    if (options.transport)
      chosen.transportKind = findTransport(options.transport);
    bool before = ProcessGroup::joined();
    module = new plc_module{openModule(file, chosen)};
    module->plan = module->engine->planJson();
    if (module->engine->numProcesses() > 1) // MPI has started threads
      module->use.startThreads();
    if (ProcessGroup::joined() && !before)
      std::atexit(leaveWorld);
  });
  return module;
}

int64_t plc_module_process(const plc_module *module) {
  return module->engine->numProcesses() > 1 ? ProcessGroup::joined()->process() : 0;
}

int64_t plc_module_num_processes(const plc_module *module) { return module->engine->numProcesses(); }

void plc_module_close(plc_module *module) {
  if (!module)
    return;
  // The parent's threads cannot be joined here, so the engine is leaked on purpose.
  if (module->use.isOfParent()) {
    [[maybe_unused]] const Engine *ofParent = module->engine.release();
  } else if (guardedCall(module, [&] { module->engine.reset(); })) {
    return;
  }
  delete module;
}

const char *plc_module_plan(const plc_module *module) { return module->plan.c_str(); }

int plc_module_load(plc_module *module, const char *path) { return plc_module_load_mapped(module, path, nullptr); }

int plc_module_load_mapped(plc_module *module, const char *path, const char *map) {
  return loadFile(module, "plc_module_load", path, map, /*averages=*/false);
}

int plc_module_load_averages(plc_module *module, const char *path, const char *map) {
  return loadFile(module, "plc_module_load_averages", path, map, /*averages=*/true);
}

int plc_module_export(plc_module *module, const char *file, const char *map) {
  return guardedTogether(module, [&] {
    checkValues(module);
    callTogether(*module->engine, [] { return "plc_module_export"; });
    std::optional<ParameterMap> names;
    if (map)
      names = readParameterMap(map, readFile(map));
    module->engine->gatherParameters(); // by all processes
    if (module->engine->leads())
      exportParameters(file, *module->engine, names ? &*names : nullptr);
  });
}

int plc_module_use_averages(plc_module *module, int use) {
  return guardedTogether(module, [&] {
    checkValues(module);
    callTogether(*module->engine, [&] { return "plc_module_use_averages of " + std::to_string(use); });
    if (use && !module->averages)
      module->averages.emplace(*module->engine);
    if (!use && module->averages) {
      module->averages->hide(*module->engine);
      module->averages.reset();
    }
  });
}

int plc_module_initialize(plc_module *module, uint64_t seed) {
  return guardedTogether(module, [&] {
    needParameters(module);
    callTogether(*module->engine, [&] { return "plc_module_initialize with seed " + std::to_string(seed); });
    initializeParameters(seed, *module->engine);
    module->hasValues = true;
    module->step = 0;
  });
}

int plc_module_save(plc_module *module, const char *path, int64_t step, uint64_t seed) {
  return guardedTogether(module, [&] {
    checkStep(step, 0);
    checkValues(module);
    needParameters(module);
    callTogether(*module->engine,
                 [&] { return "plc_module_save of step " + std::to_string(step) + ", seed " + std::to_string(seed); });
    saveCheckpoint(path, {step, seed}, *module->engine);
  });
}

int plc_module_resume(plc_module *module, const char *path, int64_t *step, uint64_t *seed) {
  return guardedCall(module, [&] {
    needParameters(module);
    callTogether(*module->engine, [] { return "plc_module_resume"; });
    applySettings(module);
    TrainingState state{};
    readParameters(*module->engine, [&] { state = resumeCheckpoint(path, *module->engine); });
    module->engine->share(&state, sizeof(state));
    module->hasValues = true;
    module->step = state.step;
    if (step)
      *step = state.step;
    if (seed)
      *seed = state.seed;
  });
}

int64_t plc_module_step(const plc_module *module) { return module->step; }

size_t plc_module_num_parameters(const plc_module *module) { return module->engine->parameters().size(); }

int plc_module_describe_parameter(const plc_module *module, size_t index, plc_tensor_info *info) {
  return guarded([&] { describe(module->engine->parameters(), index, "parameter", info); });
}

int plc_module_get_parameter(plc_module *module, size_t index, void *data) {
  return guardedCall(module, [&] {
    checkParameter(module, index);
    module->engine->readParameter(index, data);
  });
}

int plc_module_set_parameter(plc_module *module, size_t index, const void *data) {
  return guardedCall(module, [&] {
    checkParameter(module, index);
    needParameters(module);
    callTogether(*module->engine, [&] {
      return "plc_module_set_parameter of " + std::to_string(index) + " to values of hash " +
             hashSome(data, module->engine->parameters()[index].tensor().numBytes());
    });
    module->engine->writeParameter(index, data);
    module->hasValues = true;
  });
}

int plc_module_set(plc_module *module, const char *key, const char *value) {
  return guardedCall(module, [&] {
    if (!key || !value)
      throw usageError("found no key or no value");
    callTogether(*module->engine, [&] { return std::string("plc_module_set of '") + key + "' to '" + value + "'"; });
    RunSettings settings = module->settings ? *module->settings : module->engine->runSettings();
    settings.set(key, value);
    module->settings = settings;
  });
}

size_t plc_module_num_entries(const plc_module *module) { return module->engine->entries().size(); }

const char *plc_module_entry(const plc_module *module, size_t index) {
  return index < module->engine->entries().size() ? module->engine->entries()[index].name.c_str() : nullptr;
}

plc_session *plc_session_create(plc_module *module, const char *name) {
  plc_session *session = nullptr;
  guarded([&] {
    const EntryInfo *entry = &needEntry(*module->engine, name ? name : "");
    session = new plc_session{module, module->engine.get(), entry};
  });
  return session;
}

void plc_session_destroy(plc_session *session) {
  if (session && session->running)
    keepError("session of entry '" + session->entry->name + "' is in use by another thread: it is not destroyed");
  else
    delete session;
}

size_t plc_session_num_inputs(const plc_session *session) { return session->entry->inputs.size(); }
size_t plc_session_num_outputs(const plc_session *session) { return session->entry->outputs.size(); }

int plc_session_describe_input(const plc_session *session, size_t index, plc_tensor_info *info) {
  return guarded([&] { describe(session->entry->inputs, index, "input", info); });
}
int plc_session_describe_output(const plc_session *session, size_t index, plc_tensor_info *info) {
  return guarded([&] { describe(session->entry->outputs, index, "output", info); });
}

int plc_session_random_keys(const plc_session *session, size_t index, uint64_t seed, int64_t step, int64_t first_sample,
                            int64_t *keys) {
  return guarded([&] {
    checkIndex(session->entry->inputs.size(), index, "input");
    const TensorInfo &input = session->entry->inputs[index];
    if (!input.isRandom())
      throw usageError("input '" + input.name + "' is not one of random keys");
    Bytes made = randomKeys(input, seed, step, first_sample);
    std::memcpy(keys, made.data(), made.size());
  });
}

int plc_session_run(plc_session *session, const void *const *inputs, void *const *outputs) {
  return guardedRun(session, [&] {
    if (session->entry->trains())
      throw usageError("entry 'train' is run by plc_session_train");
    checkValues(session->module);
    session->module->use.startThreads();
    callTogether(*session->engine, [&] {
      return "plc_session_run of '" + session->entry->name + "' " + describeInputs(*session->entry, inputs);
    });
    std::vector<Bytes> results = session->engine->run(*session->entry, copyInputs(*session->entry, inputs));
    for (size_t i = 0; i < results.size(); ++i)
      std::memcpy(outputs[i], results[i].data(), results[i].size());
  });
}

int plc_session_restart(plc_session *session) {
  return guardedRun(session, [&] { session->engine->restart(*session->entry); });
}

int plc_session_train(plc_session *session, int64_t step, const void *const *inputs, double *loss) {
  return guardedRun(session, [&] {
    if (!session->entry->trains())
      throw usageError("found entry '" + session->entry->name + "', expected 'train'");
    checkStep(step, 1);
    checkValues(session->module);
    needParameters(session->module);
    session->module->use.startThreads();
    callTogether(*session->engine, [&] {
      return "plc_session_train of step " + std::to_string(step) + " " + describeInputs(*session->entry, inputs);
    });
    applySettings(session->module);
    std::vector<Bytes> batch = copyInputs(*session->entry, inputs);
    Origin before = session->engine->origin();
    StepResult result = session->engine->trainStep(step, batch);
    if (loss)
      *loss = result.loss;
    if (!result.finite && !result.overflowed && session->engine->optimizer().nonFinite == plc::NonFiniteStep::Stop) {
      Error error = explainNonFinite(*session->engine, step, batch, result);
      session->engine->setOrigin(before); // the step that made the parameters
      throw error;
    }
    session->module->step = step;
  });
}

} // extern "C"
