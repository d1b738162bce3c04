#include "Module.h"

#include "plc/Runtime/CpuFeatures.h"
#include "plc/Runtime/InitialValues.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

namespace plc::runtime {

namespace {

void checkElf(const std::string &file) {
  char magic[4] = {};
  if (::access(file.c_str(), R_OK) != 0)
    throw fileError(file, std::string("cannot be read: ") + std::strerror(errno));
  std::ifstream(file, std::ios::binary).read(magic, sizeof(magic));
  if (std::memcmp(magic, "\177ELF", 4) != 0)
    throw fileError(file, "not a compiled module (offset 0)");
}

std::string hexOf(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

} // namespace

Module::Module(const std::string &file) : file(file) {
  checkElf(file);
  // Before the module brings BLIS in.
  chooseBlisKernels();
  // A path without a slash would be searched for in the library path.
  std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw fileError(file, std::string("cannot be loaded: ") + ::dlerror());
  try {
    readContents();
    resolveKernels();
  } catch (...) {
    ::dlclose(handle);
    throw;
  }
}

Module::~Module() { ::dlclose(handle); }

void *Module::symbol(const char *name) const {
  void *address = ::dlsym(handle, name);
  if (!address)
    throw fileError(file, std::string("symbol '") + name + "' is missing");
  return address;
}

void Module::readContents() {
  auto *text = static_cast<const char *>(symbol("plc_manifest"));
  uint64_t size = *static_cast<const uint64_t *>(symbol("plc_manifest_size"));
  uint64_t expected = *static_cast<const uint64_t *>(symbol("plc_manifest_hash"));
  if (size > (uint64_t(1) << 30))
    throw fileError(file, "manifest of " + std::to_string(size) + " bytes, expected at most 2^30");
  uint64_t found = hashBytes({text, size});
  if (found != expected)
    throw fileError(file, "manifest has hash '" + hexOf(found) + "', expected '" + hexOf(expected) + "'");
  contents = parseManifest(file, {text, size});
  for (const std::string &feature : contents.targetFeatures)
    if (!cpuHasFeature(feature))
      throw fileError(file, "compiled for CPU feature '" + feature + "', which this machine lacks");
}

void Module::resolveKernels() {
  for (KernelInfo &kernel : contents.kernels)
    kernel.function = reinterpret_cast<plc_kernel_fn>(symbol(kernel.symbol.c_str()));
}

} // namespace plc::runtime
