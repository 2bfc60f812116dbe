/** Tests labels that two places give the same name: the stream, metadata, parsers and stages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePipeline, type Label, parseLogql } from '@tapedeck/logql';

type Labels = Readonly<Record<string, string>>;
type Entry = { stream?: Labels; metadata?: Labels; line: string };

/** Returns all labels behind the stages; null if a filter drops the line. */
function run(stages: string, { stream = {}, metadata = {}, line }: Entry): Labels | null {
  const query = parseLogql(`{job="x"} ${stages}`);
  assert.ok(query.kind === 'log');
  const list = (labels: Labels): Label[] => Object.entries(labels);
  const pipeline = compilePipeline(query.stages, { aliases: new Map(), required: null });
  const processed = pipeline({ micros: 0, text: line, stream: list(stream), metadata: list(metadata) });
  return processed && Object.fromEntries(processed.labels.list());
}

const user = { metadata: { user: 'm' }, line: '{"user":"ann"}' };
const pod = { stream: { pod: 's' }, line: '{"pod":"p"}' };
const twice = { line: '{"a":1,"b":2}' };

const rows: readonly [stages: string, entry: Entry, labels: Labels | null][] = [
  // A parser replaces neither stream labels nor metadata.
  ['| json', user, { user: 'm', user_extracted: 'ann' }],
  ['| json | user_extracted="ann" | user="m"', user, { user: 'm', user_extracted: 'ann' }],
  ['| json | user="ann"', user, null],
  ['| json', pod, { pod: 's', pod_extracted: 'p' }],
  ['| json user="user"', user, { user: 'm', user_extracted: 'ann' }],
  ['| json user="none"', user, { user: 'm' }],
  ['| logfmt', { ...user, line: 'user=ann' }, { user: 'm', user_extracted: 'ann' }],
  ['| logfmt user="name"', { ...user, line: 'name=ann' }, { user: 'm', user_extracted: 'ann' }],
  ['| logfmt user="none"', { ...user, line: 'name=ann' }, { user: 'm' }],
  ['| pattern "<user> <_>"', { ...user, line: 'ann x' }, { user: 'm', user_extracted: 'ann' }],
  ['| regexp "(?P<user>ann)"', { ...user, line: 'ann' }, { user: 'm', user_extracted: 'ann' }],
  ['| unpack', { ...user, line: '{"user":"ann","_entry":""}' }, { user: 'm', user_extracted: 'ann' }],
  // Removed metadata no longer stands in the way; a removed stream label does.
  ['| drop user | json', user, { user: 'ann' }],
  ['| keep other | json', user, { user: 'ann' }],
  ['| label_format who=user | json', user, { who: 'm', user: 'ann' }],
  ['| drop pod | json', pod, { pod_extracted: 'p' }],
  // What a stage has set, no parser sets again, even if it is gone.
  ['| label_format user="x" | json', user, { user: 'x' }],
  ['| json | regexp "(?P<a>.)"', twice, { a: '1', b: '2' }],
  ['| json | drop a | json', twice, { b: '2' }],
  ['| json | keep b | json', twice, { b: '2' }],
  ['| json | label_format a=a | json', twice, { b: '2' }],
  ['| json | drop a | unpack', { line: '{"a":"1","_entry":""}' }, { _entry: '' }],
  // Named members: the last that the line has counts, and of equal keys the first.
  ['| json x="a", x="b"', twice, { x: '2' }],
  ['| json x="a", x="b"', { line: '{"b":2,"a":1}' }, { x: '1' }],
  ['| json x="a", x="none"', twice, { x: '1' }],
  ['| json x="a.c", x="b"', { line: '{"b":2,"a":{"c":3}}' }, { x: '3' }],
  ['| json x="a"', { line: '{"a":1,"a":2}' }, { x: '1' }],
  ['| json x="a", y="a", z="a.b"', { line: '{"a":{"b":1}}' }, { x: '{"b":1}', y: '{"b":1}', z: '1' }],
  ['| json x="a[1]"', { line: '{"a":{"b":1},"a":[3, [4]]}' }, { x: '[4]' }],
  ['| json x="[1].a"', { line: '[{"a":1},{"a":2}]' }, { x: '2' }],
  // A named label has the last key, and the line's own name counts, too.
  ['| logfmt x="a", x="b"', { line: 'a=1 b=2' }, { x: '2' }],
  ['| logfmt x="a", x="none"', { line: 'a=1 b=2' }, { x: '' }],
  ['| logfmt x="a"', { line: 'a=1 x=2' }, { x: '2' }],
  // Keys that are blank, or have blanks around them.
  ['| json', { line: '{" ":{"a":1},"b":{"":2},"c":{" ":{"d":3}},"":4}' }, { a: '1', b: '2', c_d: '3' }],
  ['| json', { line: '{" 1a ":1,"b":{" 1c ":2}}' }, { _1a: '1', b_1c: '2' }],
  ['| unpack', { stream: { a_b: 's' }, line: '{"a-b":"1","_entry":""}' }, { a_b: '1' }],
];

