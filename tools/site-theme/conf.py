"""How Sphinx builds the pages that tools/site has written."""
import pathlib

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

project = "plc"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "plc"
html_static_path = [str(pathlib.Path(__file__).parent / "static")]
html_css_files = ["plc.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
smartquotes = False
highlight_language = "text"
# The anchors of headings, as GitHub makes them.
myst_heading_anchors = 5
# The reference of a dialect begins its operations on the third level.
suppress_warnings = ["myst.header", "toc.not_included"]


class Ein(RegexLexer):
    name = "ein"
    tokens = {
        "root": [
            (r"#.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"\b(layer|fn|model)(\s+)(\w+)", lambda lexer, match, context=None: declaration(match)),
            (words(("use", "dim", "batch", "layer", "fn", "model", "param", "frozen", "share", "stash", "pop", "kind", "as", "in",
                    "only", "state", "next"), r"\b", r"\b"), Keyword.Declaration),
            (words(("repeat", "if", "then", "else", "and", "or", "not"), r"\b", r"\b"), Keyword),
            (words(("f64", "f32", "bf16", "f16", "i64", "i32", "i8", "u8", "bool"), r"\b", r"\b"), Keyword.Type),
            (r"\b\d+(\.\d+)?([eE][+-]?\d+)?\b|\binf\b", Number),
            (r"\b[A-Za-z_]\w*(?=(\[[^\[\]]*\])?\()", Name.Function),
            (r"\b[A-Z]\w*\b", Name.Constant),
            (r"\.\.\.?|->|\+=|==|!=|<=|>=|<<|>>|//|[=~<>+*/%&|^-]", Operator),
            (r"\w+|\s+|.", Text),
        ]
    }


def declaration(match):
    yield match.start(1), Keyword.Declaration, match[1]
    yield match.start(2), Text, match[2]
    yield match.start(3), Name.Function, match[3]


class Mlir(RegexLexer):
    name = "mlir"
    tokens = {
        "root": [
            (r"//.*$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"[%@^][\w.#-]+", Name.Variable),
            (r"[#!][a-z]\w*(\.\w+)?", Name.Attribute),
            (r"\b(ein|plan|blis|func|memref|arith|scf|builtin)\.\w+", Keyword),
            (r"\b(tensor|memref|vector|f64|f32|bf16|f16|i64|i32|i8|ui8|i1|index)\b", Keyword.Type),
            (r"-?\b\d+(\.\d+)?(e[+-]?\d+)?\b", Number),
            (r"->|[=:<>,(){}\[\]]", Operator),
            (r"\w+|\s+|.", Text),
        ]
    }


def setup(app):
    app.add_lexer("ein", Ein)
    app.add_lexer("mlir", Mlir)
