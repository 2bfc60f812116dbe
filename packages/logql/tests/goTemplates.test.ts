/** Checks templates against results of Go's own packages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline, type Label, parseLogql } from '@tapedeck/logql';

const labels: Label[] = Object.entries({
  a: 'shop',
  n: '12',
  u: '\u2028\u0001é',
  j: '{"b":[1,"x",null]}',
  e: '',
});

function run(template: string) {
  const query = parseLogql(`{job="x"} | line_format ${JSON.stringify(template)}`);
  assert.ok(query.kind === 'log');
  const pipeline = compilePipeline(query.stages, { aliases: new Map(), required: null });
  const processed = pipeline({ micros: 0, text: 'line', stream: labels, metadata: [] });
  return {
    text: processed?.text,
    error: Object.fromEntries(processed?.labels.list() ?? []).__error_details__,
  };
}

const rows: readonly (readonly [template: string, text: string])[] = [
  ['{{ printf "%5.1f|" .a }}', '%!f(string=    s)|'],
  ['{{ printf "%08d|%-8d|%+t" .a .a .a }}', '%!d(string=0000shop)|%!d(string=shop    )|%!t(string=shop)'],
  ['{{ printf "%.3s|%#z" 2 .a }}', '%!s(int=002)|%!z(string=shop)'],
  [
    '{{ printf "%#x|% x|%#X|% #x|%.2x" .a .a .a .a .a }}',
    '0x73686f70|73 68 6f 70|0X73686F70|0x73 0x68 0x6f 0x70|7368',
  ],
  ['{{ printf "%q|%+q|%#q" .u .u .a }}', '"\\u2028\\x01é"|"\\u2028\\x01\\u00e9"|`shop`'],
  ['{{ printf "%q %q %q %+q" 1 39 34 233 }}', "'\\x01' '\\'' '\"' '\\u00e9'"],
  ['{{ printf "%.3d|%+.4d|%6.3d|%06d|%-6d|% d" 7 7 7 -7 7 7 }}', '007|+0007|   007|-00007|7     | 7'],
  ['{{ printf "%#o %O %#b %#x %U %#U" 8 8 5 255 233 233 }}', "010 0o10 0b101 0xff U+00E9 U+00E9 'é'"],
  ['{{ printf "%.0d|%3.0d|" 0 0 }}', '|   |'],
  [
    '{{ printf "%.3g %.3g %.3g %g %G" 12345.0 1200.0 0.00001234 1e21 1e-7 }}',
    '1.23e+04 1.2e+03 1.23e-05 1e+21 1E-07',
  ],
  ['{{ printf "%.0e %.1e %.0f %.0f" 2.5 0.25 2.5 3.5 }}', '2e+00 2.5e-01 2 4'],
  ['{{ printf "%+v %+d %+g" 3 3 2.5 }}', '3 +3 +2.5'],
  ['{{ printf "%08.2f|%-8.2f|%+08.2f|% f" -1.5 1.5 1.5 1.5 }}', '-0001.50|1.50    |+0001.50| 1.500000'],
  [
    '{{ printf "%#v %#v %#v" .a 3 (fromJson .j) }}',
    '"shop" 3 map[string]interface {}{"b":[]interface {}{1, "x", interface {}(nil)}}',
  ],
  ['{{ printf "%[2]s %[1]s" .a .n }}', '12 shop'],
  ['{{ printf "%[3]s %[x]s" .a .n }}', '%!s(BADINDEX) %!s(BADINDEX)'],
  ['{{ printf "%*d|%-*s|%.*f" 5 3 6 .a 1 2.55 }}', '    3|shop  |2.5'],
  ['{{ printf "%*d" .a 3 }}', '%!(BADWIDTH)3'],
  ['{{ printf "%s %" .a }}', 'shop %!(NOVERB)'],
  ['{{ printf "%6v|%-6v|%06v" .a true 7 }}', '  shop|true  |000007'],
  ['{{ printf "%T|%10T|" .a 1 }}', 'string|       int|'],
  ['{{ printf "%s" (fromJson .j) }}', 'map[b:[%!s(float64=1) x <nil>]]'],
  ['{{ slice .a 1 }} {{ slice .a 1 3 }} {{ slice .a 4 }}|', 'hop ho |'],
  ['{{ urlquery "a!(b)*\'c\' ~" }}', 'a%21%28b%29%2A%27c%27+~'],
  ['{{ js .u }}', '\\u2028\\u0001é'],
  ['{{ regexReplaceAll "o" .a "<$é>" }}', 'sh<>p'],
  ['{{ (fromJson .e).x }} {{ (fromJson .e).x.y }}', '<no value> <no value>'],
  ['{{ .a | }}{{ (.a |) }}{{ and .a | }}', 'shopshopshop'],
  ['{{- /* aside */ -}} {{ .a }}{{/* }} */}}', 'shop'],
  ['{{ 017 }} {{ 0b11 }} {{ 0o17 }} {{ -0x1F }} {{ 1_0 }} {{ +5 }} {{ .5 }}', '15 3 15 -31 10 5 0.5'],
  ["{{ '\\'' }} {{ '}' }}{{ `}}` }}", '39 125}}'],
  ['{{ $x := 0 }}{{ range $x = fromJson "[1,2]" }}{{ end }}{{ $x }}', '2'],
  ['{{ if.a }}1{{ end }}{{$x:=.a}}{{$x}}', '1shop'],
  ['{{ toDate "2006-01-02" "2024-02-30" }}', '0001-01-01 00:00:00 +0000 UTC'],
  ['{{ toDate "2006-01-02 15:04" "2024-01-02 7:05" }}', '2024-01-02 07:05:00 +0000 UTC'],
  ['{{ toDate "15:04" "25:00" }}', '0001-01-01 00:00:00 +0000 UTC'],
  ['{{ toDate "MST" "UTC" }}', '0000-01-01 00:00:00 +0000 UTC'],
  ['{{ toDate "Jan 2006" "Foo 2024" }}', '0001-01-01 00:00:00 +0000 UTC'],
  ['{{ toDate "2006 002" "2024 060" }}', '2024-02-29 00:00:00 +0000 UTC'],
  ['{{ toDate "05.000" "30.5" }}', '0001-01-01 00:00:00 +0000 UTC'],
  ['{{ toDate "05 05" "10 30.25" }}', '0000-01-01 00:00:30.25 +0000 UTC'],
  [
    '{{ toDate "2006-01-02" "2024-03-09" | date "log_2006 Month Janet _2 __2 -07:00:00" }}',
    'log_2024 Month Janet  9  69 +00:00:00',
  ],
];

