// Reads the directory of a ZIP and checks it against the file (APPNOTE.TXT 6.3, sections 4.3 and 4.5.3).
#include "Read/StoredZip.h"

#include "Read/ReadError.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace plc::import {

namespace {

constexpr uint32_t endMark = 0x06054b50, end64Mark = 0x06064b50, locator64Mark = 0x07064b50, entryMark = 0x02014b50,
                   localMark = 0x04034b50;
constexpr size_t endBytes = 22, end64Bytes = 56, locator64Bytes = 20, entryBytes = 46, localBytes = 30;
constexpr uint16_t extra64 = 1, encrypted = 1;

/// The end of the file as it names the directory.
struct Directory {
  uint64_t offset, size, count, end; // `end`: where the directory must have ended
};

struct Member {
  std::string name;
  uint64_t size, header; // `header`: the offset of its local header
  uint16_t flags, method;
  bool isSplit;
};

class DirectoryReader {
public:
  explicit DirectoryReader(std::string_view bytes) : bytes(bytes) {}
  std::map<std::string, std::string_view> read();

private:
  template <class Number>
  Number number(uint64_t offset) const;
  std::string_view range(uint64_t offset, uint64_t size, const std::string &what) const;
  Directory findDirectory() const;
  Member readEntry(uint64_t &offset, const Directory &directory) const;
  void readSizes64(Member &member, uint64_t stored, std::string_view extra) const;
  void check(const Member &member) const;
  std::string_view dataOf(const Member &member, const Directory &directory) const;

  std::string_view bytes;
};

} // namespace

static std::string describe(const std::string &name) { return "member '" + name + "'"; }

std::string_view DirectoryReader::range(uint64_t offset, uint64_t size, const std::string &what) const {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw ReadError(what + " has " + std::to_string(size) + " bytes from byte " + std::to_string(offset) +
                    ", but the file has " + std::to_string(bytes.size()) + "; the file is damaged, save it again");
  return bytes.substr(offset, size);
}

template <class Number>
Number DirectoryReader::number(uint64_t offset) const {
  Number value;
  std::memcpy(&value, range(offset, sizeof(value), "the directory of the ZIP").data(), sizeof(value));
  return value;
}

Directory DirectoryReader::findDirectory() const {
  // The last record, before a comment of up to 65535 bytes that ends the file.
  uint64_t last = bytes.size(), first = last - std::min<uint64_t>(last, endBytes + 65535);
  for (uint64_t at = last < endBytes ? first : last - endBytes + 1; at-- > first;) {
    if (number<uint32_t>(at) != endMark || at + endBytes + number<uint16_t>(at + 20) != last)
      continue;
    Directory found{number<uint32_t>(at + 16), number<uint32_t>(at + 12), number<uint16_t>(at + 10), at};
    if (at < locator64Bytes || number<uint32_t>(at - locator64Bytes) != locator64Mark)
      return found;
    uint64_t end64 = number<uint64_t>(at - locator64Bytes + 8);
    range(end64, end64Bytes, "the end record of the ZIP");
    if (number<uint32_t>(end64) != end64Mark)
      throw ReadError("the ZIP names an end record at byte " + std::to_string(end64) +
                      ", where none begins; the file is damaged, save it again");
    return {number<uint64_t>(end64 + 48), number<uint64_t>(end64 + 40), number<uint64_t>(end64 + 32), end64};
  }
  throw ReadError("is not a ZIP, or is cut off; expected an archive that torch.export.save wrote");
}

void DirectoryReader::readSizes64(Member &member, uint64_t stored, std::string_view extra) const {
  auto wants = [](uint64_t value) { return value == UINT32_MAX; };
  while (extra.size() >= 4) {
    uint16_t id, length;
    std::memcpy(&id, extra.data(), 2);
    std::memcpy(&length, extra.data() + 2, 2);
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(std::min<size_t>(extra.size(), 4u + length));
    if (id != extra64)
      continue;
    // Only the numbers that did not fit are there, in this order.
    for (uint64_t *value : {&member.size, &stored, &member.header}) {
      if (!wants(*value))
        continue;
      if (field.size() < sizeof(uint64_t))
        break;
      std::memcpy(value, field.data(), sizeof(uint64_t));
      field.remove_prefix(sizeof(uint64_t));
    }
    break;
  }
  if (member.method == 0 && stored != member.size)
    throw ReadError(describe(member.name) + " is stored in " + std::to_string(stored) + " bytes, but has " +
                    std::to_string(member.size) + "; the file is damaged, save it again");
}

