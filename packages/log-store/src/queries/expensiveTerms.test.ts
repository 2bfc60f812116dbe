/** Tests that a timeout names the terms without an index, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asks } from '../../tests/randomConditions.ts';
import { LogStoreFailure } from '../failures.ts';
import { describeTimeout } from '../writer/engine/statements.ts';
import { nameExpensiveTerms } from './expensiveTerms.ts';

const rows: [string, string[]][] = [
  ['zweihander', []],
  ['nowhere3xyzzy', []],
  ['привет', []],
  ['7f3a9c0d1e', []],
  ['player.id:43', []],
  ['"the connection to nowhere"', []],
  ['ab', ['ab']],
  ['body:"=>"', ['body:"=>"']],
  ['1234', ['1234']],
  ['level:error -oxmysql', ['-oxmysql']],
  ['oxmysql latencyMs:>500', ['latencyMs:>500']],
  ['zweihander OR x1', ['x1']],
  ['player.id:*', ['player.id:*']],
  ['ab cd ef gh', ['ab', 'cd', 'ef']],
];

for (const [text, named] of rows) {
  test(`${text}: ${named.length === 0 ? 'nothing is named' : `${named.join(', ')} named`}`, () => {
    const timeout = describeTimeout();
    const error = nameExpensiveTerms(timeout, asks(text)) as Error; // the function gets an error
    if (named.length === 0) assert.equal(error, timeout);
    else
      assert.match(error.message, new RegExp(`No index leads to ${named.map(RegExp.escape).join(' or ')}:`));
  });
}

test('leaves other failures unchanged', () => {
  const away = new LogStoreFailure('engine_unavailable', 'The log engine does not answer.');
  assert.equal(nameExpensiveTerms(away, asks('ab')), away);
});
