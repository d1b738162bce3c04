// The C API (plc/Runtime/plc.h) over Engine.
#include "plc/Runtime/plc.h"

#include "Execute/ModuleUse.h"
#include "plc/Runtime/Base/NonFinite.h"
#include "plc/Runtime/Base/ProcessGroup.h"
#include "plc/Runtime/Execute/MakeTransport.h"
#include "plc/Runtime/Execute/ModuleEngine.h"
#include "plc/Runtime/Tensors/Checkpoint.h"
#include "plc/Runtime/Tensors/InitialValues.h"
#include "plc/Runtime/Tensors/LoadParameters.h"
#include "plc/Support/Version.h"

#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <new>

using namespace plc::runtime;
using plc::ElementType;

struct plc_module {
  std::unique_ptr<Engine> engine;
  bool hasValues = false;                   // parameters were initialized, loaded, resumed or set
  std::optional<RunSettings> settings = {}; // that the next step takes
  ModuleUse use = {};
};

struct plc_session {
  plc_module *module;
  Engine *engine;
  const EntryInfo *entry;
  std::atomic<int> running = 0; // calls in progress, also those that are refused
};

namespace {

thread_local std::string lastError;

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
    return error.exitCode;
  } catch (const std::bad_alloc &) {
    lastError = "out of memory";
    return BadInput;
  } catch (const std::exception &error) {
    lastError = error.what();
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

template <class Tensor>
void checkIndex(const std::vector<Tensor> &tensors, size_t index, const char *noun) {
  if (index >= tensors.size())
    throw usageError("found " + std::string(noun) + " " + std::to_string(index) + ", but there are " +
                     std::to_string(tensors.size()));
}

// Numbers of the C API never change.
static_assert(PLC_F64 == int(ElementType::F64) && PLC_F32 == int(ElementType::F32) &&
              PLC_I64 == int(ElementType::I64) && PLC_I32 == int(ElementType::I32) &&
              PLC_BOOL == int(ElementType::Bool) && PLC_F16 == int(ElementType::F16) &&
              PLC_BF16 == int(ElementType::BF16) && PLC_I8 == int(ElementType::I8) && PLC_U8 == int(ElementType::U8) &&
              plc::allElementTypes.size() == 9);
plc_element_type cTypeOf(ElementType type) { return static_cast<plc_element_type>(type); }

/// The size of a caller's struct, which may be compiled with another header. Refuses what cannot be a size, as in a
/// program that never set it: no struct will exceed `most`.
size_t sizeOf(const void *theirs, const char *type) {
  constexpr size_t most = 4096;
  size_t size;
  std::memcpy(&size, theirs, sizeof(size));
  if (size < sizeof(size) || size > most || size % alignof(size_t))
    throw usageError("found " + std::to_string(size) + " for 'struct_size' of " + type + "; set it to sizeof(" + type +
                     ")");
  return size;
}

/// Options from a struct of any size. Fields behind its end are zero; fields that this library does not know must be.
plc_options optionsOf(const plc_options *given) {
  plc_options options{};
  if (!given)
    return options;
  size_t size = sizeOf(given, "plc_options"), known = std::min(size, sizeof(options));
  std::memcpy(&options, given, known);
  const auto *bytes = reinterpret_cast<const char *>(given);
  if (std::any_of(bytes + known, bytes + size, [](char byte) { return byte != 0; }))
    throw usageError("found a field of plc_options that libplcrt " + std::string(plc::version()) +
                     " does not know, whose plc_options ends after " + std::to_string(known) +
                     " bytes; leave it zero, or run with a newer library");
  return options;
}

plc_tensor_info infoOf(const TensorInfo &tensor) {
  return {0, tensor.name.c_str(), cTypeOf(tensor.type), tensor.shape.size(), tensor.shape.data(), tensor.numBytes()};
}
plc_tensor_info infoOf(const ParameterInfo &parameter) {
  return {0,
          parameter.path.c_str(),
          cTypeOf(parameter.type),
          parameter.shape.size(),
          parameter.shape.data(),
          parameter.tensor().numBytes()};
}

/// Fills the caller's struct as far as its size.
template <class Tensor>
void describe(const std::vector<Tensor> &tensors, size_t index, const char *noun, plc_tensor_info *info) {
  size_t size = sizeOf(info, "plc_tensor_info");
  plc_tensor_info known = index < tensors.size() ? infoOf(tensors[index]) : plc_tensor_info{};
  known.struct_size = size;
  std::memset(static_cast<void *>(info), 0, size);
  std::memcpy(static_cast<void *>(info), &known, std::min(size, sizeof(known)));
  checkIndex(tensors, index, noun);
}

void checkParameter(const plc_module *module, size_t index) {
  checkIndex(module->engine->parameters(), index, "parameter");
}

// Throws if parameters are still undefined: to run or save zeros by mistake helps no user.
void checkValues(const plc_module *module) {
  if (!module->hasValues && !module->engine->parameters().empty())
    throw usageError("parameters have no values yet; call plc_module_initialize, plc_module_load, plc_module_resume or "
                     "plc_module_set_parameter first");
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

int plc_module_load(plc_module *module, const char *path) {
  return guardedCall(module, [&] {
    callTogether(*module->engine, [] { return "plc_module_load"; });
    readParameters(*module->engine, [&] {
      readParameterFile(path,
                        [&](const std::string &file) { loadParameters(file, *module->engine, /*mayLack=*/false); });
    });
    module->hasValues = true;
  });
}

int plc_module_initialize(plc_module *module, uint64_t seed) {
  return guardedTogether(module, [&] {
    callTogether(*module->engine, [&] { return "plc_module_initialize with seed " + std::to_string(seed); });
    initializeParameters(seed, *module->engine);
    module->hasValues = true;
  });
}

int plc_module_save(plc_module *module, const char *path, int64_t step, uint64_t seed) {
  return guardedTogether(module, [&] {
    checkStep(step, 0);
    checkValues(module);
    callTogether(*module->engine,
                 [&] { return "plc_module_save of step " + std::to_string(step) + ", seed " + std::to_string(seed); });
    saveCheckpoint(path, {step, seed}, *module->engine);
  });
}

int plc_module_resume(plc_module *module, const char *path, int64_t *step, uint64_t *seed) {
  return guardedCall(module, [&] {
    callTogether(*module->engine, [] { return "plc_module_resume"; });
    applySettings(module);
    TrainingState state{};
    readParameters(*module->engine, [&] { state = resumeCheckpoint(path, *module->engine); });
    module->engine->share(&state, sizeof(state));
    module->hasValues = true;
    if (step)
      *step = state.step;
    if (seed)
      *seed = state.seed;
  });
}

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
    lastError = "session of entry '" + session->entry->name + "' is in use by another thread: it is not destroyed";
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
    session->module->use.startThreads();
    callTogether(*session->engine, [&] {
      return "plc_session_train of step " + std::to_string(step) + " " + describeInputs(*session->entry, inputs);
    });
    applySettings(session->module);
    std::vector<Bytes> batch = copyInputs(*session->entry, inputs);
    StepResult result = session->engine->trainStep(step, batch);
    if (loss)
      *loss = result.loss;
    if (!result.finite && !result.overflowed && session->engine->optimizer().nonFinite == plc::NonFiniteStep::Stop)
      throw explainNonFinite(*session->engine, step, batch, result);
  });
}

} // extern "C"
