/** Tests parsing and printing queries, and explaining mistakes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatLogql, parseForPrinting, parseLogql, parseSelector } from '@tapedeck/logql';
import { refusedQueries } from './rows/mistakes.ts';
import { laidOutQueries, printedQueries } from './rows/printedQueries.ts';
import { refusedTemplates } from './rows/templateMistakes.ts';

/** A query, and its printed form if that differs. */
const queries: readonly (readonly [text: string, printed?: string | undefined])[] = [
  ['{foo="bar"}'],
  ['{ foo = "bar" }', '{foo="bar"}'],
  ['{namespace="buzz", foo!="bar"}'],
  ['{namespace="buzz", foo!~"b.r"}'],
  ['({foo="bar"} |= "x")', '{foo="bar"} |= "x"'],
  ['# words\n{foo="bar"} # more', '{foo="bar"}'],
  ['{foo="bar"} |= "a" or "b" != "c" |~ `d\\d` !~ "e" |> "<_> f" !> "g <_>"', undefined],
  ['{foo="bar"} |= ip("10.0.0.0/8") or "x"'],
  ['{foo="bar"} | json | logfmt --strict --keep-empty | unpack | decolorize'],
  ['{foo="bar"} | json a="b.c[0]",d="d" | logfmt e="f"'],
  ['{foo="bar"} | regexp "(?P<a>.*)" | pattern "<b> <_>"'],
  ['{foo="bar"} | line_format "{{.a}}" | label_format b=c,d="{{.e}}"'],
  ['{foo="bar"} | drop a,b="c" | keep d'],
  ['{foo="bar"} | a="b" | c!=ip("::1") | d>=5 | e<5s | f==10kB'],
  ['{foo="bar"} | a=1 b=2', '{foo="bar"} | ( a==1 , b==2 )'],
  ['{foo="bar"} | a=1 and (b=2 or c="d")', '{foo="bar"} | ( a==1 , ( b==2 or c="d" ) )'],
  ['{foo="bar"} | a > -5', '{foo="bar"} | a>-5'],
  ['{foo="bar"} | a=1, b=2 or c=3', '{foo="bar"} | ( a==1 , ( b==2 or c==3 ) )'],
  ['{foo="bar"} | a=1 b=2 or c=3', '{foo="bar"} | ( a==1 , ( b==2 or c==3 ) )'],
  ['{foo="bar"} | a=1 and b=2 or c=3', '{foo="bar"} | ( ( a==1 , b==2 ) or c==3 )'],
  ['{foo="bar"} | a=1 or b=2 and c=3', '{foo="bar"} | ( a==1 or ( b==2 , c==3 ) )'],
  ['{foo="bar"} // said aside\n |= "a" /* and here */ # and there', '{foo="bar"} |= "a"'],
  ['{foo!=""}'],
  ['{foo!~"(.*)?x?"} |= "it\'s"', undefined],
  ['{foo="bar"}|logfmt|rate="a"', '{foo="bar"} | logfmt | rate="a"'],
  ['count_over_time({foo="bar"}[12h] |= "error")', 'count_over_time({foo="bar"} |= "error"[12h])'],
  ['count_over_time(({foo="bar"})[5m])', 'count_over_time({foo="bar"}[5m])'],
  ['bytes_rate({foo="bar"}[1w])'],
  ['sum_over_time({foo="bar"} | unwrap bytes(x) | __error__=""[5m])'],
  ['quantile_over_time(0.99,{foo="bar"} | json | unwrap x[5m]) by (a,b)'],
  ['max_over_time({foo="bar"} | unwrap duration(x)[5m]) without (a)'],
  ['absent_over_time({foo="bar"}[1d])'],
  ['sum(rate({foo="bar"}[5h])) by (a)', 'sum by (a)(rate({foo="bar"}[5h]))'],
  ['topk(10,rate({foo="bar"}[5h]))'],
  ['bottomk without (a)(3,rate({foo="bar"}[5h]))'],
  ['sort_desc(approx_topk(3,rate({foo="bar"}[1m])))'],
  ['label_replace(rate({foo="bar"}[1m]),"a","$1","b","(.*)")'],
  ['vector(3) + 1', '(vector(3.000000) + 1)'],
  ['1 + 2 * 3 ^ 2', '19'],
  ['2 > bool 1', '1'],
  ['rate({a="b"}[1m]) / on (c) group_left (d) rate({e="f"}[1m])', undefined],
  ['rate({a="b"}[1m]) and rate({e="f"}[1m]) or rate({g="h"}[1m])', undefined],
];

