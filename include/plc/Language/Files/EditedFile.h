//===- EditedFile.h - queries of an editor ----------------------*- C++ -*-===//
#ifndef PLC_LANGUAGE_FILES_EDITEDFILE_H
#define PLC_LANGUAGE_FILES_EDITEDFILE_H

#include "plc/Language/Files/ParseModel.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plc::language {

/// One text, parsed and checked, with the facts about its names. A text with errors is read as far as possible. A file
/// without a model, or with several, is checked like any other. Offsets count bytes.
class EditedFile {
public:
  /// Bytes `begin` to `end` of a file.
  struct Range {
    size_t begin, end;
  };
  /// A location in a file.
  struct Location {
    std::string file;
    unsigned line, column; // from 1
    size_t length;
  };
  struct Message {
    Range range;
    std::string text;
    bool isWarning;
    std::vector<std::pair<Range, std::string>> notes; // those in this text
  };
  struct Hover {
    Range range;
    std::string text; // Markdown
  };
  struct Completion {
    enum Kind { Function, Tensor, Index, Size, Word, Library };
    Kind kind;
    std::string name, detail, documentation;
  };

  EditedFile(llvm::StringRef path, llvm::StringRef text, const ParseOptions &options);
  ~EditedFile();

  /// Errors and warnings as `plc-compile` reports them. An error in a file that this one uses is shown at the `use`.
  std::vector<Message> messages() const;
  /// About a tensor: type, extents and the lines that use it. About an index: its extent, and the term it is summed
  /// over. About a size: its value. About a layer or fn: its header and comment. Nullopt if no name is there.
  std::optional<Hover> hover(size_t offset) const;
  /// The location that defines the name. Nullopt for names without text: built-in functions and the standard library.
  std::optional<Location> definition(size_t offset) const;
  /// All ranges of an index in its rule; empty if no index is at the offset.
  std::vector<Range> locationsOfIndex(size_t offset) const;
  /// Why the index cannot be renamed to `name`; empty if it can.
  std::string wrongAsIndex(size_t offset, llvm::StringRef name) const;
  /// The names that can replace the word before `offset`, sorted by name.
  std::vector<Completion> complete(size_t offset) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace plc::language

#endif
