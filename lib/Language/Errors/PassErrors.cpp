//===- PassErrors.cpp - errors of passes, at the user's line --------------===//
#include "plc/Language/Errors/PassErrors.h"

#include "plc/Support/Errors.h"
#include "plc/Support/KeyLocations.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace plc::language;
using llvm::SMLoc;
using mlir::Location;
using plc::Diagnostic;
using plc::Diagnostics;

PassErrors::PassErrors(llvm::SourceMgr &sources, mlir::MLIRContext &context, llvm::raw_ostream &os,
                       const KeyLocations &keys, Hint hint)
    : sources(sources), os(os), keys(keys), hint(std::move(hint)),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
          return printLine("remark", diagnostic), mlir::success();
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
          return printLine("warning", diagnostic), mlir::success();
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure(); // left to the next handler
        print(diagnostic);
        return mlir::success();
      }) {}

/// A location and the calls that lead to it, innermost first.
static llvm::SmallVector<Location> framesOf(Location loc) {
  llvm::SmallVector<Location> frames;
  while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc)) {
    frames.push_back(call.getCallee());
    loc = call.getCaller();
  }
  frames.push_back(loc);
  return frames;
}

SMLoc PassErrors::locationOf(Location loc) {
  auto location = loc->findInstanceOf<mlir::FileLineColLoc>();
  if (unsigned id = location ? bufferNamed(location.getFilename().strref()) : 0)
    return sources.FindLocForLineAndColumn(id, location.getLine(), location.getColumn());
  return {};
}

unsigned PassErrors::bufferNamed(llvm::StringRef file) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == file)
      return id;
  return 0;
}

SMLoc PassErrors::locationInStrategy(size_t offset) {
  unsigned id = bufferNamed(keys.file);
  if (!id)
    id = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(keys.text, keys.file), SMLoc());
  return SMLoc::getFromPointer(sources.getMemoryBuffer(id)->getBufferStart() + offset);
}

/// Prints remarks and warnings on one line each: there may be thousands, which are searched rather than read.
void PassErrors::printLine(llvm::StringRef kind, mlir::Diagnostic &diagnostic) {
  if (auto location = framesOf(diagnostic.getLocation()).front()->findInstanceOf<mlir::FileLineColLoc>())
    os << location.getFilename().strref() << ":" << location.getLine() << ":" << location.getColumn() << ": ";
  os << kind << ": " << diagnostic.str() << "\n";
}

void PassErrors::print(mlir::Diagnostic &error) {
  if (exitCode == 70)
    exitCode = exitCodeOf(error);
  // Only so many errors are printed, but the first one decides the exit code.
  if (!limit.takes(keys.tool, os))
    return;
  Diagnostics diagnostics(sources);
  llvm::SmallVector<Location> frames = framesOf(error.getLocation());
  llvm::StringRef key = keyOf(error);
  const KeyLocations::Location *given = keys.find(key);
  SMLoc location = given && given->set.empty() ? locationInStrategy(given->offset) : SMLoc();
  // The user gave a value that does not fit: it is the location of the error.
  if (given && exitCodeOf(error) == BadUsage) {
    Diagnostic &printed =
        diagnostics.error(location, (given->set.empty() ? "" : "--set " + given->set + ": ") + error.str());
    printed.origin = keys.tool;
    if (SMLoc model = locationOf(frames.front()); model.isValid())
      printed.note(model, "the model stands here");
    return diagnostics.print(os);
  }
  // Otherwise the location in the model is, with the calls that lead to it.
  for (Location call : llvm::reverse(llvm::drop_begin(frames)))
    diagnostics.enterCall(locationOf(call));
  Diagnostic &printed = diagnostics.error(locationOf(frames.front()), error.str());
  // IR from another machine has locations in files that do not exist here.
  if (auto location = frames.front()->findInstanceOf<mlir::FileLineColLoc>(); location && !printed.location.isValid())
    printed.origin =
        llvm::formatv("{0}:{1}:{2}", location.getFilename().strref(), location.getLine(), location.getColumn());
  for (mlir::Diagnostic &note : error.getNotes())
    printed.note(locationOf(framesOf(note.getLocation()).front()), note.str());
  if (given)
    printed.note(location, "'" + key + "' is given " + (given->set.empty() ? "here" : "by --set " + given->set),
                 keys.tool);
  if (!key.empty() && key == hint.key)
    printed.note(SMLoc(), lackOf(error) == Lack::buffers ? hint.ofPersistentBuffers : hint.text, keys.tool);
  diagnostics.print(os);
}