/** Mistakes with Loki's messages. */
const mistakes: readonly (readonly [text: string, sentence: string])[] = [
  ['', 'parse error at line 1, col 1: syntax error: unexpected $end'],
  ['{', 'parse error at line 1, col 2: syntax error: unexpected $end, expecting IDENTIFIER or }'],
  ['{foo="bar"', 'parse error at line 1, col 11: syntax error: unexpected $end, expecting , or }'],
  ['{foo="bar",}', 'parse error at line 1, col 12: syntax error: unexpected }, expecting IDENTIFIER'],
  ['{foo="bar"} |=', 'parse error at line 1, col 15: syntax error: unexpected $end, expecting STRING or ip'],
  ['{foo="bar"} | json |', 'parse error at line 1, col 21: syntax error: unexpected $end'],
  ['{foo="bar"} |~ "("', 'parse error : stage \'|~ "("\' : error parsing regexp: missing closing ): `(`'],
  [
    '{foo="bar"} | label_format a=`{{ nope }}`',
    'parse error : stage \'| label_format a="{{ nope }}"\' : invalid template for label \'a\': template: label:1: function "nope" not defined',
  ],
  [
    '{foo="bar"} + 1',
    'parse error : unexpected type for left leg of binary operation (+): *syntax.MatchersExpr',
  ],
  [
    '1 + {foo="bar"} | json',
    'parse error : unexpected type for right leg of binary operation (+): *syntax.PipelineExpr',
  ],
  ['{foo="bar', 'parse error at line 1, col 6: literal not terminated'],
  ["{foo='bar'}", 'parse error at line 1, col 6: invalid char literal'],
  ["{foo='b'}", 'parse error at line 1, col 6: syntax error: unexpected IDENTIFIER, expecting STRING'],
  ['{foo=~"\\d+"}', 'parse error at line 1, col 7: invalid char escape'],
  ['{foo="it\\\'s"}', 'parse error at line 1, col 6: invalid char escape'],
  ['{foo="\\400"}', 'parse error at line 1, col 6: invalid syntax'],
  ['{foo="\\U00110000"}', 'parse error at line 1, col 6: invalid syntax'],
  ['{foo="\\U00110000\\q"}', 'parse error at line 1, col 6: invalid char escape'],
  ['sum(rate({foo="bar"}[5m])', 'parse error at line 1, col 26: syntax error: unexpected $end'],
  ['(rate({foo="bar"}[5m])', 'parse error at line 1, col 23: syntax error: unexpected $end'],
  ['rate({foo="bar"}[5m]', 'parse error at line 1, col 21: syntax error: unexpected $end, expecting )'],
  ['topk(5 rate({foo="bar"}[5m]))', 'parse error at line 1, col 8: syntax error: unexpected RATE'],
  ...(
    [
      ['1e', 'exponent has no digits'],
      ['1e+', 'exponent has no digits'],
      ['1PB', "'P' exponent requires hexadecimal mantissa"],
      ['0b12', "invalid digit '2' in binary literal"],
      ['0x', 'hexadecimal literal has no digits'],
      ['08', "invalid digit '8' in octal literal"],
      ['08h', "invalid digit '8' in octal literal"],
      ['1_', "'_' must separate successive digits"],
      ['1._5', "'_' must separate successive digits"],
      ['/* 1', 'comment not terminated'],
    ] as const
  ).map(([text, mistake]) => [`vector(${text})`, `parse error at line 1, col 8: ${mistake}`] as const),
  ...['0b11', '0o7', '1_0', '0x1e'].map(
    text =>
      [
        text,
        `parse error : unable to parse float: strconv.ParseFloat: parsing "${text}": invalid syntax`,
      ] as const,
  ),
  ['1e400', 'parse error : unable to parse float: strconv.ParseFloat: parsing "1e400": value out of range'],
  ['1 + 0x10', 'parse error : unable to parse float: strconv.ParseFloat: parsing "0x10": invalid syntax'],
  ['{foo="bar"} | distinct a', 'parse error at line 1, col 24: syntax error: unexpected IDENTIFIER'],
  ['{foo="bar"}\n| lin', 'parse error at line 2, col 6: syntax error: unexpected $end'],
  ['unk({foo="bar"}[5m])', 'parse error at line 1, col 1: syntax error: unexpected IDENTIFIER'],
  ['min({ foo = "bar" }[5m])', 'parse error at line 0, col 20: syntax error: unexpected RANGE'],
  [
    'rate({ foo = "bar" }[5minutes])',
    'parse error at line 0, col 21: not a valid duration string: "5minutes"',
  ],
  ['rate({ foo = "bar" }[5)', "parse error at line 0, col 21: missing closing ']' in duration"],
  ['rate({ foo = "bar" })', 'parse error at line 1, col 21: syntax error: unexpected )'],
  [
    'label_replace(rate({ foo = "bar" }[5m]),"")',
    'parse error at line 1, col 43: syntax error: unexpected ), expecting ,',
  ],
  [
    '{ foo = "bar" }|logfmt|addr>=ip("1.2.3.4")',
    'parse error at line 1, col 30: syntax error: unexpected ip',
  ],
  [
    'absent_over_time({ foo = "bar" }[5h]) by (foo)',
    'parse error : grouping not allowed for absent_over_time aggregation',
  ],
  ['sum_over_time({foo="bar"}[1m])', 'parse error : invalid aggregation sum_over_time without unwrap'],
  [
    'count_over_time({foo="bar"} | unwrap x [1m])',
    'parse error : invalid aggregation count_over_time with unwrap',
  ],
  ['topk(rate({foo="bar"}[1m]))', 'parse error : parameter required for operation topk'],
  ['topk(0,rate({foo="bar"}[1m]))', 'parse error : invalid parameter (must be greater than 0) topk(0'],
  ['sum(3,rate({foo="bar"}[1m]))', 'parse error : unsupported parameter for operation sum(3,'],
  [
    'rate({foo="bar"}[1m]) and 3',
    'parse error : unexpected literal for right leg of logical/set binary operation (and): 3.000000',
  ],
  [
    '{foo="bar"} | label_format a=b,a=c',
    "parse error : stage '| label_format a=b,a=c' : multiple label name 'a' not allowed in a single format operation",
  ],
  [
    '{foo="bar"} | regexp ".*"',
    'parse error : invalid regexp parser: at least one named capture must be supplied',
  ],
  ['{foo="bar"} | pattern "<_>"', 'parse error : invalid pattern parser: at least one capture is required'],
  [
    'variants(rate({a="b"}[1m])) of ({a="b"}[1m])',
    'parse error at line 1, col 1: variants is not supported here',
  ],
];

