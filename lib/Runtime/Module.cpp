#include "Module.h"

#include "plc/Runtime/CpuFeatures.h"
#include "plc/Runtime/InitialValues.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <unistd.h>

namespace plc::runtime {

namespace {

/// An ELF file, and whole: the loader would map a truncated one and crash at its missing pages.
void checkElf(const std::string &file) {
  if (::access(file.c_str(), R_OK) != 0)
    throw fileError(file, std::string("cannot be read: ") + std::strerror(errno));
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  auto size = static_cast<uint64_t>(std::max<int64_t>(0, in.tellg()));
  Elf64_Ehdr header = {};
  in.seekg(0).read(reinterpret_cast<char *>(&header), sizeof(header));
  if (!in || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    throw fileError(file, "not a compiled module (offset 0)");
  uint64_t end = header.e_phoff + uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  for (int i = 0; end <= size && i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    in.seekg(static_cast<std::streamoff>(header.e_phoff + static_cast<uint64_t>(i) * sizeof(segment)));
    in.read(reinterpret_cast<char *>(&segment), sizeof(segment));
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  if (end > size)
    throw fileError(file, "found " + std::to_string(size) + " bytes, expected at least " + std::to_string(end) +
                              ": the module is cut short");
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
