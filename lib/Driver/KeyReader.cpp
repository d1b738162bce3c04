//===- KeyReader.cpp - values for a list of keys, from TOML ----------------===//
#include "KeyReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace plc::driver;
using llvm::StringRef;
using llvm::Twine;

KeyReader::KeyReader(StringRef tool, llvm::raw_ostream &errors, llvm::ArrayRef<Key> keys)
    : tool(tool), errors(errors), keys(keys) {
  for (const Key &key : keys)
    settings[key.path] = {key.initial, "default"};
}

void KeyReader::error(const Place &place, const Twine &message) {
  failed = true;
  if (place.set.data() || !place.at || !sources.getNumBuffers()) {
    errors << tool << ": error: " << (place.set.data() ? "--set " + place.set.str() + ": " : "") << message << "\n";
    return;
  }
  llvm::SMLoc location = sources.FindLocForLineAndColumn(1, place.at.line, place.at.column);
  sources.PrintMessage(errors, location, llvm::SourceMgr::DK_Error, message);
}

void KeyReader::errorAt(StringRef path, const Twine &message) {
  auto found = given.find(path.str());
  error(found == given.end() ? Place() : found->second, message);
}

void KeyReader::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return error({}, "cannot read strategy '" + path + "': " + buffer.getError().message());
  std::string_view text = (*buffer)->getBuffer();
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  try {
    readTable(toml::parse(text, path.str()), "", {});
  } catch (const toml::parse_error &e) {
    error({e.source().begin, {}}, StringRef(e.description()));
  }
}

/// Whether keys stand under this path, as in a table.
bool KeyReader::isGroup(const std::string &path) const {
  return llvm::any_of(keys, [&](const Key &key) { return StringRef(key.path).starts_with(path + "."); });
}

void KeyReader::readSet(StringRef set) {
  auto [path, value] = set.split('=');
  if (path.size() == set.size())
    return error({{}, set}, "needs KEY=VALUE");
  toml::table table = [&, value = value] {
    try {
      toml::table parsed = toml::parse(("v = " + value).str());
      return parsed.size() == 1 ? parsed : toml::table{{"v", value.str()}};
    } catch (const toml::parse_error &) { // a bare word is a string
      return toml::table{{"v", value.str()}};
    }
  }();
  std::string key = path.trim().str();
  if (isGroup(key) && table.get("v")->is_table())
    readTable(*table.get("v")->as_table(), key + ".", set);
  else
    readValue(key, *table.get("v"), "--set", {{}, set});
}

void KeyReader::readTable(const toml::table &table, const std::string &prefix, StringRef set) {
  // In the order of the text, so that errors are.
  std::vector<std::pair<const toml::key *, const toml::node *>> entries;
  for (auto &&[key, node] : table)
    entries.push_back({&key, &node});
  llvm::sort(entries, [](auto &a, auto &b) {
    auto pa = a.first->source().begin, pb = b.first->source().begin;
    return std::tie(pa.line, pa.column) < std::tie(pb.line, pb.column);
  });
  for (auto &[key, node] : entries) {
    std::string path = prefix + std::string(key->str());
    toml::source_position keyAt = key->source().begin;
    if (isGroup(path) && node->is_table())
      readTable(*node->as_table(), path + ".", set);
    else if (!findKey(keys, path))
      refuseUnknown({keyAt, set}, path);
    else if (set.data())
      readValue(path, *node, "--set", {{}, set});
    else
      readValue(path, *node, (sources.getMemoryBuffer(1)->getBufferIdentifier() + ":" + Twine(keyAt.line)).str(),
                {node->source().begin, {}});
  }
}

void KeyReader::refuseUnknown(const Place &place, const std::string &path) {
  error(place, "unknown key '" + path + "'; the nearest is '" + nearestKey(keys, path) + "'");
}

void KeyReader::readValue(const std::string &path, const toml::node &node, const std::string &origin,
                          const Place &place) {
  const Key *key = findKey(keys, path);
  if (!key)
    return refuseUnknown(place, path);
  if (key->type == Key::Type::Unsupported && key->whenKey)
    return error(place, "'" + path + "' belongs to '" + key->whenKey + " = \"" + key->whenValues.front() +
                            "\"' and would be ignored; that policy is not supported yet");
  if (key->type == Key::Type::Unsupported)
    return error(place, "'" + path + "' is not supported yet");
  std::string wrong;
  std::optional<Value> value = convert(*key, node, wrong);
  if (!value)
    return error(place, wrong);
  settings[path] = {*value, origin};
  given[path] = place;
}