describe('LogQL', () => {
  for (const [text, printed = text] of queries)
    test(`${text} is printed and parsed back unchanged`, () => {
      const query = parseLogql(text);
      const shown = formatLogql(query);
      assert.deepEqual(parseLogql(shown), query);
      if (!shown.includes('\n') && !/\\d|group_left|and rate/.test(text)) assert.equal(shown, printed);
    });
  for (const [text, printed = text] of printedQueries)
    test(`${text} is printed as ${printed}`, () => assert.equal(formatLogql(parseLogql(text)), printed));
  for (const [text, printed] of laidOutQueries)
    test(`${text} is printed on several lines and parses back to itself`, () => {
      const query = parseLogql(text);
      assert.deepEqual(formatLogql(query).split('\n'), printed);
      assert.deepEqual(parseLogql(formatLogql(query)), query);
    });
  for (const [text, sentence] of [...mistakes, ...refusedQueries, ...refusedTemplates])
    test(`${JSON.stringify(text)}: ${sentence}`, () => {
      assert.throws(() => parseLogql(text), { code: 'query_invalid', message: sentence });
    });
  test('prints a long query on several lines', () => {
    const filters = Array.from({ length: 6 }, (_, index) => ` |= "a longer text ${index}"`).join('');
    assert.equal(
      formatLogql(parseLogql(`sum by (a) (rate({foo="bar"}${filters} | json [5m]))`))
        .split('\n')
        .slice(0, 6)
        .join('\n'),
      'sum by (a)(\n  rate(\n    {foo="bar"}\n      |= "a longer text 0" |= "a longer text 1" |= "a longer text 2" |= "a longer text 3"\n      |= "a longer text 4"\n      |= "a longer text 5"',
    );
  });
  test('limits brackets and lengths', () => {
    assert.throws(() => parseLogql(`${'('.repeat(200)}1${')'.repeat(200)}`), /at most 100 deep/);
    assert.throws(() => parseLogql(`{a="${'x'.repeat(140_000)}"}`), /input size too long/);
    for (const [text, other] of [
      ['é'.repeat(14_000), 'b'],
      ['\\\\'.repeat(21_000), 'b'],
      ["'".repeat(30_000), '|'.repeat(11_000)],
    ])
      assert.throws(
        () => parseLogql(`{a="${text}"} |= "${other}"`),
        /the texts of a query are too long: together they may take 120000 bytes/,
      );
    parseLogql(`{a="${'x'.repeat(60_000)}"} |= "${'y'.repeat(60_000)}"`);
    parseLogql(`{a="b"} | line_format "${'é'.repeat(60_000)}"`);
    assert.throws(
      () => parseForPrinting(`{a="b"} | ${Array(2_100).fill('a=1').join(' or ')}`),
      /at most 2000 operators/,
    );
    assert.throws(() => parseLogql('('.repeat(100_000)), /at most 100 deep/);
    assert.throws(
      () => parseForPrinting(`{a="b"} | json ${Array(6_000).fill('a')}`),
      /at most 10000 words and signs/,
    );
    const many = `{a="b"} | ${Array(1_000).fill('a=1').join(',')}`;
    assert.equal(formatLogql(parseForPrinting(many)).split('a==1').length - 1, 1_000);
  });
  test('refuses queries that are expensive to compile before compiling them', () => {
    const dear: readonly [query: string, sentence: RegExp][] = [
      [`{a=~"${'a{0,1000}'.repeat(6)}"}`, /expression too large/],
      [`{a="b"} |~ "${'[a-z]{1000}'.repeat(11)}"`, /expression too large/],
      [`{a="b"} | regexp "(?P<x>(?:a{10}){10}){101}"`, /expression too large/],
      [`{a=~"${'\\\\p{L}'.repeat(101)}"}`, /expression too large/],
      [`{a="b"} |~ "a{0,1000}" ${'|~ "b{0,1000}c" '.repeat(5)}`, /expressions of a query are too long/],
      // Between \Q and \E, a bracket opens no class, so what follows is no class either.
      [`{a=~\`\\Q[\\E${'a{0,1000}'.repeat(440)}\`}`, /expression too large/],
      [`{a="b"} |~ \`\\Q(((\\E(?:a{0,30}\\Q)\\E){0,30}${'(b{1000})'.repeat(10)}\``, /expression too large/],
      [`{a="b"} |~ \`(?i)${'[B-\\x{1e942}]'.repeat(280)}\``, /expression too large/],
      [`{a="b"} | regexp \`(?P<a>x)(?mi:${'[\\x42-\\x{ffff}]'.repeat(9)})\``, /expression too large/],
      [`{a="b"} |~ \`(?i)${'\\pL'.repeat(95)}\``, /expression too large/],
      [`{a="b"} |~ \`${'[[:'.repeat(12_000)}\``, /at most 4096 characters/],
      [`{a="b"} | line_format "{{${'/**/'.repeat(40)}"`, /comment ends before closing delimiter/],
      [`{a="b"} | line_format "${'{{'.repeat(50_000)}"`, /a template holds at most 2000 words/],
      [`{a="b"} | line_format "${'{{.a}}'.repeat(2_001)}"`, /a template holds at most 2000 words/],
      [`{a="b"} | line_format "{{.a${' | upper'.repeat(2_001)}}}"`, /a template holds at most 2000 words/],
      [`vector(${'1.'.repeat(60_000)})`, /unexpected NUMBER/],
    ];
    for (const [query, sentence] of dear) {
      const startedAt = process.cpuUsage();
      assert.throws(() => parseLogql(query), sentence);
      const { user } = process.cpuUsage(startedAt);
      assert.ok(user < 500_000, `${query.slice(0, 40)} took ${user} µs`); // usually a few milliseconds
    }
    parseLogql('{a=~"(?:[a-z]{1,500}){1,2}x"} |~ `\\p{L}{1,64} (?:\\d{1,3}[.]){3}\\d{1,3}`');
    parseLogql('{a="b"} |~ `(?i)[а-яё]+ \\Q[error]\\E [\\x{80}-\\x{10ffff}]` |~ `(?i)[^\\x00-\\x7f]\\p{L}`');
    parseLogql(`{a="b"} |~ \`(?i)${'[\\w\\-\\.]+@[\\w.\\-+]+[A-Z-]'.repeat(20)}\``);
  });
  test('parses a path of the maximum query length in a moment', () => {
    const startedAt = performance.now();
    parseLogql(`{a="b"} | json a="${'[0]'.repeat(40_000)}"`);
    assert.ok(performance.now() - startedAt < 1_000); // about ten milliseconds on an idle machine
  });
  test('limits the parts of a query of any form', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `l${index}`);
    const selector = '{a="b"}';
    const queries: readonly ((count: number) => string)[] = [
      count => `{${names(count).map(name => `${name}="b"`)}}`,
      count => `${selector} |= "a"${' or "b"'.repeat(count)}`,
      count => selector + ' |~ "a"'.repeat(count),
      count => `${selector} | a="b"${' or c>1 and d=ip("::1")'.repeat(count / 2)}`,
      count => `${selector} |> "${'a<_>'.repeat(count - 1)}"`,
      count => selector + ' | decolorize'.repeat(count),
      count => `${selector} | json ${names(count)}`,
      count => `${selector} | logfmt ${names(count)}`,
      count => `${selector} | keep ${names(count)}`,
      count => `${selector} | label_format ${names(count).map(name => `${name}=a`)}`,
      count => `sum by (${names(count)}) (rate(${selector}[1m]))`,
      count => `max_over_time(${selector} | unwrap a [1m]) by (${names(count)})`,
      count => `max_over_time(${selector} | unwrap a ${'| b="c" '.repeat(count)} [1m])`,
      count => `rate(${selector}[1m]) + on (${names(count)}) group_left (x) rate(${selector}[1m])`,
      count => Array(count).fill(`rate(${selector}[1m])`).join(' + '),
    ];
    for (const compose of queries) {
      parseLogql(compose(200));
      assert.throws(() => parseLogql(compose(252)), /at most 250 matchers, stages, alternatives and labels/);
    }
    const matchers = names(252).map(name => `${name}="b"`);
    assert.throws(
      () => parseSelector(`{${matchers}}`),
      /at most 250 matchers, stages, alternatives and labels/,
    );
  });
});
