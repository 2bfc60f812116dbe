/** Tests that long rows are read as JSON.parse reads them, and that a broken one is an error. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseLongRow } from './longRowParsing.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('"', '\\', '\u0001', 'x', ']', '}', ','), { maxLength: 30 })
    .map(parts => parts.join('')),
);
const value = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(text, { maxLength: 5 }),
  fc.dictionary(text, text, { maxKeys: 5, noNullPrototype: true }),
  fc.constant(null),
);

test('a row is what JSON.parse reads, with blanks or without', async () => {
  const property = fc.asyncProperty(fc.array(value), fc.constantFrom(undefined, 1), async (row, blanks) => {
    const line = JSON.stringify(row, null, blanks);
    assert.deepEqual(await parseLongRow(line), JSON.parse(line));
  });
  await fc.assert(property, { numRuns: 300 });
});

for (const broken of ['', '[', '[1,', '["a', '["a\\"', '["a\\\\\\"]', '[{"a"', '[{"a":', '[:]', '{"a":1'])
  test(`${broken} is an error`, () => assert.rejects(parseLongRow(broken), SyntaxError));
