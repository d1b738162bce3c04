//===- KeyReader.cpp - reads values of keys from TOML ---------------------===//
#include "KeyReader.h"

#include "plc/Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace plc;
using namespace plc::strategy;
using llvm::StringRef;
using llvm::Twine;

KeyReader::KeyReader(StringRef tool, llvm::raw_ostream &errors, llvm::ArrayRef<Key> keys)
    : tool(tool), errors(errors), keys(keys.vec()) {
  for (const Key &key : keys)
    settings[key.path] = {key.initial, ""};
}

void KeyReader::error(const Location &location, const Twine &message) {
  failed = true;
  if (!limit.takes(tool, errors))
    return;
  if (location.set.data() || !location.at || !sources.getNumBuffers()) {
    errors << tool << ": error: " << (location.set.data() ? "--set " + location.set.str() + ": " : "") << message
           << "\n";
    return;
  }
  plc::Diagnostics diagnostics(sources);
  diagnostics.error(locationOf(location.at), message);
  diagnostics.print(errors);
}

/// The parser's columns count characters, SourceMgr's bytes. Steps over UTF-8 continuation bytes.
llvm::SMLoc KeyReader::locationOf(toml::source_position at) {
  const char *location = sources.FindLocForLineAndColumn(1, at.line, 1).getPointer();
  const char *end = sources.getMemoryBuffer(1)->getBufferEnd();
  auto continues = [&] { return location != end && (static_cast<unsigned char>(*location) & 0xc0) == 0x80; };
  for (unsigned column = 1; location && location != end && column < at.column; ++column)
    do
      ++location;
    while (continues());
  return llvm::SMLoc::getFromPointer(location);
}

/// The location of a key, or of the key that implies it; null if it has its default.
const KeyReader::Location *KeyReader::locationOf(const std::string &path) const {
  if (auto found = given.find(path); found != given.end())
    return &found->second;
  auto setting = settings.find(path);
  if (setting == settings.end() || !setting->second.isGiven())
    return nullptr;
  return locationOf(StringRef(setting->second.origin).split(' ').first.str()); // "preset NAME", or a key
}

plc::KeyLocations KeyReader::locations() {
  KeyLocations locations;
  locations.tool = tool.str();
  const llvm::MemoryBuffer *file = sources.getNumBuffers() ? sources.getMemoryBuffer(1) : nullptr;
  if (file) {
    locations.file = file->getBufferIdentifier().str();
    locations.text = file->getBuffer().str();
  }
  for (const Key &key : keys) {
    const Location *location = locationOf(key.path);
    if (location && location->set.data())
      locations.locations[key.path] = {location->set.str()};
    else if (location)
      locations.locations[key.path] = {"", size_t(locationOf(location->at).getPointer() - file->getBufferStart())};
  }
  return locations;
}

void KeyReader::errorAt(StringRef path, const Twine &message) {
  auto found = given.find(path.str());
  error(found == given.end() ? Location() : found->second, message);
}

/// The line of a key with so many parts that the parser's recursion could overflow the stack; 0 if there is none. 256
/// is far above real keys; not tuned.
static unsigned tooDeep(StringRef text) {
  llvm::SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [index, line] : llvm::enumerate(lines))
    if (line.count('.') > 256)
      return index + 1;
  return 0;
}

void KeyReader::readFile(StringRef kind, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return error({}, "cannot read " + kind + " '" + path + "': " + buffer.getError().message());
  readText(std::move(*buffer));
}

void KeyReader::readText(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  StringRef text = buffer->getBuffer(), path = buffer->getBufferIdentifier();
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  if (unsigned line = tooDeep(text))
    return error({{line, 1}, {}}, "a key has more than 256 parts");
  try {
    readTable(toml::parse(std::string_view(text), path.str()), "", {});
  } catch (const toml::parse_error &e) {
    StringRef what = e.description();
    what.consume_front("Error ");
    error({e.source().begin, {}}, llvm::toLower(what.front()) + what.drop_front().str());
  }
}

/// Whether the path is a table of keys.
bool KeyReader::isGroup(const std::string &path) const {
  return llvm::any_of(keys, [&](const Key &key) { return StringRef(key.path).starts_with(path + "."); });
}

