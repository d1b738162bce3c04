// The last bytes of a .plcm: the format's version and a hash.
#ifndef PLC_MODULE_MODULESEAL_H
#define PLC_MODULE_MODULESEAL_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace plc::module {

/// The last bytes of a .plcm, so that a damaged file is never used. It stands behind the ELF file, where loaders and
/// linkers do not look. Little endian.
///
///   0 ......... ELF shared object ......... | magic | version | hash of everything before this number
struct ModuleSeal {
  static constexpr char expectedMagic[8] = {'p', 'l', 'c', 'm', 's', 'e', 'a', 'l'};
  /// The version of manifest, kernel ABI and seal together.
  static constexpr uint64_t currentVersion = 15;

  char magic[8];
  uint64_t version, hash;
};

/// FNV-1a, 64 bits (Fowler, Noll, Vo), continued from `hash`. Two texts of equal length that differ in one byte never
/// have the same hash, since each step is a bijection.
constexpr uint64_t fnv1a(std::string_view bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

/// The seal of a file that begins with `elf`.
inline ModuleSeal sealOf(std::string_view elf) {
  ModuleSeal seal;
  std::memcpy(seal.magic, ModuleSeal::expectedMagic, sizeof(seal.magic));
  seal.version = ModuleSeal::currentVersion;
  const char *bytes = reinterpret_cast<const char *>(&seal);
  seal.hash = fnv1a({bytes, sizeof(seal) - sizeof(seal.hash)}, fnv1a(elf));
  return seal;
}

} // namespace plc::module

#endif
