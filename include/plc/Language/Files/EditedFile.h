//===- EditedFile.h - what an editor asks of a .ein file --------*- C++ -*-===//
#ifndef PLC_LANGUAGE_FILES_EDITEDFILE_H
#define PLC_LANGUAGE_FILES_EDITEDFILE_H

#include "plc/Language/Files/ParseModel.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plc::language {

/// One text, parsed and checked, with what is known of its names: also of a text with errors, as far as it is read. A file
/// without a model, or with several, is checked like any other. Offsets are of bytes.
class EditedFile {
public:
  /// Bytes `begin` to `end` of a file.
  struct Range {
    size_t begin, end;
  };
  struct Place {
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

  /// As plc-compile would report them. What is wrong in a file that this one uses stands at the `use`.
  std::vector<Message> messages() const;
  /// Type and extents of a tensor and the lines that use it; extent of an index and what it is summed over; value of a
  /// size; header and comment of a layer or fn.
  std::optional<Hover> hover(size_t offset) const;
  /// Where the name is defined; none for what has no text: built-in functions and the standard library.
  std::optional<Place> definition(size_t offset) const;
  /// All places of the index in its rule; empty if no index stands there.
  std::vector<Range> placesOfIndex(size_t offset) const;
  /// Why the index cannot have the name; empty if it can.
  std::string wrongAsIndex(size_t offset, llvm::StringRef name) const;
  /// What may stand where the word before `offset` is.
  std::vector<Completion> complete(size_t offset) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace plc::language

#endif
