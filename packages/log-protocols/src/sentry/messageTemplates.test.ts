/** Tests messages that SDKs send as a template with parameters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeMessage } from './messageTemplates.ts';

const rows: readonly [template: string, params: unknown, message: string][] = [
  ['%s paid %d%% of %s', ['Anna', 50, { a: 1 }], 'Anna paid 50% of {"a":1}'],
  ['{} and {}, {1} {0}', ['a', 'b'], 'a and b, b a'],
  ['%s %s', ['a'], 'a %s'],
  ['{who} %(what)s {}', { who: 'Ben', what: 'left' }, 'Ben left {}'],
  ['100% {x} %s', undefined, '100% {x} %s'],
  ['%s', 'text', '%s'],
  ['{length} {constructor}', ['a'], '{length} {constructor}'],
  ['%s', [null], ''],
];

for (const [template, params, message] of rows)
  test(`${template} with ${JSON.stringify(params)}`, () =>
    assert.equal(composeMessage(template, params), message));

test('inserts little more than a body holds', () => {
  const composed = composeMessage('{0}'.repeat(100_000), ['x'.repeat(60_000)]);
  assert.ok(composed.length < 500_000, String(composed.length));
});
