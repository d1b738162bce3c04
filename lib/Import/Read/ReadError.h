//===- ReadError.h - why a model's file is refused --------------*- C++ -*-===//
#ifndef PLC_IMPORT_READ_READERROR_H
#define PLC_IMPORT_READ_READERROR_H

#include <stdexcept>
#include <string>

namespace plc::import {

/// An error in a file, thrown within a reader; the caller adds the file's name. Readers offer none to other libraries.
struct ReadError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The most nodes of a graph: ten times those of an unrolled model of a hundred blocks.
inline constexpr size_t mostNodes = 100'000;

} // namespace plc::import

#endif
