"""make_goldens.py FOLDER: trains small tokenizers with Hugging Face's own library (`pip install tokenizers`), and writes
NAME.json and NAME.expected, what that library makes of some texts: a JSON object a line with the text, its tokens, and what
they add to a text one after another. The tests have its results; they need no such library."""
import json, pathlib, sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

folder = pathlib.Path(sys.argv[1])
CORPUS = [
    "The quick brown fox jumps over the lazy dog. It doesn't matter, they're there; we'll see what you've done.",
    "In 2024 there were 1234567 people, 42 dogs and 3.14 pies. Don't you think that's what they said?",
    "A compiler turns equations into kernels, and kernels into code: the bits of the result are those of the rules.",
    "Straße, naïve café, Ångström, Ελληνικά, русский текст, 日本語の文章, 中文字符, العربية, हिन्दी, emoji 😀👍🏽",
    "def f(x):\n    return x + 1\n\n\tif a  ==  b:   pass\n",
    "the then there these those them their they that than this thus",
] * 3
TEXTS = [
    "", " ", "a", "The quick brown fox", " leading and trailing ", "two  blanks   three", "line\nbreak\n\n  indented\ttab\r\n",
    "It doesn't, they're, I'm, we'll, you've, he'd, it's IT'S", "12345 3.14 1,000 ½ Ⅷ ٣", "Straße naïve café Ångström ÀÉÎ",
    "Cafe\u0301 e\u0301\u0323 ﬁ ｆｕｌｌ", "Ελληνικά ΣΑΣ русский İstanbul", "日本語 中文字符 한국어", "😀👍🏽 👩\u200d👩\u200d👧", "a\u00a0b\u2003c\u200bd",
    "<s>not a token</s>", "<|end|>", "one<|end|>two", "  <|end|>  x", "[CLS] said [MASK] and [mask].", "$100 + `code` ~ ^ | <tag> {x}[y]",
    "don't!! what?... (yes) \"no\" 'maybe' - dash — em", "supercalifragilisticexpialidocious", "x" * 120, "\u0000\u0001\u007f control \ufffd",
    "def f(x):\n    return x + 1\n", "unknown ☃ ☂ ♞ words", "the then there these those",
]


def write(name, tokenizer):
    tokenizer.save(str(folder / f"{name}.json"), pretty=False)
    tokenizer = Tokenizer.from_file(str(folder / f"{name}.json"))
    with open(folder / f"{name}.expected", "w") as file:
        for text in TEXTS:
            ids = tokenizer.encode(text).ids
            decoded = [tokenizer.decode(ids[: i + 1]) for i in range(len(ids))]
            file.write(json.dumps({"text": text, "ids": ids, "decoded": decoded[-1] if ids else ""}) + "\n")


def trained(model, trainer, **steps):
    tokenizer = Tokenizer(model)
    for name, step in steps.items():
        setattr(tokenizer, name, step)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


# As GPT-2 has it.
gpt2 = trained(models.BPE(), trainers.BpeTrainer(vocab_size=420, special_tokens=["<|end|>"], show_progress=False,
                                                 initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
               pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False), decoder=decoders.ByteLevel(),
               post_processor=processors.ByteLevel(trim_offsets=False))
write("gpt2", gpt2)

# As newer models have it: words by an expression of their own, digits in threes, a token before the text, whole words first.
llama3 = trained(models.BPE(ignore_merges=True), trainers.BpeTrainer(vocab_size=420, special_tokens=["<s>", "<|end|>"], show_progress=False,
                                                                     initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
                 normalizer=normalizers.NFC(),
                 pre_tokenizer=pre_tokenizers.Sequence([
                     pre_tokenizers.Split(Regex(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated"),
                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
                 decoder=decoders.ByteLevel())
llama3.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False),
                                             processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])])
llama3.add_tokens([AddedToken("fox jumps", normalized=True)])
write("llama3", llama3)

# As BERT has it, uncased; and one that keeps cases and accents.
for name, lower in (("bert", True), ("cased", False)):
    bert = trained(models.WordPiece(unk_token="[UNK]"),
                   trainers.WordPieceTrainer(vocab_size=330, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False),
                   normalizer=normalizers.BertNormalizer(lowercase=lower), pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
                   decoder=decoders.WordPiece())
    bert.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    bert.add_special_tokens([AddedToken("[MASK]", lstrip=True, special=True)])
    write(name, bert)

# As LLaMA 2 has it: no words, blanks as a character, bytes of what has no token.
bytes_ = [f"<0x{i:02X}>" for i in range(256)]
llama2 = trained(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
                 trainers.BpeTrainer(vocab_size=520, special_tokens=["<unk>", "<s>", "</s>"] + bytes_, show_progress=False, limit_alphabet=60),
                 normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
                 decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]))
saved = json.loads(llama2.to_str())
saved["added_tokens"] = [t for t in saved["added_tokens"] if t["id"] < 3]  # bytes are of the vocabulary alone
llama2 = Tokenizer.from_str(json.dumps(saved))
llama2.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
write("llama2", llama2)

# Other steps.
other = trained(models.BPE(unk_token="[UNK]", continuing_subword_prefix="@@", end_of_word_suffix="</w>"),
                trainers.BpeTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False,
                                    continuing_subword_prefix="@@", end_of_word_suffix="</w>", limit_alphabet=50),
                normalizer=normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
                                                 normalizers.Strip(), normalizers.Replace(Regex("[0-9]+"), "0")]),
                pre_tokenizer=pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous"),
                                                       pre_tokenizers.Digits(individual_digits=True)]))
write("other", other)
meta = trained(models.BPE(unk_token="<unk>"), trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>"], show_progress=False, limit_alphabet=60),
               normalizer=normalizers.NFKC(), pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first"), decoder=decoders.Metaspace(prepend_scheme="first"))
write("metaspace", meta)
