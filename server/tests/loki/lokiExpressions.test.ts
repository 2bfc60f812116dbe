/** Tests that line filters, selectors and parsers find the same with an expression. The store and the evaluation each use another library. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { at, openLoki } from './lokiEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { store, list } = await openLoki(service);
const texts = ['abc', 'Ωmega', '42', '東京', 'x{41}', 'A-B', '\u0378', '\\pN', '[a]'];
await store(
  texts.map((message, index) => ({
    level: 'info',
    message,
    metadata: { word: message },
    timestamp: at(index),
  })),
  'words',
);

const rows: readonly [expression: string, found: readonly string[]][] = [
  ['\\p{greek}', ['Ωmega']],
  ['^\\p{Letter}+$', ['abc', 'Ωmega', '東京']],
  ['\\P{ASCII}', ['Ωmega', '東京', '\u0378']],
  ['^\\p{ascii}+$', ['abc', '42', 'x{41}', 'A-B', '\\pN', '[a]']],
  ['^\\P{LC}+$', ['42', '東京', '\u0378']],
  ['\\p{Cn}', ['\u0378']],
  ['^[\\p{Assigned}]{2}$', ['42', '東京']],
  ['\\x{41}', ['A-B']],
  ['\\x{3a9}', ['Ωmega']],
  ['\\Q{41}\\E', ['x{41}']],
  ['\\Q\\pN\\E', ['\\pN']],
  ['\\pn', ['42', 'x{41}']],
  ['[]\\p{ASCII}]\\z', ['abc', 'Ωmega', '42', 'x{41}', 'A-B', '\\pN', '[a]']],
  ['(?i)ab|ÜBER|ΩM', ['abc', 'Ωmega']],
  ['(?U)^a.*(?P<n>b)(?P<m>c?)', ['abc']],
  ['(?P<n>a)(?P<n>b)', ['abc']],
];

const find = async (query: string) => (await list(query)).map(([, line]) => line).toSorted();

describe('finds by', () => {
  for (const [expression, found] of rows)
    it(expression, async () => {
      const quoted = JSON.stringify(expression);
      const whole = JSON.stringify(`.*(?:${expression}).*`);
      for (const query of [
        `{dataset="words"} |~ ${quoted}`,
        `{dataset="words"} | line_format "{{ .word }}" |~ ${quoted}`,
        `{dataset="words", word=~${whole}}`,
        `{dataset="words"} | word =~ ${whole}`,
      ])
        assert.deepEqual(await find(query), found.toSorted(), query);
    });
});
