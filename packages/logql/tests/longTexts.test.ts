/** Tests that queries, lines and values of labels take time in proportion to their length: strangers write the lines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePipeline, formatLogql, parseForPrinting, parseLogql } from '@tapedeck/logql';

const msMax = 1_000; // some ten on an idle machine; any of these texts once took several seconds
const ofQuery = 100_000; // characters; a query may have 131,071
const ofLine = 60_000; // a line may have 65,536
const digits = '1'.repeat(ofLine);

function requireQuick(work: () => unknown): void {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  const tookMs = (user + system) / 1_000;
  assert.ok(tookMs < msMax, `took ${tookMs} ms`);
}

const mistakes: readonly [title: string, query: string, mistake: RegExp][] = [
  ['digits before half a duration', `${'1'.repeat(ofQuery)}n`, /value out of range/],
  ['digits before half a size', `${'1'.repeat(ofQuery)}B.`, /value out of range/],
  ['digits and commas', `{a="b"} | x > ${'1'.repeat(ofQuery)}.1.1B`, /value out of range/],
  ['open comments', `{a="b"} | line_format \`{{ ${'/* '.repeat(ofQuery / 3)}\``, /at most 2000 words/],
  ['open texts', `{a="b"} | line_format \`${'{{ "'.repeat(25_000)}\``, /at most 2000 words/],
  ['actions with open comments', `{a="b"} | line_format \`${'{{/*}}'.repeat(1_900)}\``, /unclosed comment/],
];

describe('mistakes in long queries', () => {
  for (const [title, query, mistake] of mistakes)
    test(title, () => requireQuick(() => assert.throws(() => parseLogql(query), mistake)));
});

test('prints a chain of operators, each on a separate line', () => {
  const operands = 1_900; // a query may hold 2,000 operators
  requireQuick(() => {
    const printed = formatLogql(parseForPrinting(Array(operands).fill('vector(1)').join(' + ')));
    assert.ok(printed.split('\n').length > operands);
  });
});

const sequence = '\u001b';
const lines: readonly [stages: string, line: string][] = [
  ['| logfmt | x > 5', `x=${digits}y`],
  ['| logfmt | x > 5', `x=0x${digits}y`],
  ['| logfmt | x > 5', `x=${digits}.1.1`],
  ['| logfmt | x > 5s', `x=${digits}y`],
  ['| logfmt | x > 5s', `x=${'1s'.repeat(ofLine / 2)}y`],
  ['| logfmt | x > 5KB', `x=${digits}!`],
  ['| logfmt | x > 5KB', `x="1${' '.repeat(ofLine)}!"`],
  ['| logfmt | x > 5KB', `x=${'1,'.repeat(ofLine / 2)}!`],
  ['| logfmt | line_format "{{ duration .x }}"', `x=${digits}y`],
  ['| logfmt | line_format "{{ bytes .x }}"', `x=${digits}.1.1`],
  ['|~ `(y{1,30}){1,30}z`', `z${'y'.repeat(ofLine)}`],
  ['|~ `(?:y|yy|yyy){1,300}$z`', `z${'y'.repeat(ofLine)}`],
  ['| regexp `(?P<all>(.{1,30}){1,30}z)` | all = ""', `z${'y'.repeat(ofLine)}`],
  ['| line_format `{{ regexReplaceAll "(.{1,30}){1,30}z" __line__ "" }}`', `z${'y'.repeat(ofLine)}`],
  [`| logfmt${' | label_format x=`{{ printf "%s%s" .x .x }}`'.repeat(200)}`, 'x=y'],
  ['| decolorize', sequence + ';'.repeat(ofLine)],
  ['| decolorize', `${sequence}[${'1;'.repeat(ofLine / 2)}!`],
  ['| decolorize', sequence + 'a;'.repeat(ofLine / 2)],
  ['|= ip("10.0.0.0/8")', '1.'.repeat(ofLine / 2)],
  ['|= ip("fe80::/10")', 'a:'.repeat(ofLine / 2)],
  ['| json', '{"a":'.repeat(ofLine / 5)],
  ['| json | x="y"', `{${Array.from({ length: 6_000 }, (_, index) => `"k${index}":{`).join('')}`],
  ['| unpack', `{${'"a":"b",'.repeat(ofLine / 8)}`],
  ['| logfmt', '="'.repeat(ofLine / 2)],
];

describe('long lines', () => {
  for (const [stages, line] of lines)
    test(`${stages}: ${JSON.stringify(line.slice(0, 20))}…`, () => {
      const query = parseLogql(`{a="b"} ${stages}`);
      assert.ok(query.kind === 'log');
      const pipeline = compilePipeline(query.stages, { aliases: new Map(), required: null });
      requireQuick(() => pipeline({ micros: 0, text: line, stream: [], metadata: [] })?.labels.list());
    });
});