describe('equal names', () => {
  for (const [stages, entry, labels] of rows)
    it(`${stages} of ${JSON.stringify(entry)}`, () => assert.deepEqual(run(stages, entry), labels));
});

const cut = "Value looks like object, but can't find closing '}' symbol";
const failed = { __error__: 'JSONParserErr', __error_details__: cut };
const plain = { stream: { pod: 's' }, line: 'n=five addr=10.0.0.1' };
const noNumber = {
  __error__: 'LabelFilterErr',
  __error_details__: 'strconv.ParseFloat: parsing "five": invalid syntax',
};
const found = { pod: 's', n: 'five', addr: '10.0.0.1' };

const errors: readonly [stages: string, entry: Entry, labels: Labels | null][] = [
  // Only templates, filters of `__error__`, `drop` and `keep` see errors.
  ['| json | label_format x=__error__, y=__error_details__', plain, { pod: 's', ...failed }],
  ['| json | label_format x="{{.__error__}}"', plain, { pod: 's', x: 'JSONParserErr', ...failed }],
  ['| json | __error_details__=""', plain, { pod: 's', ...failed }],
  ['| json | __error_details__!=""', plain, null],
  ['| json | __error__ > 0', plain, null],
  ['| json | keep none', plain, failed],
  ['| json | drop __error_details__=~".*closing.*"', plain, { pod: 's', __error__: 'JSONParserErr' }],
  // A label of this name is visible without an error.
  ['| logfmt | label_format __error_details__=n', plain, { pod: 's', addr: '10.0.0.1', __error_details__: 'five' }],
  ['| json | label_format __error_details__="x"', plain, { pod: 's', ...failed }],
  ['| label_format __preserve_error__="true" | keep none', plain, { __preserve_error__: 'true' }],
  // A wrong network is a mistake if it stands alone. Otherwise it holds no address, but lines with an error pass.
  ['| logfmt | addr=ip("none") or pod="s"', plain, found],
  ['| logfmt | addr!=ip("none") or pod="x"', plain, null],
  ['| logfmt | n>1 and addr=ip("none")', plain, { ...found, ...noNumber }],
  ['| logfmt | addr=ip("none") and n>1', plain, null],
  // Templates see what others of their stage set only if there was no label before.
  ['| drop pod | label_format a="x", b="{{.a}}", c="{{.b}}"', plain, { a: 'x', b: 'x', c: '' }],
  ['| label_format a="x", b="{{.a}}"', plain, { pod: 's', a: 'x', b: '' }],
]; // biome-ignore format: a table

describe('errors and labels', () => {
  for (const [stages, entry, labels] of errors)
    it(`${stages} of ${JSON.stringify(entry)}`, () => assert.deepEqual(run(stages, entry), labels));
});

const texts: readonly [stages: string, line: string, labels: Labels][] = [
  ['| json a="a"', '{"a":["x\\"y",  "\\u0041", 1]}', { a: '["x"y",  "A", 1]' }],
  ['| json a="a"', '{"a":["\\q"]}', { a: '' }],
  ['| json a="a"', '{"a":{"b":"\\u0041"}}', { a: '{"b":"\\u0041"}' }],
  ['| json a="a"', '{"a":"x\ufffdy"}', { a: 'x y' }],
  ['| json a="a"', '{"a":["\ufffd"]}', { a: '[" "]' }],
  ['| json a="a"', '{"b":{"c":1}x,"a":2}', { a: '2' }],
  ['| json a="a"', '{"a":1}rest', { a: '1' }],
  ['| json a="a"', '{"b":[{"a":1}],"c":"a","a":2}', { a: '2' }],
  ['| json a="a"', '{"a"}', { a: '' }],
  ['| json', '{"a":"\\ud800"}', { a: '' }],
  ['| json', '{"a":1,"\\x":2}', { a: '1', __error__: 'JSONParserErr', __error_details__: 'Encountered an invalid escape sequence in a string' }],
  ['| json', '{"a":1\v,"b":2}', { a: '1\v', b: '2' }],
  ['| json a="a", b="b"', '{"a":[{],"b":2}', { a: '[{]', b: '2' }],
  ['| json', '{"a":[{],"b":2}', { b: '2' }],
  ['| logfmt', 'a="\\ud800" b=1', { a: ' ', b: '1' }],
  ['| logfmt b="a \\"x\\"", c="\\"a\\""', 'a=1', { b: '', c: '1' }],
  ['| logfmt --strict', 'é=1 a==2', { _: '1', __error__: 'LogfmtParserErr', __error_details__: "logfmt syntax error at pos 8 : unexpected '='" }],
  ['| pattern "<a> <é>"', 'x <é>', { a: 'x' }],
  ['| logfmt | a > 1B', 'a=16EiB', { a: '16EiB', __error__: 'LabelFilterErr', __error_details__: 'too large: 16EiB' }],
]; // biome-ignore format: a table

describe('odd texts', () => {
  for (const [stages, line, labels] of texts)
    it(`${stages} of ${line}`, () => assert.deepEqual(run(stages, { line }), labels));
});
