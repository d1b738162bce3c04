// Checks and loads a .plcm.
#include "plc/Runtime/Base/Module.h"

#include "plc/Module/ModuleSeal.h"
#include "plc/Runtime/Base/CpuFeatures.h"
#include "plc/Runtime/Base/Files.h"

#include <algorithm>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

namespace plc::runtime {

namespace {

std::string hexOf(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// The hash of a file, after checks that it is an ELF file of this version and that every byte is as written. This
/// comes before the loader, which trusts all headers and maps a truncated file so that its missing pages crash.
std::string checkSeal(const std::string &file) {
  std::string bytes = readFile(file);
  if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG)))
    throw fileError(file, "not a compiled module (offset 0)");
  module::ModuleSeal found = {};
  size_t end = bytes.size() - std::min(bytes.size(), sizeof(found));
  std::memcpy(&found, bytes.data() + end, bytes.size() - end);
  module::ModuleSeal expected = module::sealOf(std::string_view(bytes).substr(0, end));
  if (std::memcmp(found.magic, expected.magic, sizeof(found.magic)) != 0)
    throw fileError(file, "no seal at the end: not a compiled module, or cut short, or something was appended " +
                              ("(offset " + std::to_string(end) + ")"));
  if (found.version != expected.version)
    throw fileError(file, "module of version " + std::to_string(found.version) + ", expected version " +
                              std::to_string(expected.version) + ": compile the model again");
  if (found.hash != expected.hash)
    throw fileError(file, "module has hash '" + hexOf(expected.hash) + "', expected '" + hexOf(found.hash) +
                              "': some of its bytes changed");
  return hexOf(found.hash);
}

} // namespace

Module::Module(const std::string &file, Use use) : file(file) {
  sealed = checkSeal(file);
  // dlopen searches the library path for a name without a slash.
  std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw fileError(file, std::string("cannot be loaded: ") + ::dlerror());
  try {
    readContents();
    if (use == Use::Run)
      checkCpu();
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
  // Far above the largest manifest, far below what would exhaust memory.
  if (size > (uint64_t(1) << 30))
    throw fileError(file, "manifest of " + std::to_string(size) + " bytes, expected at most 2^30");
  contents = parseManifest(file, {text, size});
}

void Module::checkCpu() const {
  for (const std::string &feature : contents.targetFeatures)
    if (!cpuHasFeature(feature))
      throw fileError(file, "compiled for CPU feature '" + feature +
                                "', which this machine lacks; '--set machine.isa=avx2' compiles " +
                                "for any with AVX2 and FMA");
  if (std::count(contents.targetFeatures.begin(), contents.targetFeatures.end(), "amx-tile") && !mayUseTiles())
    throw fileError(file, "compiled for CPU feature 'amx-tile', which the kernel does not let this process use");
  // Before the first call of BLIS, which decides for the process.
  chooseBlisKernels(std::count(contents.targetFeatures.begin(), contents.targetFeatures.end(), "avx512f") > 0);
}

void Module::resolveKernels() {
  for (KernelInfo &kernel : contents.kernels)
    if (!kernel.loop)
      kernel.function = reinterpret_cast<plc_kernel_fn>(symbol(kernel.symbol.c_str()));
}

int64_t Module::codeBytesOf(const KernelInfo &kernel) {
  Dl_info place;
  const ElfW(Sym) *symbol = nullptr;
  int found = ::dladdr1(reinterpret_cast<void *>(kernel.function), &place,
                        reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)), RTLD_DL_SYMENT);
  return found && symbol ? static_cast<int64_t>(symbol->st_size) : 0;
}

} // namespace plc::runtime
