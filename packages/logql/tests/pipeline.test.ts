/** Tests each stage on lines and their labels. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePipeline, parseLogql } from '@tapedeck/logql';
import { documentedStages, documentedTemplates } from './rows/documented.ts';
import { type Outcome, stageRows } from './rows/stages.ts';
import { failingTemplates, templateRows } from './rows/templates.ts';

const stream = [
  ['app', 'shop'],
  ['level', 'info'],
] as const;
const json =
  '{"status": 503, "path": "/a b", "level": "x", "deep": {"a.b": true, "list": [1, {"c": "d"}]}, "none": null}';

function run(stages: string, text: string): Outcome {
  const query = parseLogql(`{app="shop"} ${stages}`);
  assert.ok(query.kind === 'log');
  const processed = compilePipeline(query.stages, { aliases: new Map([['job', 'app']]), required: null })({
    micros: 1_700_000_000_000_000,
    text,
    stream,
    metadata: [
      ['ms', '250'],
      ['size', '3KB'],
      ['took', '1.5s'],
      ['ip', '10.1.2.3'],
    ],
  });
  if (processed === null) return null;
  const before = new Map<string, string>([
    ...stream,
    ['ms', '250'],
    ['size', '3KB'],
    ['took', '1.5s'],
    ['ip', '10.1.2.3'],
  ]);
  const labels = processed.labels.list().filter(([name, value]) => before.get(name) !== value);
  return [processed.text, Object.fromEntries(labels)];
}

const kept = (text: string): Outcome => [text, {}];

const noObject = "Value looks like object, but can't find closing '}' symbol";

const rows: readonly [stages: string, text: string, outcome: Outcome][] = [
  ['|= "b"', 'abc', kept('abc')],
  ['|= "B"', 'abc', null],
  ['|= "x" or "c"', 'abc', kept('abc')],
  ['!= "x" or "c"', 'abc', null],
  ['|~ "a.c"', 'abc', kept('abc')],
  ['|~ "a.c"', 'a\nc', null],
  ['!~ "(?i)ABC"', 'abc', null],
  ['|> "a <_> c"', 'a bb c', kept('a bb c')],
  ['|> "a <_> c"', 'a  c', null],
  ['|> "<_>a"', 'bab', null],
  ['|= ip("10.0.0.0/8")', 'from 10.2.3.4:80', kept('from 10.2.3.4:80')],
  ['|= ip("10.0.0.1-10.0.0.9")', 'from 10.0.0.10', null],
  ['!= ip("fe80::/10")', 'from fe80::1', null],
  ['| ms > 249', 'x', kept('x')],
  ['| ms = 250 | ms != 251 | ms < 251', 'x', kept('x')],
  ['| size >= 3KB', 'x', kept('x')],
  ['| took > 1s and took < 2s', 'x', kept('x')],
  ['| took > 2s or ms > 200', 'x', kept('x')],
  ['| absent > 1', 'x', null],
  ['| absent = ""', 'x', kept('x')],
  ['| ip = ip("10.1.0.0/16")', 'x', kept('x')],
  ['| job = "shop"', 'x', kept('x')],
  ['| app =~ "sh.p"', 'x', kept('x')],
  ['| app =~ "sh"', 'x', null],
  [
    '| app > 5',
    'x',
    [
      'x',
      {
        __error__: 'LabelFilterErr',
        __error_details__: 'strconv.ParseFloat: parsing "shop": invalid syntax',
      },
    ],
  ],
  ['| json', json, [json, { status: '503', path: '/a b', level_extracted: 'x', deep_a_b: 'true' }]],
  [
    '| json | status >= 500 | deep_a_b = "true"',
    json,
    [json, { status: '503', path: '/a b', level_extracted: 'x', deep_a_b: 'true' }],
  ],
  [
    '| json a="deep.list[1].c", b="deep[\\"a.b\\"]", c="deep.list", d="no"',
    json,
    [json, { a: 'd', b: 'true', c: '[1, {"c": "d"}]', d: '' }],
  ],
  [
    '| json',
    '{"a": 1, "b": oops',
    [
      '{"a": 1, "b": oops',
      {
        a: '1',
        __error__: 'JSONParserErr',
        __error_details__: 'Unknown value type',
      },
    ],
  ],
  ['| json | __error__ = ""', 'no json', null],
  ['| json | __error__ > 0', 'no json', null],
  ['| json | ms > 1000', 'no json', null],
  [
    '| json | absent = ip("10.0.0.1")',
    'no json',
    ['no json', { __error__: 'JSONParserErr', __error_details__: noObject }],
  ],
  ['| json', '{"a": 1,} and more', ['{"a": 1,} and more', { a: '1' }]],
  ['| json', '{"a": {" b ": {"1c": 12ms}}}', ['{"a": {" b ": {"1c": 12ms}}}', { a_b_1c: '12ms' }]],
  [
    '| json',
    '{"a": 1, "b": {"c": 2',
    ['{"a": 1, "b": {"c": 2', { a: '1', __error__: 'JSONParserErr', __error_details__: noObject }],
  ],
  [
    '| json',
    '{"a": 1',
    [
      '{"a": 1',
      {
        a: '1',
        __error__: 'JSONParserErr',
        __error_details__: "Value is array, but can't find closing ']' symbol",
      },
    ],
  ],
  [
    '| json',
    '{"a": "b',
    [
      '{"a": "b',
      {
        __error__: 'JSONParserErr',
        __error_details__: `Value is string, but can't find closing '"' symbol`,
      },
    ],
  ],
  ['| json x="a", y="c"', '{"a": 1, "b": oops', ['{"a": 1, "b": oops', { x: '1', y: '' }]],
  ['| unpack', '{"pod": "p"}', kept('{"pod": "p"}')],
  [
    '| took > 1 | ms > 5s',
    'x',
    [
      'x',
      {
        __error__: 'LabelFilterErr',
        __error_details__: 'strconv.ParseFloat: parsing "1.5s": invalid syntax',
      },
    ],
  ],
  [
    '| ms > 5s',
    'x',
    ['x', { __error__: 'LabelFilterErr', __error_details__: 'time: missing unit in duration "250"' }],
  ],
  ['| took > 5KB', 'x', ['x', { __error__: 'LabelFilterErr', __error_details__: 'unhandled size name: s' }]],
  ['| logfmt', 'a="it\\\'s \\u00e9" b="\\x"', ['a="it\\\'s \\u00e9" b="\\x"', { a: "it's é" }]],
  ['| label_format ms="1", old="{{.ms}}"', 'x', ['x', { ms: '1', old: '250' }]],
  ['| json', '{"a":"\\u00e9\\n"}', ['{"a":"\\u00e9\\n"}', { a: 'é\n' }]],
  [
    '| logfmt',
    'a=1 b="c d" e= f g="\\"h\\""',
    ['a=1 b="c d" e= f g="\\"h\\""', { a: '1', b: 'c d', g: '"h"' }],
  ],
  ['| logfmt --keep-empty', 'a=1 e= f', ['a=1 e= f', { a: '1', e: '', f: '' }]],
  ['| logfmt', 'a=1 "oops b=2', ['a=1 "oops b=2', { a: '1', b: '2' }]],
  [
    '| logfmt --strict',
    'a=1 "oops b=2',
    [
      'a=1 "oops b=2',
      {
        a: '1',
        __error__: 'LogfmtParserErr',
        __error_details__: "logfmt syntax error at pos 5 : unexpected '\"'",
      },
    ],
  ],
  ['| logfmt x="a", b', 'a=1 b=2 c=3', ['a=1 b=2 c=3', { x: '1', b: '2' }]],
  [
    '| pattern "<ip2> - <_> <path>"',
    '1.2.3.4 - GET /a',
    ['1.2.3.4 - GET /a', { ip2: '1.2.3.4', path: '/a' }],
  ],
  ['| regexp "(?P<verb>[A-Z]+) (?P<path>\\\\S+)"', 'x GET /a', ['x GET /a', { verb: 'GET', path: '/a' }]],
  [
    '| unpack',
    '{"pod": "p", "level": "y", "_entry": "the line"}',
    ['the line', { pod: 'p', level_extracted: 'y' }],
  ],
  ['| decolorize', '\u001b[31mred\u001b[0m', kept('red')],
  ['| logfmt | drop a, b="3"', 'a=1 b=2', ['a=1 b=2', { b: '2' }]],
  ['| logfmt | label_format c=a, d="{{.b}}!"', 'a=1 b=2', ['a=1 b=2', { c: '1', b: '2', d: '2!' }]],
  ['| json | drop __error__, __error_details__', 'no', kept('no')],
];

const templates: readonly [template: string, text: string, line: string][] = [
  ['{{.app}}-{{.absent}}.', 'x', 'shop-.'],
  ['{{ __line__ | ToUpper }}', 'abc', 'ABC'],
  ['{{ __timestamp__ | date "2006-01-02T15:04:05.000Z07:00" }}', 'x', '2023-11-14T22:13:20.000Z'],
  ['{{ if eq .app "shop" }}yes{{ else if .absent }}no{{ else }}else{{ end }}', 'x', 'yes'],
  ['{{ with .absent }}{{.}}{{ else }}nothing{{ end }}', 'x', 'nothing'],
  ['{{ range $i, $e := fromJson __line__ }}{{ $i }}={{ $e.a }};{{ end }}', '[{"a":1},{"a":"b"}]', '0=1;1=b;'],
  [
    '{{ $n := .ms | int }}{{ add $n 1 }} {{ mul 2 3 }} {{ div 7 2 }} {{ divf 7 2 }} {{ round 3.14159 2 }}',
    'x',
    '251 6 3 3.5 3.14',
  ],
  ['{{ printf "%-5s|%5.1f|%03d" .app 2.25 7 }}', 'x', 'shop |  2.2|007'],
  ['{{ trunc 2 .app }}{{ trunc -2 .app }}{{ substr 1 3 .app }}', 'x', 'shopho'],
  ['{{ regexReplaceAll "(s)(h)" .app "$2$1" }} {{ count "o|p" .app }}', 'x', 'hsop 2'],
  ['{{ default "none" .absent }} {{ .app | replace "o" "0" | upper | b64enc }}', 'x', 'none U0gwUA=='],
  ['{{- .app -}}   tail', 'x', 'shoptail'],
  ['{{ and .app .ms }} {{ or .absent "b" }} {{ not .absent }}', 'x', '250 b true'],
  ['{{ alignLeft 6 .app }}|{{ alignRight 6 .app }}|{{ indent 2 .app }}', 'x', 'shop  |  shop|  shop'],
  ['{{ duration .took }} {{ bytes .size }} {{ .app | len }}', 'x', '1.5 3000 4'],
  ['{{ urlencode "a b&" }} {{ urldecode "a%20b" }} {{ title "ann b" }}', 'x', 'a+b%26 a b Ann B'],
  ['{{ toDate "2006-01-02" "2024-05-06" | unixEpoch }}', 'x', '1714953600'],
  ['{{/* nothing */}}{{ `raw "text"` }}', 'x', 'raw "text"'],
  [
    '{{ addf 0.1 0.2 }} {{ subf 1.1 1 }} {{ divf 10 4 }} {{ mulf 1.1 1.1 }} {{ round -3.2 0 }}',
    'x',
    '0.3 0.1 2.5 1.21 -4',
  ],
  [
    '{{ unixToTime "1704067200" | date "2006-01-02" }} {{ unixToTime "19723" | unixEpoch }}',
    'x',
    '2024-01-01 1704067200',
  ],
  [
    '{{ printf "%d|%s|%f|%05d|%+.1f|%x|%t|%q" .ms 5 5 -42 2.25 255 true .app }}',
    'x',
    '%!d(string=250)|%!s(int=5)|%!f(int=5)|-0042|+2.2|ff|true|"shop"',
  ],
  [
    '{{ printf "%s" "a" "b" }} {{ printf "%d%%" 5 }} {{ printf "%v %v" }}',
    'x',
    'a%!(EXTRA string=b) 5% %!v(MISSING) %!v(MISSING)',
  ],
  [
    '{{ title "foo-bar baz_q" }} {{ b64dec "aGk=" }} {{ b64dec "a*" }} {{ print 1 2 "a" 3 }}',
    'x',
    'Foo-Bar Baz_q hi illegal base64 data at input byte 1 1 2a3',
  ],
  ['{{ trunc 3 "äöü" }}|{{ substr 0 2 "äöü" }}|{{ add "250.0" 1 }}', 'x', 'ä\ufffd|ä|251'],
  ['{{ 1000000.0 }} {{ 0.5 }} {{ true }} {{ ceil 1.2 }} {{ max 1 3 2 }}', 'x', '1e+06 0.5 true 2 3'],
];

