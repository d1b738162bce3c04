; Words that begin something, and those between expressions.
["use" "dim" "batch" "layer" "fn" "model" "param" "frozen" "share" "stash" "pop" "kind" "as" "in" "only" "state" "next" "optimizer" "from" "above" "to" "below"] @keyword
["repeat"] @keyword.repeat
["if" "then" "else"] @keyword.conditional
["and" "or" "not"] @keyword.operator
["=" "+=" "~" "->" "+" "-" "*" "/" "//" "%" "&" "|" "^" "<<" ">>" "==" "!=" "<" "<=" ">" ">="] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
"..." @punctuation.special
(comment) @comment
(string) @string
[(number) (infinity)] @number
((identifier) @constant (#match? @constant "^[A-Z]"))
(function name: (identifier) @function)
(call callee: (identifier) @function.call)
(declarator type: (identifier) @type.builtin (#match? @type.builtin "^(f64|f32|bf16|f16|i64|i32|i8|u8|bool)$"))
(given_name name: (identifier) @variable.parameter)
(path) @module
