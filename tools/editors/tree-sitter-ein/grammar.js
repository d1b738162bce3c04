// The tree-sitter grammar of .ein files. Line ends are blanks here: no statement begins as an expression goes on, so a
// tree is the same as with them, and a text that the compiler refuses for its line ends still has one.

const list = (rule) => seq(rule, repeat(seq(',', rule)));

module.exports = grammar({
  name: 'ein',
  word: ($) => $.identifier,
  extras: ($) => [/\s/, $.comment],

  rules: {
    source_file: ($) => repeat($._declaration),
    comment: (_) => /#[^\n]*/,
    identifier: (_) => /[A-Za-z_][A-Za-z0-9_]*/,
    number: (_) => /[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/,
    string: (_) => /"[^"\n]*"/,

    _declaration: ($) => choice($.use, $.dims, $.batch, $.function, $.optimizer),
    use: ($) => seq('use', choice($.string, $.path)),
    path: ($) => seq($.identifier, repeat(seq('.', $.identifier))),
    dims: ($) => seq('dim', list($.dim)),
    dim: ($) => seq(field('name', $.identifier), '=', $._expression),
    batch: ($) => seq('batch', $.identifier),

    function: ($) =>
      seq(
        field('form', choice('layer', 'fn', 'model')), field('name', $.identifier),
        '(', optional(list($.declarator)), optional($.given), ')',
        '->', list($.declarator),
        optional(seq('kind', $.identifier)),
        optional(seq('as', $.identifier)),
        $.block,
      ),
    optimizer: ($) =>
      seq('optimizer', field('name', $.identifier), '(', list($.declarator), optional($.settings), ')', $.block),
    settings: ($) => seq(';', optional(list($.setting))),
    setting: ($) =>
      seq(field('name', $.identifier), '=', $._expression, repeat(seq(choice('from', 'above', 'to', 'below'), $._expression))),
    given: ($) => seq(';', optional(list($.given_name))),
    given_name: ($) => seq(field('name', $.identifier), optional(seq('=', $._expression))),
    declarator: ($) =>
      seq(
        field('name', $.identifier),
        optional(choice($.indices, seq(':', $.indices), seq(':', field('type', $.identifier), optional($.indices)))),
      ),

    block: ($) => seq('{', repeat($._statement), '}'),
    _statement: ($) => choice($.rule, $.extents, $.param, $.share, $.repeat, $.stash, $.state, $.next),
    rule: ($) =>
      seq(list($.declarator), choice('=', '+=', /(max|min|mul)=/), choice($._expression, $.pop), optional($.namespace)),
    extents: ($) => $.declarator,
    pop: ($) => seq('pop', $.identifier),
    stash: ($) => seq('stash', $.identifier, '=', $._expression),
    namespace: ($) =>
      seq('in', $.identifier, optional(seq('[', $._expression, ']')), optional(seq('only', list($.identifier)))),
    param: ($) => seq('param', optional('frozen'), list($.parameter)),
    parameter: ($) => seq($.declarator, optional(seq($.initializer, optional('frozen')))),
    initializer: ($) => choice(seq('=', $._expression), seq('~', $.identifier, '(', list($._expression), ')')),
    state: ($) => seq('state', list($.parameter)),
    next: ($) => seq('next', $.rule),
    share: ($) => seq('share', $.declarator, '=', $.parameter_path),
    parameter_path: (_) => /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+/,
    repeat: ($) => seq('repeat', optional(seq(field('turn', $.identifier), '<')), $._term, $.block),

    indices: ($) => seq('[', optional(list($.index)), ']'),
    index: ($) => choice('...', ':', seq($._expression, optional(seq(':', field('extent', $._expression))))),

    _expression: ($) => choice($.if, $.binary, $.compare, $.not, $._term),
    _term: ($) => choice($.arithmetic, $.sign, $._primary),
    if: ($) => prec.right(seq('if', $._expression, 'then', $._expression, 'else', $._expression)),
    binary: ($) =>
      choice(prec.left(1, seq($._expression, 'or', $._expression)), prec.left(2, seq($._expression, 'and', $._expression))),
    not: ($) => prec(3, seq('not', $._expression)),
    compare: ($) => prec.left(4, seq($._term, choice('==', '!=', '<', '<=', '>', '>='), $._term)),
    arithmetic: ($) =>
      choice(
        prec.left(5, seq($._term, '|', $._term)),
        prec.left(6, seq($._term, '^', $._term)),
        prec.left(7, seq($._term, '&', $._term)),
        prec.left(8, seq($._term, choice('<<', '>>'), $._term)),
        prec.left(9, seq($._term, choice('+', '-'), $._term)),
        prec.left(10, seq($._term, choice('*', '/', '//', '%'), $._term)),
      ),
    sign: ($) => prec(11, seq(choice('-', '~'), $._term)),
    _primary: ($) => choice($.number, $.infinity, $.identifier, $.access, $.call, $.parenthesis),
    infinity: (_) => 'inf',
    parenthesis: ($) => seq('(', $._expression, ')'),
    access: ($) => seq(field('tensor', $.identifier), $.indices),
    call: ($) =>
      seq(field('callee', $.identifier), optional($.indices), '(', optional(list($._expression)), optional($.given), ')'),
  },
});
