/** Tests the sentences that describe rules. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRule, type RuleQuestion } from './ruleSummary.ts';

const blank: RuleQuestion = {
  kind: 'count',
  query: '',
  dataset: null,
  by: null,
  condition: { op: '>=', value: 10 },
  windowSeconds: 300,
};

const rows: readonly [string, Partial<RuleQuestion>][] = [
  ['10 or more entries in 5 minutes', {}],
  ['10 or more entries that match `level:error` in 5 minutes', { query: 'level:error' }],
  [
    'an entry that matches `crash` in 1 minute',
    { query: 'crash', condition: { op: '>=', value: 1 }, windowSeconds: 60 },
  ],
  [
    'no entry in the dataset `game` in 1 day',
    { dataset: 'game', condition: { op: '<', value: 1 }, windowSeconds: 86_400 },
  ],
  ['fewer than 1,000 entries in 90 seconds', { condition: { op: '<', value: 1000 }, windowSeconds: 90 }],
  [
    '5 or more entries in 5 minutes, 2.5× as many as in the previous 5 minutes, for each `resource`',
    { kind: 'change', by: 'resource', condition: { value: 5, factor: 2.5 } },
  ],
  ['a new pattern among entries that match `door`', { kind: 'new_pattern', query: 'door', condition: {} }],
  [
    'a new or returning issue among errors that match `door`',
    { kind: 'issue', query: 'door', condition: {} },
  ],
  ['a game server that stops reporting', { kind: 'session_quiet', condition: {} }],
  ['80 % of a quota in use', { kind: 'storage', condition: { value: 80 } }],
];

for (const [sentence, rule] of rows) {
  test(sentence, () => {
    const pieces = describeRule({ ...blank, ...rule });
    assert.equal(pieces.map(({ text, isCode }) => (isCode ? `\`${text}\`` : text)).join(''), sentence);
  });
}
