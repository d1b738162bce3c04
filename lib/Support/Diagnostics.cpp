//===- Diagnostics.cpp - collect, sort and print errors -------------------===//
#include "plc/Support/Diagnostics.h"
#include "plc/Support/ErrorLimit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <tuple>

using namespace plc;
using llvm::SMLoc;
using llvm::StringRef;

/// Messages are one line each, but may quote several lines of source.
static std::string oneLine(const llvm::Twine &text) {
  std::string line;
  for (char c : text.str())
    if (c != '\n' && c != '\r')
      line += c;
    else if (!line.ends_with(' '))
      line += ' ';
  return line;
}

Diagnostic &Diagnostic::note(SMLoc where, const llvm::Twine &message, StringRef origin) {
  notes.push_back({where, oneLine(message), origin.str()});
  return *this;
}

Diagnostic &Diagnostics::error(SMLoc location, const llvm::Twine &text) {
  Diagnostic result{location, oneLine(text), {}};
  unsigned main = sources.getMainFileID();
  unsigned buffer = location.isValid() ? sources.FindBufferContainingLoc(location) : main;
  if (buffer != main) {
    // The innermost call that the user wrote.
    for (SMLoc call : llvm::reverse(calls)) {
      if (sources.FindBufferContainingLoc(call) != main)
        continue;
      result.location = call;
      result.note(location, "inside the called function, here");
      break;
    }
    if (SMLoc use = sources.getParentIncludeLoc(buffer); use.isValid() && result.location == location)
      result.note(use, "this file is used here");
  }
  return found.emplace_back(std::move(result));
}

Diagnostic &Diagnostics::warning(SMLoc location, const llvm::Twine &text) {
  Diagnostic &result = found.emplace_back(Diagnostic{location, oneLine(text), {}});
  result.isWarning = true;
  ++warnings;
  return result;
}

void Diagnostics::rewind(size_t mark) {
  for (; found.size() > mark; found.pop_back())
    warnings -= found.back().isWarning;
}

void Diagnostics::noteErrors(SMLoc location, const llvm::Twine &text) {
  for (Diagnostic &one : found)
    if (!one.isWarning)
      one.note(location, text);
}

std::vector<const Diagnostic *> Diagnostics::sorted() const {
  std::vector<const Diagnostic *> list;
  for (const Diagnostic &one : found)
    list.push_back(&one);
  // Within one buffer the order of addresses is that of lines and columns.
  auto key = [&](const Diagnostic *error) {
    unsigned buffer = error->location.isValid() ? sources.FindBufferContainingLoc(error->location) : 0;
    return std::make_tuple(buffer, error->location.getPointer(), StringRef(error->text));
  };
  llvm::sort(list, [&](auto *a, auto *b) { return key(a) < key(b); });
  // A body that is checked for several sizes reports each error only once.
  list.erase(std::unique(list.begin(), list.end(), [&](auto *a, auto *b) { return key(a) == key(b); }), list.end());
  return list;
}

void Diagnostics::print(llvm::raw_ostream &os) const {
  size_t errors = 0;
  for (const Diagnostic *error : sorted()) {
    if (!error->isWarning && ++errors > mostErrors)
      continue;
    printOne(os, error->location, error->origin, error->isWarning ? "warning" : "error", error->text);
    for (const Diagnostic::Note &note : error->notes)
      printOne(os, note.location, note.origin, "note", note.text);
  }
  if (errors > mostErrors)
    os << sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier() << ": error: stopped after "
       << mostErrors << " errors; there are " << errors - mostErrors << " more\n";
}

/// At most `limit` bytes of a line around the column, and the column in them.
static std::pair<StringRef, size_t> clip(StringRef line, size_t column) {
  constexpr size_t limit = 160;
  if (line.size() <= limit)
    return {line, column};
  size_t begin = column > limit / 2 ? column - limit / 2 : 0;
  return {line.substr(begin, limit), column - begin};
}

void Diagnostics::printOne(llvm::raw_ostream &os, SMLoc location, StringRef origin, StringRef severity,
                           StringRef text) const {
  if (!location.isValid()) {
    if (origin.empty())
      origin = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
    os << origin << ": " << severity << ": " << text << '\n';
    return;
  }
  unsigned id = sources.FindBufferContainingLoc(location);
  const llvm::MemoryBuffer *buffer = sources.getMemoryBuffer(id);
  auto [line, column] = sources.getLineAndColumn(location, id);
  os << buffer->getBufferIdentifier() << ':' << line << ':' << column << ": " << severity << ": " << text << '\n';

  const char *begin = location.getPointer() - (column - 1);
  const char *end =
      std::find_if(location.getPointer(), buffer->getBufferEnd(), [](char c) { return c == '\n' || c == '\r'; });
  auto [shown, offset] = clip(StringRef(begin, end - begin), column - 1);
  for (unsigned char c : shown)
    os << (c < 0x20 && c != '\t' ? '?' : static_cast<char>(c));
  os << '\n';
  for (size_t i = 0; i < offset && i < shown.size(); ++i) {
    // Continuation bytes of UTF-8 take no column on the screen; tabs keep their width.
    if ((static_cast<unsigned char>(shown[i]) & 0xc0) == 0x80)
      continue;
    os << (shown[i] == '\t' ? '\t' : ' ');
  }
  os << "^\n";
}
