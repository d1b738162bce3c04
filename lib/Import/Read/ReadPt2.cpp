// Opens a .pt2 archive: finds the members, checks the versions, reads the graph and the tensors.
#include "plc/Import/ReadPt2.h"

#include "Read/Pt2Graph.h"
#include "Read/Pt2Weights.h"
#include "Read/ReadError.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace plc::import {

namespace {

constexpr size_t mostJsonBytes = size_t(256) << 20; // its tree takes about ten times as many
constexpr int64_t schemaMajor = 8;
constexpr const char *remedy = "save the model by torch.export.save of PyTorch 2.13 or later";

/// The members of an archive, below its only folder.
class Archive {
public:
  explicit Archive(std::string_view bytes);
  /// The text of a member. Throws ReadError if there is none.
  std::string_view text(const std::string &name) const;
  void requireText(const std::string &name, std::string_view wanted, const char *what) const;
  /// Calls `read` on a member that is JSON, and adds the member's name to errors.
  template <class Read>
  void readJson(const std::string &name, Read read) const;
  /// The name of the only model.
  std::string modelName() const;

  StoredZip zip;
  std::string folder;
};

} // namespace

Archive::Archive(std::string_view bytes) : zip(bytes) {
  constexpr StringRef mark = "archive_format";
  for (const auto &[name, data] : zip.members())
    if (auto [first, rest] = StringRef(name).split('/'); rest == mark)
      folder = first.str() + "/";
  if (!folder.empty())
    return;
  bool isOld = zip.find("serialized_exported_program.json").has_value();
  throw ReadError(std::string(isOld ? "is an archive of PyTorch 2.7 or earlier" : "is a ZIP, but not of a model") +
                  ": found no member '*/archive_format', " + remedy);
}

std::string_view Archive::text(const std::string &name) const {
  if (std::optional<std::string_view> found = zip.find(folder + name))
    return *found;
  throw ReadError("member '" + folder + name + "' is not there; the archive is damaged, " + remedy);
}

void Archive::requireText(const std::string &name, std::string_view wanted, const char *what) const {
  if (StringRef found = StringRef(text(name)).trim(); found != StringRef(wanted))
    throw ReadError(std::string(what) + " is '" + found.take_front(40).str() + "', expected '" + std::string(wanted) +
                    "'; " + remedy);
}

template <class Read>
void Archive::readJson(const std::string &name, Read read) const {
  std::string_view bytes = text(name);
  std::string member = "member '" + folder + name + "'";
  if (bytes.size() > mostJsonBytes)
    throw ReadError(member + " has " + std::to_string(bytes.size()) + " bytes, expected " +
                    std::to_string(mostJsonBytes) + " at most; export a part of the model");
  try {
    nlohmann::json root = parseJson(bytes);
    read(JsonNode(root));
  } catch (const JsonError &error) {
    throw ReadError(member + " " + error.what() + " (offset " + std::to_string(error.offset) + "); " + remedy);
  } catch (const JsonPathError &error) {
    throw ReadError(member + ": " + (error.path.empty() ? "the root" : "'" + error.path + "'") + " " + error.what());
  }
}

std::string Archive::modelName() const {
  std::vector<std::string> names;
  for (const auto &[name, data] : zip.members())
    if (StringRef rest = name; rest.consume_front(folder + "models/") && rest.consume_back(".json"))
      names.push_back(rest.str());
  if (names.size() == 1)
    return names.front();
  throw ReadError("has " + std::to_string(names.size()) + " models" + (names.empty() ? "" : ": ") +
                  llvm::join(names, ", ") + "; expected one, save each model by torch.export.save");
}

static ImportedModel readArchive(std::unique_ptr<llvm::MemoryBuffer> file) {
  Archive archive({file->getBufferStart(), file->getBufferSize()});
  archive.requireText("archive_format", "pt2", "the format of the archive");
  archive.requireText("archive_version", "0", "the version of the archive");
  if (archive.zip.find(archive.folder + "byteorder"))
    archive.requireText("byteorder", "little", "the byte order");
  ImportedModel model;
  std::string name = archive.modelName();
  archive.readJson("models/" + name + ".json", [&](const JsonNode &root) {
    JsonNode version = root["schema_version"];
    if (int64_t major = version["major"].integer(0, INT32_MAX); major != schemaMajor)
      throw ReadError("the schema of the graph is " + std::to_string(major) + "." + version["minor"].dump() +
                      " (PyTorch " + root.stringOr("torch_version", "of unknown version") + "), expected " +
                      std::to_string(schemaMajor) + ".*; save the model by a PyTorch of that schema, as 2.13");
    model.graph = readPt2Graph(root);
  });
  if (std::string pickled = archive.folder + "data/weights/" + name + ".pt"; archive.zip.find(pickled))
    throw ReadError("the parameters are pickled in member '" + pickled + "'; expected raw bytes, " + remedy);
  auto weights = std::make_unique<Pt2Weights>(std::move(file));
  for (StringRef kind : {"weights", "constants"})
    archive.readJson(("data/" + kind + "/" + name + "_" + kind + "_config.json").str(), [&](const JsonNode &root) {
      weights->add(root, model.graph, archive.zip, archive.folder + ("data/" + kind + "/").str());
    });
  weights->requireAll(model.graph);
  model.weights = std::move(weights);
  return model;
}

std::optional<ImportedModel> readPt2(std::unique_ptr<llvm::MemoryBuffer> archive, std::string &error) {
  try {
    return readArchive(std::move(archive));
  } catch (const ReadError &refused) {
    error = refused.what();
    return std::nullopt;
  }
}

std::optional<ImportedModel> readPt2(StringRef path, std::string &error) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (file)
    return readPt2(std::move(*file), error);
  error = "cannot be read: " + file.getError().message();
  return std::nullopt;
}

} // namespace plc::import
