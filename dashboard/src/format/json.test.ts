/** Tests finding JSON in a text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findJson } from './json.ts';

for (const [name, text, found] of [
  ['a whole text', '{"a":1}', { before: '', value: { a: 1 } }],
  ['the end of a text', 'bought {"a":[1,{}]} \n', { before: 'bought ', value: { a: [1, {}] } }],
  ['a list of objects', '[{"a":1}]', { before: '', value: [{ a: 1 }] }],
  [
    'an object after brackets that are not JSON',
    '[shop] {"a":"}"}',
    { before: '[shop] ', value: { a: '}' } },
  ],
  ['a list of numbers is text', 'took [1]', null],
  ['an empty object is text', 'found {}', null],
  ['invalid JSON is text', '{"a":}', null],
  ['JSON in the middle is text', '{"a":1} was sent', null],
  ['JSON over the limit is text', `{"a":"${'x'.repeat(200_000)}"}`, null],
] as const) {
  test(name, () => assert.deepEqual(findJson(text), found));
}