/// The value of a set as the key `v` of a table. It is TOML, or else a bare word.
static toml::table tableOf(StringRef value) {
  if (tooDeep(value))
    return toml::table{{"v", value.str()}};
  try {
    toml::table parsed = toml::parse(("v = " + value).str());
    return parsed.size() == 1 ? parsed : toml::table{{"v", value.str()}};
  } catch (const toml::parse_error &) { // a bare word is a string
    return toml::table{{"v", value.str()}};
  }
}

void KeyReader::peek(const char *key, StringRef file, llvm::ArrayRef<std::string> sets,
                     llvm::function_ref<void(const toml::node &)> visit) {
  auto visitIn = [&](const toml::table &table, StringRef path) {
    if (const toml::node *node = table.at_path(path.str()).node())
      visit(*node);
  };
  if (auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/true); buffer && !tooDeep((*buffer)->getBuffer()))
    try {
      visitIn(toml::parse(std::string_view((*buffer)->getBuffer())), key);
    } catch (const toml::parse_error &) { // reported when the file is read
    }
  for (StringRef set : sets) {
    auto [path, value] = set.split('=');
    path = path.trim();
    if (path == key)
      visitIn(tableOf(value), "v");
    else if (StringRef rest = key; rest.consume_front(path) && rest.consume_front("."))
      visitIn(tableOf(value), ("v." + rest).str());
  }
}

/// Reads KEY=VALUE.
void KeyReader::readSet(StringRef set) {
  auto [path, value] = set.split('=');
  if (path.size() == set.size() || path.trim().empty())
    return error({{}, set}, "needs KEY=VALUE");
  toml::table table = tableOf(value);
  std::string key = path.trim().str();
  const toml::node &node = *table.get("v");
  if (!readGroup(key, node, set))
    readValue(key, node, "--set", {{}, set});
}

/// Reads a table of keys, or a list of such tables, each of which has its number for a key. False if it is neither.
bool KeyReader::readGroup(const std::string &path, const toml::node &node, StringRef set) {
  if (!isGroup(path))
    return false;
  if (const toml::table *table = node.as_table()) {
    readTable(*table, path + ".", set);
    return true;
  }
  const toml::array *tables = node.as_array();
  if (!tables || tables->empty() || !tables->is_homogeneous(toml::node_type::table) || !isGroup(path + ".0"))
    return false;
  for (size_t i = 0; i < tables->size(); ++i)
    readTable(*tables->get(i)->as_table(), path + "." + std::to_string(i) + ".", set);
  return true;
}

void KeyReader::readTable(const toml::table &table, const std::string &prefix, StringRef set) {
  // Visits entries in the order of the text, so that errors are sorted.
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
    if (readGroup(path, *node, set))
      continue;
    if (!findKey(keys, path))
      refuseUnknown({keyAt, set}, path);
    else if (set.data())
      readValue(path, *node, "--set", {{}, set});
    else
      readValue(path, *node, (sources.getMemoryBuffer(1)->getBufferIdentifier() + ":" + Twine(keyAt.line)).str(),
                {node->source().begin, {}});
  }
}

void KeyReader::refuseUnknown(const Location &location, const std::string &path) {
  // Groups have numbers in their paths: what stands under none of them was no list of tables.
  std::string parent = StringRef(path).rsplit('.').first.str();
  bool isInGroups = StringRef(path).starts_with((Twine(groupsPath) + ".").str());
  if (path == groupsPath || (isInGroups && (parent == groupsPath || !isGroup(parent))))
    error(location,
          "'" + Twine(groupsPath) + "' is a list of tables: write '[[" + groupsPath + "]]' before each group's keys");
  else if (isGroup(path))
    error(location, "'" + path + "' is a table" + suggestionFor(keys, path + "."));
  else
    error(location, "unknown key '" + path + "'" + suggestionFor(keys, path));
}

void KeyReader::readValue(const std::string &path, const toml::node &node, const std::string &origin,
                          const Location &location) {
  const Key *key = findKey(keys, path);
  if (!key)
    return refuseUnknown(location, path);
  std::string wrong;
  std::optional<Value> value = convert(*key, node, wrong);
  if (!value)
    return error(location, wrong);
  settings[path] = {*value, origin, /*isOwn=*/true};
  given[path] = location;
}