/// Reads one entry of the directory, and moves `offset` behind it.
Member DirectoryReader::readEntry(uint64_t &offset, const Directory &directory) const {
  if (number<uint32_t>(offset) != entryMark)
    throw ReadError("the directory of the ZIP names " + std::to_string(directory.count) +
                    " members, but none begins at byte " + std::to_string(offset) +
                    "; the file is damaged, save it again");
  range(offset, entryBytes, "an entry of the directory");
  uint64_t nameSize = number<uint16_t>(offset + 28), extraSize = number<uint16_t>(offset + 30);
  Member member{std::string(range(offset + entryBytes, nameSize, "the name of a member")),
                number<uint32_t>(offset + 24),
                number<uint32_t>(offset + 42),
                number<uint16_t>(offset + 8),
                number<uint16_t>(offset + 10),
                number<uint16_t>(offset + 34) != 0};
  std::string_view extra = range(offset + entryBytes + nameSize, extraSize, describe(member.name));
  readSizes64(member, number<uint32_t>(offset + 20), extra);
  offset += entryBytes + nameSize + extraSize + number<uint16_t>(offset + 32);
  return member;
}

/// Refuses names that leave the archive, and members that are not stored as they are.
void DirectoryReader::check(const Member &member) const {
  std::string_view rest = member.name;
  bool leaves = rest.empty() || rest.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos ||
                (rest.size() > 1 && rest[1] == ':');
  for (bool isLast = false; !isLast && !leaves;) {
    size_t slash = rest.find('/');
    isLast = slash == std::string_view::npos;
    std::string_view step = rest.substr(0, slash);
    leaves = step == ".." || (step.empty() && !isLast);
    rest.remove_prefix(isLast ? rest.size() : slash + 1);
  }
  if (leaves)
    throw ReadError(describe(member.name) + " has a path that is not within the archive; expected names such as "
                                            "'model/archive_format', do not trust the file");
  if (member.flags & encrypted)
    throw ReadError(describe(member.name) + " is encrypted; save the model again by torch.export.save");
  if (member.method != 0)
    throw ReadError(describe(member.name) + " is compressed by method " + std::to_string(member.method) +
                    ", expected 0 (stored); save the model again by torch.export.save, or repack it by 'zip -0'");
  if (member.isSplit)
    throw ReadError(describe(member.name) + " lies in another file of a divided ZIP; save the model as one file");
}

/// The bytes behind the local header, which must agree with the directory about the name.
std::string_view DirectoryReader::dataOf(const Member &member, const Directory &directory) const {
  range(member.header, localBytes, describe(member.name));
  uint64_t name = number<uint16_t>(member.header + 26), extra = number<uint16_t>(member.header + 28);
  if (number<uint32_t>(member.header) != localMark ||
      range(member.header + localBytes, name, describe(member.name)) != member.name)
    throw ReadError(describe(member.name) + " does not begin at byte " + std::to_string(member.header) +
                    ", where the directory names it; the file is damaged, save it again");
  uint64_t begin = member.header + localBytes + name + extra;
  std::string_view data = range(begin, member.size, describe(member.name));
  if (begin + member.size > directory.offset)
    throw ReadError(describe(member.name) + " ends at byte " + std::to_string(begin + member.size) +
                    ", behind the begin of the directory at " + std::to_string(directory.offset) +
                    "; the file is damaged, save it again");
  return data;
}

std::map<std::string, std::string_view> DirectoryReader::read() {
  Directory directory = findDirectory();
  range(directory.offset, directory.size, "the directory of the ZIP");
  if (directory.offset + directory.size > directory.end)
    throw ReadError("the directory of the ZIP ends at byte " + std::to_string(directory.offset + directory.size) +
                    ", behind its end record at " + std::to_string(directory.end) +
                    "; the file is damaged, save it again");
  struct Extent {
    uint64_t begin, end;
    std::string name;
  };
  std::map<std::string, std::string_view> members;
  std::vector<Extent> extents;
  uint64_t offset = directory.offset;
  for (uint64_t i = 0; i < directory.count; ++i) {
    Member member = readEntry(offset, directory);
    check(member);
    std::string_view data = dataOf(member, directory);
    if (!members.try_emplace(member.name, data).second)
      throw ReadError(describe(member.name) + " is there twice; expected each name once, do not trust the file");
    extents.push_back({member.header, static_cast<uint64_t>(data.data() - bytes.data()) + data.size(), member.name});
  }
  std::sort(extents.begin(), extents.end(), [](const Extent &a, const Extent &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < extents.size(); ++i)
    if (extents[i].begin < extents[i - 1].end)
      throw ReadError(describe(extents[i].name) + " begins at byte " + std::to_string(extents[i].begin) + ", within " +
                      describe(extents[i - 1].name) + ", which ends at " + std::to_string(extents[i - 1].end) +
                      "; do not trust the file");
  return members;
}

StoredZip::StoredZip(std::string_view bytes) : byName(DirectoryReader(bytes).read()) {}

std::optional<std::string_view> StoredZip::find(const std::string &name) const {
  auto found = byName.find(name);
  return found == byName.end() ? std::nullopt : std::optional(found->second);
}

} // namespace plc::import
