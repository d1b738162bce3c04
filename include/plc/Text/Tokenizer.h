//===- Tokenizer.h - text to tokens as tokenizer.json says ------*- C++ -*-===//
#ifndef PLC_TEXT_TOKENIZER_H
#define PLC_TEXT_TOKENIZER_H

#include "plc/Runtime/Base/TextCodec.h"

namespace plc::text {

/// A tokenizer of Hugging Face's, from the text of its `tokenizer.json`: byte pairs (BPE) or word pieces (WordPiece), with
/// their normalizers, pre-tokenizers, added tokens, templates and decoders. Throws runtime::Error, which names what the
/// file has and this does not know.
std::unique_ptr<runtime::TextCodec> readTokenizer(const std::string &file, const std::string &json);

} // namespace plc::text

#endif
