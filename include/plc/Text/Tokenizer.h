//===- Tokenizer.h - text to tokens as tokenizer.json says ------*- C++ -*-===//
#ifndef PLC_TEXT_TOKENIZER_H
#define PLC_TEXT_TOKENIZER_H

#include "plc/Runtime/Base/TextCodec.h"

namespace plc::text {

/// A tokenizer from the text of a `tokenizer.json` of Hugging Face: byte pairs (BPE) or word pieces (WordPiece), with
/// normalizers, pre-tokenizers, added tokens, templates and decoders. Throws runtime::Error that names what is not
/// supported.
std::unique_ptr<runtime::TextCodec> readTokenizer(const std::string &file, const std::string &json);

} // namespace plc::text

#endif