describe('A pipeline', () => {
  for (const [stages, text, outcome] of [...rows, ...stageRows, ...documentedStages])
    test(`${stages} of ${JSON.stringify(text)}`, () => assert.deepEqual(run(stages, text), outcome));
  for (const [template, text, line] of templates)
    test(`the template ${template}`, () => {
      const [found, labels] =
        run(
          `| line_format \`${template.replaceAll('`', '"').replaceAll('"raw "text""', '"raw \\"text\\""')}\``,
          text,
        ) ?? [];
      assert.deepEqual([found, labels], [line, {}]);
    });
  for (const [template, line] of [...templateRows, ...documentedTemplates])
    test(`the template ${template} writes`, () =>
      assert.deepEqual(run(`| line_format \`${template}\``, 'x'), [line, {}]));
  for (const [template, details] of failingTemplates)
    test(`the template ${template} fails`, () => {
      const quoted = template.replaceAll('\n', '\\n').replaceAll('"', '\\"');
      assert.deepEqual(run(`| line_format "${quoted}"`, 'x'), [
        'x',
        { __error__: 'TemplateFormatErr', __error_details__: details },
      ]);
    });
  test('cuts off a template that never ends', () => {
    const startedAt = performance.now();
    const nested =
      '{{ range fromJson __line__ }}{{ range $ }}{{ range $ }}{{ range $ }}{{ . }}{{ end }}{{ end }}{{ end }}{{ end }}';
    const [, labels] = run(`| line_format \`${nested}\``, JSON.stringify(Array(10_000).fill(1))) ?? [];
    assert.match(labels?.__error_details__ ?? '', /takes more than 20000 steps/);
    const [, repeated] = run('| line_format `{{ repeat 1000000000 "x" }}`', 'x') ?? [];
    assert.match(repeated?.__error_details__ ?? '', /at most 1000000 characters/);
    assert.ok(performance.now() - startedAt < 2_000);
  });
  test('evaluates an expression in a moment that backtracks exponentially elsewhere', () => {
    const startedAt = performance.now();
    assert.equal(run('|~ "(a+)+$"', `${'a'.repeat(50_000)}!`), null);
    assert.ok(performance.now() - startedAt < 2_000);
  });
});
