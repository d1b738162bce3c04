//===- PassErrors.cpp - errors of passes, at the user's line --------------===//
#include "plc/Language/Errors/PassErrors.h"

#include "plc/Support/Errors.h"
#include "plc/Support/KeyPlaces.h"

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
                       const KeyPlaces &keys, Hint hint)
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
static llvm::SmallVector<Location> framesOf(Location location) {
  llvm::SmallVector<Location> frames;
  while (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    frames.push_back(call.getCallee());
    location = call.getCaller();
  }
  frames.push_back(location);
  return frames;
}

SMLoc PassErrors::placeOf(Location location) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  if (unsigned id = place ? bufferNamed(place.getFilename().strref()) : 0)
    return sources.FindLocForLineAndColumn(id, place.getLine(), place.getColumn());
  return {};
}

unsigned PassErrors::bufferNamed(llvm::StringRef file) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == file)
      return id;
  return 0;
}

SMLoc PassErrors::placeInStrategy(size_t offset) {
  unsigned id = bufferNamed(keys.file);
  if (!id)
    id = sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(keys.text, keys.file), SMLoc());
  return SMLoc::getFromPointer(sources.getMemoryBuffer(id)->getBufferStart() + offset);
}

/// Prints remarks and warnings on one line each: there may be thousands, which are searched rather than read.
void PassErrors::printLine(llvm::StringRef kind, mlir::Diagnostic &diagnostic) {
  if (auto place = framesOf(diagnostic.getLocation()).front()->findInstanceOf<mlir::FileLineColLoc>())
    os << place.getFilename().strref() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
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
  const KeyPlaces::Place *given = keys.find(key);
  SMLoc place = given && given->set.empty() ? placeInStrategy(given->offset) : SMLoc();
  // The user gave a value that does not fit: it is the location of the error.
  if (given && exitCodeOf(error) == BadUsage) {
    Diagnostic &printed =
        diagnostics.error(place, (given->set.empty() ? "" : "--set " + given->set + ": ") + error.str());
    printed.origin = keys.tool;
    if (SMLoc model = placeOf(frames.front()); model.isValid())
      printed.note(model, "the model stands here");
    return diagnostics.print(os);
  }
  // Otherwise the location in the model is, with the calls that lead to it.
  for (Location call : llvm::reverse(llvm::drop_begin(frames)))
    diagnostics.enterCall(placeOf(call));
  Diagnostic &printed = diagnostics.error(placeOf(frames.front()), error.str());
  // IR from another machine has locations in files that do not exist here.
  if (auto place = frames.front()->findInstanceOf<mlir::FileLineColLoc>(); place && !printed.place.isValid())
    printed.origin = llvm::formatv("{0}:{1}:{2}", place.getFilename().strref(), place.getLine(), place.getColumn());
  for (mlir::Diagnostic &note : error.getNotes())
    printed.note(placeOf(framesOf(note.getLocation()).front()), note.str());
  if (given)
    printed.note(place, "'" + key + "' is given " + (given->set.empty() ? "here" : "by --set " + given->set),
                 keys.tool);
  if (!key.empty() && key == hint.key)
    printed.note(SMLoc(), lackOf(error) == Lack::statics ? hint.ofStatics : hint.text, keys.tool);
  diagnostics.print(os);
}