const mistakes: readonly (readonly [template: string, error: string])[] = [
  [
    '{{ slice .a 1 9 }}',
    'template: line:1:3: executing "line" at <slice .a 1 9>: error calling slice: index out of range: 9',
  ],
  [
    '{{ slice .e 1 2 }}',
    'template: line:1:3: executing "line" at <slice .e 1 2>: error calling slice: index out of range: 1',
  ],
  [
    '{{ slice .a 3 2 }}',
    'template: line:1:3: executing "line" at <slice .a 3 2>: error calling slice: invalid slice index: 3 > 2',
  ],
  [
    '{{ slice 5 1 }}',
    'template: line:1:3: executing "line" at <slice 5 1>: error calling slice: can\'t slice item of type int',
  ],
  [
    '{{ index .a "b" }}',
    'template: line:1:3: executing "line" at <index .a "b">: error calling index: cannot index slice/array with type string',
  ],
  [
    '{{ index (fromJson .j) 0 }}',
    'template: line:1:3: executing "line" at <index (fromJson .j) 0>: error calling index: value has type int; should be string',
  ],
  [
    '{{ eq .a }}',
    'template: line:1:3: executing "line" at <eq .a>: error calling eq: missing argument for comparison',
  ],
  ['{{ $x = 1 }}', 'template: line:1:8: executing "line" at <1>: undefined variable: $x'],
  ['{{ range $x = .a }}{{ end }}', 'template: line:1:14: executing "line" at <.a>: undefined variable: $x'],
  [
    '{{ range $i, $x := 3 }}{{ end }}',
    'template: line:1:19: executing "line" at <3>: can\'t use 3 to iterate over more than one variable',
  ],
  ['{{ $.a.b }}', 'template: line:1:4: executing "line" at <$.a.b>: can\'t evaluate field b in type string'],
  [
    '{{ or }}',
    'template: line:1:3: executing "line" at <or>: wrong number of args for or: want at least 1 got 0',
  ],
];

for (const [template, text] of rows)
  test(`${template} writes what Go writes`, () => assert.equal(run(template).text, text));

for (const [template, error] of mistakes)
  test(`${template} fails as in Go`, () => assert.equal(run(template).error, error));
