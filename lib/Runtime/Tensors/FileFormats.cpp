// A table of magic numbers, and formats that need more than one.
#include "FileFormats.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace plc::runtime {

namespace {

using namespace std::string_view_literals;

constexpr const char *unpack = "unpack it, and give the file that is in it",
                     *fromTorch = "Python converts it: import torch; from safetensors.torch import save_file\n"
                                  "save_file({k: v.contiguous().clone() for k, v in torch.load('FILE', "
                                  "weights_only=True).items()}, 'NEW')",
                     *fromNumpy = "Python converts it: import numpy; from safetensors.numpy import save_file\n"
                                  "save_file(dict(numpy.load('FILE')), 'NEW')",
                     *fromArray = "Python converts it: import numpy; from safetensors.numpy import save_file\n"
                                  "save_file({'NAME': numpy.load('FILE')}, 'NEW'), with the parameter's name",
                     *fromOnnx = "Python converts it: import onnx; from safetensors.numpy import save_file\n"
                                 "save_file({t.name: onnx.numpy_helper.to_array(t) for t in "
                                 "onnx.load('FILE').graph.initializer}, 'NEW')",
                     *elsewhere = "'Weights of other formats' of docs/running.md says how tensors come into a "
                                  ".safetensors file";

/// A format that a magic number identifies.
struct Magic {
  size_t offset;
  std::string_view bytes;
  const char *name, *remedy;
};

constexpr Magic magics[] = {
    {0, "\x93NUMPY"sv, "one array of numpy (.npy)", fromArray},
    {0, "\x80\2"sv, "a pickle of Python, as old PyTorch files (.pt, .pth, .bin) are", fromTorch},
    {0, "\x80\3"sv, "a pickle of Python", elsewhere},
    {0, "\x80\4"sv, "a pickle of Python", elsewhere},
    {0, "\x80\5"sv, "a pickle of Python", elsewhere},
    {0, "GGUF"sv, "a GGUF file, as llama.cpp reads", "give the .safetensors file that it was made from"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file (.h5, of Keras)", elsewhere},
    {0, "\x1f\x8b"sv, "compressed by gzip", unpack},
    {0, "BZh"sv, "compressed by bzip2", unpack},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "compressed by xz", unpack},
    {0, "\x28\xb5\x2f\xfd"sv, "compressed by zstd", unpack},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", unpack},
    {257, "ustar"sv, "a tar archive", unpack},
    {0, "PAR1"sv, "a Parquet table", elsewhere},
    {0, "ARROW1"sv, "an Arrow table", elsewhere},
    {4, "TFL3"sv, "a model of TensorFlow Lite (.tflite)", elsewhere},
    {0, "\10\1\22"sv, "a SavedModel of TensorFlow (.pb)", elsewhere},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or a compiled module (ELF)", "name the file of weights"},
    {0, "version https://git-lfs"sv, "a pointer of Git LFS, which stands for the file",
     "'git lfs pull', where it was cloned, fetches the file"},
};

bool beginsWithWord(std::string_view begin, std::string_view word) {
  return begin.size() >= word.size() && std::equal(word.begin(), word.end(), begin.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

unsigned byteAt(std::string_view begin, size_t at) {
  return at < begin.size() ? static_cast<unsigned char>(begin[at]) : 0;
}

/// By the name of the first file in the archive. Offsets are those of a local file header (PKWARE's APPNOTE, 4.3.7).
FileFormat formatOfZip(std::string_view begin) {
  constexpr size_t lengthAt = 26, nameAt = 30;
  size_t length = byteAt(begin, lengthAt) + 256 * byteAt(begin, lengthAt + 1);
  std::string_view name = begin.substr(std::min(nameAt, begin.size())).substr(0, length);
  if (name.ends_with(".npy"))
    return {"a zip archive of numpy (.npz)", fromNumpy};
  if (name.ends_with(".pkl"))
    return {"a zip archive of PyTorch (.pt, .pth, .bin)", fromTorch};
  return {"a zip archive", unpack};
}

/// MessagePack: a map whose first key is a string.
bool isMessagePack(std::string_view begin) {
  unsigned first = byteAt(begin, 0), key = first == 0xde ? byteAt(begin, 3) : byteAt(begin, 1);
  return ((first > 0x80 && first < 0x90) || first == 0xde) && ((key > 0xa0 && key < 0xc0) || key == 0xd9);
}

/// ONNX, by its protobuf fields: the version of the format, then the producer's name or the graph.
bool isOnnx(std::string_view begin) {
  unsigned version = byteAt(begin, 1), field = byteAt(begin, 2);
  return byteAt(begin, 0) == 0x08 && version >= 3 && version < 0x20 && (field == 0x12 || field == 0x3a);
}

bool isHtml(std::string_view begin) {
  begin.remove_prefix(std::min(begin.find_first_not_of("\xef\xbb\xbf \t\r\n"), begin.size()));
  return beginsWithWord(begin, "<!doctype html") || beginsWithWord(begin, "<html");
}

void replaceAll(std::string &text, std::string_view name, const std::string &by) {
  for (size_t at = 0; (at = text.find(name, at)) != text.npos; at += by.size())
    text.replace(at, name.size(), by);
}

/// The first eight bytes for a message: `'hello wo'`, or `00 01 ff`.
std::string firstBytes(std::string_view begin) {
  begin = begin.substr(0, 8);
  if (std::all_of(begin.begin(), begin.end(), [](unsigned char byte) { return byte >= ' ' && byte < 0x7f; }))
    return "'" + std::string(begin) + "'";
  std::string text;
  for (unsigned char byte : begin) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), text.empty() ? "%02x" : " %02x", byte);
    text += digits;
  }
  return text;
}

} // namespace

std::optional<FileFormat> formatOf(std::string_view begin) {
  // Exact magic numbers first, then the formats that are only probable.
  if (begin.starts_with("PK\3\4"))
    return formatOfZip(begin);
  for (const Magic &magic : magics)
    if (begin.size() >= magic.offset && begin.substr(magic.offset).starts_with(magic.bytes))
      return FileFormat{magic.name, magic.remedy};
  if (isHtml(begin))
    return FileFormat{"a page of HTML",
                      "a download of the file itself begins otherwise: fetch it again, after a login if "
                      "it needs one",
                      true};
  if (isMessagePack(begin))
    return FileFormat{"a file of MessagePack (.msgpack, of Flax)", elsewhere};
  if (isOnnx(begin))
    return FileFormat{"a model of ONNX (.onnx)", fromOnnx};
  return std::nullopt;
}

std::optional<FileFormat> formatOfFile(const std::string &file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::string begin(formatBytes, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(in.gcount()));
  return formatOf(begin);
}

void addRemedy(const std::string &file, const FileFormat &format, Error &error) {
  std::string lines = format.remedy;
  replaceAll(lines, "FILE", file);
  replaceAll(lines, "NEW", std::filesystem::path(file).replace_extension(".safetensors"));
  for (size_t begin = 0, end = 0; end != lines.npos; begin = end + 1) {
    end = lines.find('\n', begin);
    error.note(lines.substr(begin, end == lines.npos ? end : end - begin));
  }
}

Error notOfFormat(const std::string &file, const std::string &expected, std::string_view begin) {
  std::string text = "not a " + expected + " file";
  if (begin.empty())
    return fileError(file, text + ", but empty");
  std::optional<FileFormat> format = formatOf(begin);
  if (!format)
    return fileError(file, text + ": it begins with " + firstBytes(begin));
  Error error = fileError(file, text + ", but " + format->name);
  addRemedy(file, *format, error);
  return error;
}

} // namespace plc::runtime
