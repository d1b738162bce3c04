#include "Arena.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace plc::runtime {

namespace {
/// Differs from word to word, and is no number that a program is likely to compute.
uint64_t paintOf(size_t word) { return (word + 1) * 0x9e3779b97f4a7c15u ^ 0x7ff4dead00000000u; }
} // namespace

Arena::Arena(int64_t bytes) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  mapped = (static_cast<size_t>(bytes) + page - 1) / page * page;
  guarded = mapped + page;
  void *address = ::mmap(nullptr, guarded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  base = static_cast<std::byte *>(address);
  ::mprotect(base + mapped, page, PROT_NONE);
  auto *words = reinterpret_cast<uint64_t *>(base);
  for (size_t word = 0; word < mapped / sizeof(uint64_t); ++word)
    words[word] = paintOf(word);
}

Arena::~Arena() { ::munmap(base, guarded); }

void Arena::measureOnce() {
  if (writtenBeforePoison < 0)
    writtenBeforePoison = measuredBytes();
}

void Arena::flip(int64_t offset, int64_t bytes, size_t width) {
  measureOnce();
  for (int64_t done = static_cast<int64_t>(width) - 1; done < bytes; done += static_cast<int64_t>(width))
    base[offset + done] ^= std::byte(0xc0); // little endian: sign and highest bit of the exponent
}

void Arena::poison(int64_t offset, int64_t bytes, size_t width) {
  measureOnce();
  const uint64_t word = width == 8 ? 0x7ff4dead7ff4deadu : 0x7fa0dead7fa0deadu;
  for (int64_t done = 0; done < bytes; done += static_cast<int64_t>(sizeof(word)))
    std::memcpy(base + offset + done, &word, static_cast<size_t>(std::min<int64_t>(sizeof(word), bytes - done)));
}

int64_t Arena::measuredBytes() const {
  if (writtenBeforePoison >= 0)
    return writtenBeforePoison;
  auto *words = reinterpret_cast<const uint64_t *>(base);
  for (size_t word = mapped / sizeof(uint64_t); word-- > 0;)
    if (words[word] != paintOf(word))
      return static_cast<int64_t>(word * sizeof(uint64_t) / 64 * 64 + 64);
  return 0;
}

} // namespace plc::runtime
