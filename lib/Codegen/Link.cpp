//===- Link.cpp - links objects to a module -------------------------------===//
#include "plc/Codegen/Target.h"
#include "plc/Support/WholeFile.h"
#include "plc/Module/ModuleSeal.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace {

// A linker found on PATH, and how it takes options.
struct Linker {
  std::string path;
  bool isDriver; // `cc`, which takes the linker's options behind -Wl
};

// A file in lib beside the folder of the program that runs.
std::string bundled(StringRef name) {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallString<256> path(llvm::sys::path::parent_path(program));
  llvm::sys::path::append(path, "..", "lib", name);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

// A wheel and a package bring a linker. Else linkers first: compiler drivers are what a machine without LLVM's linker
// has.
std::optional<Linker> findLinker() {
  if (std::string own = bundled("plc/ld.lld"); llvm::sys::fs::can_execute(own))
    return Linker{own, false};
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (auto path = llvm::sys::findProgramByName(name))
      return Linker{*path, false};
  for (StringRef name : {"cc", "gcc", "clang"})
    if (auto path = llvm::sys::findProgramByName(name))
      return Linker{*path, true};
  return std::nullopt;
}

// The BLIS that modules load: the one of a wheel, else the one that this compiler was built with.
std::string findBlis() {
  std::string own = bundled(llvm::sys::path::filename(PLC_BLIS_LIBRARY));
  return llvm::sys::fs::exists(own) ? own : PLC_BLIS_LIBRARY;
}

// Writes the module with its seal behind, by which the runtime detects a damaged file.
LogicalResult writeSealed(StringRef elf, StringRef path, Location loc) {
  plc::module::ModuleSeal seal = plc::module::sealOf({elf.data(), elf.size()});
  std::string bytes = (elf + StringRef(reinterpret_cast<const char *>(&seal), sizeof(seal))).str();
  std::error_code error = plc::writeWhole(bytes, path);
  return error ? emitError(loc, "cannot write '") << path << "': " << error.message() : success();
}

} // namespace

LogicalResult plc::codegen::linkModule(ArrayRef<StringRef> objects, StringRef path, Location loc) {
  std::optional<Linker> linker = findLinker();
  if (!linker)
    return emitError(loc, "found no linker: 'ld.lld-22', 'ld.lld', 'cc', 'gcc' or 'clang' must be on PATH");

  // Linkers read and write files. The temporary ones are removed on every return.
  std::vector<std::string> files;
  llvm::scope_exit removeFiles([&] {
    for (const std::string &file : files)
      llvm::sys::fs::remove(file);
  });
  auto temporary = [&](StringRef suffix) {
    SmallString<128> file;
    std::error_code error = llvm::sys::fs::createTemporaryFile("plc", suffix, file);
    if (!error)
      files.push_back(file.str().str());
    return error;
  };
  std::error_code error;
  for (StringRef object : objects)
    if ((error = temporary("o")) || (error = writeWhole(object, files.back())))
      break;
  std::vector<std::string> arguments = {linker->path, "-shared"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  if (error || (error = temporary("so")) || (error = temporary("log")))
    return emitError(loc, "cannot write a temporary file: ") << error.message();
  std::string shared = *std::prev(files.end(), 2), log = files.back(), message;
  // The module loads it from any directory.
  std::string blis = findBlis(), directory = llvm::sys::path::parent_path(blis).str();
  arguments.insert(arguments.end(), {"-o", shared, blis});
  // No build id and no start files: the same kernels give the same bytes.
  if (linker->isDriver)
    arguments.insert(arguments.end(), {"-nostdlib", "-Wl,-rpath," + directory + ",--build-id=none,-z,noexecstack"});
  else
    arguments.insert(arguments.end(), {"-rpath", directory, "--build-id=none", "-z", "noexecstack"});

  SmallVector<StringRef> words(arguments.begin(), arguments.end());
  // The linker's output becomes a note of the error.
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log), StringRef(log)};
  if (llvm::sys::ExecuteAndWait(linker->path, words, std::nullopt, redirects, 0, 0, &message) == 0) {
    auto elf = llvm::MemoryBuffer::getFile(shared, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!elf)
      return emitError(loc, "cannot read what '") << linker->path << "' wrote: " << elf.getError().message();
    return writeSealed((*elf)->getBuffer(), path, loc);
  }
  auto output = llvm::MemoryBuffer::getFile(log);
  InFlightDiagnostic failed = emitError(loc, "'") << linker->path << "' could not link '" << path << "'";
  if (!message.empty())
    failed << ": " << message;
  if (output && !(*output)->getBuffer().empty())
    failed.attachNote() << (*output)->getBuffer().rtrim();
  return failed;
}
