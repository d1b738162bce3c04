//===- PassErrors.cpp - what passes report, at the user's line ------------===//
#include "plc/Language/PassErrors.h"

#include "plc/Support/Errors.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/SourceMgr.h"

using namespace plc::language;
using llvm::SMLoc;
using mlir::Location;
using plc::Diagnostic;
using plc::Diagnostics;

PassErrors::PassErrors(llvm::SourceMgr &sources, mlir::MLIRContext &context, llvm::raw_ostream &os)
    : sources(sources), os(os), handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark)
          return printRemark(diagnostic), mlir::success();
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return mlir::failure(); // the next handler's turn
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
  for (unsigned id = 1; place && id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == place.getFilename().strref())
      return sources.FindLocForLineAndColumn(id, place.getLine(), place.getColumn());
  return {};
}

// In one line: there may be thousands, which are searched rather than read.
void PassErrors::printRemark(mlir::Diagnostic &remark) {
  if (auto place = framesOf(remark.getLocation()).front()->findInstanceOf<mlir::FileLineColLoc>())
    os << place.getFilename().strref() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
  os << "remark: " << remark.str() << "\n";
}

void PassErrors::print(mlir::Diagnostic &error) {
  if (exitCode == 70)
    exitCode = exitCodeOf(error);
  Diagnostics diagnostics(sources);
  llvm::SmallVector<Location> frames = framesOf(error.getLocation());
  for (Location call : llvm::reverse(llvm::drop_begin(frames)))
    diagnostics.enterCall(placeOf(call));
  Diagnostic &printed = diagnostics.error(placeOf(frames.front()), error.str());
  for (mlir::Diagnostic &note : error.getNotes())
    printed.note(placeOf(framesOf(note.getLocation()).front()), note.str());
  diagnostics.print(os);
}
