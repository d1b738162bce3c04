#include "plc/Runtime/plc.h"

#include "Checkpoint.h"
#include "plc/Runtime/ModuleEngine.h"

#include <cstring>

using namespace plc::runtime;

struct plc_module {
  std::unique_ptr<Engine> engine;
};

struct plc_session {
  Engine *engine;
  const EntryInfo *entry;
};

namespace {

thread_local std::string lastError;

/// Runs what may throw; the exit code, with the text kept.
template <class Run> int guarded(Run run) {
  try {
    run();
    return Done;
  } catch (const Error &error) {
    lastError = (error.place.empty() ? "" : error.place + ": ") + error.what();
    return error.exitCode;
  } catch (const std::exception &error) {
    lastError = error.what();
    return Internal;
  }
}

std::vector<Bytes> copyInputs(const EntryInfo &entry, const void *const *inputs) {
  std::vector<Bytes> copies;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    const auto *data = static_cast<const std::byte *>(inputs[i]);
    copies.emplace_back(data, data + entry.inputs[i].numBytes());
  }
  return copies;
}

plc_element_type cTypeOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return PLC_F64;
  case ElementType::F32:
    return PLC_F32;
  case ElementType::I64:
    return PLC_I64;
  case ElementType::I32:
    return PLC_I32;
  case ElementType::Bool:
    return PLC_BOOL;
  }
  return PLC_F64;
}

plc_tensor_info describe(const std::vector<TensorInfo> &tensors, size_t index) {
  if (index >= tensors.size())
    return {};
  const TensorInfo &tensor = tensors[index];
  return {tensor.name.c_str(), cTypeOf(tensor.type), tensor.shape.size(), tensor.shape.data(), tensor.numBytes()};
}

} // namespace

extern "C" {

const char *plc_last_error(void) { return lastError.c_str(); }

plc_module *plc_module_open(const char *file) {
  plc_module *module = nullptr;
  guarded([&] { module = new plc_module{openModule(file)}; });
  return module;
}

void plc_module_close(plc_module *module) { delete module; }

int plc_module_load(plc_module *module, const char *path) {
  return guarded([&] { loadParameters(path, *module->engine); });
}

int plc_module_initialize(plc_module *module, uint64_t seed) {
  return guarded([&] { initializeParameters(seed, *module->engine); });
}

int plc_module_save(plc_module *module, const char *path, int64_t step, uint64_t seed) {
  return guarded([&] { saveCheckpoint(path, {step, seed}, *module->engine); });
}

plc_session *plc_session_create(plc_module *module, const char *name) {
  plc_session *session = nullptr;
  guarded([&] {
    const EntryInfo *entry = module->engine->findEntry(name);
    if (!entry)
      throw usageError("model '" + module->engine->modelName() + "' has no entry '" + name + "'");
    session = new plc_session{module->engine.get(), entry};
  });
  return session;
}

void plc_session_destroy(plc_session *session) { delete session; }

size_t plc_session_num_inputs(const plc_session *session) { return session->entry->inputs.size(); }
size_t plc_session_num_outputs(const plc_session *session) { return session->entry->outputs.size(); }

plc_tensor_info plc_session_input(const plc_session *session, size_t index) {
  return describe(session->entry->inputs, index);
}
plc_tensor_info plc_session_output(const plc_session *session, size_t index) {
  return describe(session->entry->outputs, index);
}

int plc_session_run(plc_session *session, const void *const *inputs, void *const *outputs) {
  return guarded([&] {
    if (session->entry->name == "train")
      throw usageError("entry 'train' is run by plc_session_train");
    std::vector<Bytes> results = session->engine->run(*session->entry, copyInputs(*session->entry, inputs));
    for (size_t i = 0; i < results.size(); ++i)
      std::memcpy(outputs[i], results[i].data(), results[i].size());
  });
}

int plc_session_train(plc_session *session, int64_t step, const void *const *inputs, double *loss) {
  return guarded([&] {
    if (session->entry->name != "train")
      throw usageError("found entry '" + session->entry->name + "', expected 'train'");
    StepResult result = session->engine->trainStep(step, copyInputs(*session->entry, inputs));
    if (loss)
      *loss = sumInOrder(session->engine->realType(), result.microBatchLosses);
  });
}

} // extern "C"
