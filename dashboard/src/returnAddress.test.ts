/** Tests that sign-in returns to the wanted page, and never to another site. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReturnAddress } from './returnAddress.ts';

for (const [back, leadsTo] of [
  [undefined, '/'],
  ['/projects/default/tokens?a=1#b', '/projects/default/tokens?a=1#b'],
  ['//elsewhere.example', '/'],
  ['/\\elsewhere.example', '/'],
  ['/\t/elsewhere.example', '/'],
  ['https://elsewhere.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['http://', '/'],
] as const) {
  test(`back=${JSON.stringify(back)} leads to ${leadsTo}`, () => {
    assert.equal(readReturnAddress(back, 'https://tapedeck.example'), leadsTo);
  });
}
