// Maps, paints, measures and overwrites the arena of one rank.
#include "Arena.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace plc::runtime {

namespace {
/// The paint of a word. Multiples of 2^64 / golden ratio (Knuth's multiplicative hashing) differ from word to word, so
/// a value that a program moves inside the arena does not look unwritten. No program is likely to compute one.
uint64_t paintOf(size_t word) { return (word + 1) * 0x9e3779b97f4a7c15u ^ 0x7ff4dead00000000u; }
} // namespace

/// x86-64's large page, 2 MiB. One TLB entry covers it, instead of 512 for small pages.
constexpr size_t largePage = size_t{1} << 21;

Arena::Arena(int64_t bytes) {
  // Whole pages, and a guard page behind them.
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  mapped = (static_cast<size_t>(bytes) + page - 1) / page * page;
  guarded = mapped + page;
  // The arena begins on a large page: map one more than needed, and unmap the rest before and behind. A smaller arena
  // cannot hold a large page, so it needs no alignment.
  size_t slack = mapped < largePage ? 0 : largePage;
  void *address = ::mmap(nullptr, guarded + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    throw std::bad_alloc();
  base = static_cast<std::byte *>(address);
  if (slack) {
    size_t before = (largePage - reinterpret_cast<uintptr_t>(address) % largePage) % largePage;
    if (before)
      ::munmap(base, before);
    base += before;
    if (slack > before)
      ::munmap(base + guarded, slack - before);
    ::madvise(base, mapped, MADV_HUGEPAGE); // a hint: a system without large pages runs as well, only slower
  }
  ::mprotect(base + mapped, page, PROT_NONE);
  // Painting also touches every page. So a machine without enough memory fails here, not in a step.
  auto *words = reinterpret_cast<uint64_t *>(base);
  for (size_t word = 0; word < mapped / sizeof(uint64_t); ++word)
    words[word] = paintOf(word);
}

Arena::~Arena() { ::munmap(base, guarded); }

namespace {
/// Eight bytes of each Fill, as numbers of T.
template <typename T>
constexpr uint64_t fillWords[4] = {};
template <>
constexpr uint64_t fillWords<float>[4] = {0x7fa0dead7fa0dead, 0xff800000ff800000, 0, 0xc0000000c0000000};
template <>
constexpr uint64_t fillWords<double>[4] = {0x7ff4dead7ff4dead, 0xfff0000000000000, 0, 0xc000000000000000};
} // namespace

void Arena::overwrite(int64_t offset, int64_t bytes, ElementType real, Fill fill) {
  // Measure before the check writes: later its own bytes would count.
  if (writtenBefore < 0)
    writtenBefore = measuredBytes();
  const uint64_t word = visitReal(real, [&](auto traits) {
    constexpr const uint64_t *words = fillWords<typename decltype(traits)::Value>;
    static_assert(words[0] != 0, "a signalling NaN of this type is wanted here");
    return words[static_cast<size_t>(fill)];
  });
  // Word by word; the last word may be cut short, so as to leave the bytes behind it alone.
  for (int64_t done = 0; done < bytes; done += static_cast<int64_t>(sizeof(word))) {
    auto count = static_cast<size_t>(std::min<int64_t>(sizeof(word), bytes - done));
    uint64_t old = 0;
    std::memcpy(&old, base + offset + done, count);
    uint64_t written = fill == Fill::Flipped ? old ^ word : word;
    std::memcpy(base + offset + done, &written, count);
  }
}

int64_t Arena::measuredBytes() const {
  if (writtenBefore >= 0)
    return writtenBefore;
  auto *words = reinterpret_cast<const uint64_t *>(base);
  // From the end: the first word without its paint is the highest one written. 64 is the alignment of offsets.
  for (size_t word = mapped / sizeof(uint64_t); word-- > 0;)
    if (words[word] != paintOf(word))
      return static_cast<int64_t>(word * sizeof(uint64_t) / 64 * 64 + 64);
  return 0;
}

} // namespace plc::runtime
