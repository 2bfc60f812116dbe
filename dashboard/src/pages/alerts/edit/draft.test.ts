/** Tests converting the form's fields to a rule and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '../../../queries/rules.ts';
import { beginDraft, draftOf, proposeName, readQuestion, writeRule } from './draft.ts';
import { readNewRule } from './newRule.ts';

const rule: Rule = {
  id: 'r',
  name: 'Errors',
  severity: 'critical',
  warnings: [],
  enabled: true,
  kind: 'count',
  query: 'level:error',
  dataset: 'game',
  by: 'resource',
  condition: { op: '<', value: 3 },
  windowSeconds: 86_400,
  channels: ['c'],
  mutedUntil: null,
  state: 'quiet',
  firing: [],
  crowded: false,
  trouble: null,
  lastFiredAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  createdBy: 'user a',
};

const rules: readonly Partial<Rule>[] = [
  {},
  { condition: { op: '>=', value: 100 }, windowSeconds: 90, by: null },
  { kind: 'change', condition: { value: 5, factor: 2.5 }, windowSeconds: 300 },
  { kind: 'new_pattern', condition: {}, by: null, windowSeconds: 300 },
  { kind: 'issue', condition: {}, by: null, windowSeconds: 300 },
  { kind: 'session_quiet', condition: {}, by: null, query: '', dataset: null, windowSeconds: 60 },
  { kind: 'storage', condition: { value: 80.5 }, by: null, query: '', dataset: null, windowSeconds: 60 },
];
for (const changes of rules) {
  const whole = { ...rule, ...changes };
  test(`keeps a ${whole.kind} rule over ${whole.windowSeconds} s unchanged`, () => {
    const { name, severity, channels, kind, query, dataset, by, condition, windowSeconds } = whole;
    const expected = { name, severity, channels, kind, query, dataset, by, condition, windowSeconds };
    assert.deepEqual(writeRule(draftOf(whole)), expected);
  });
}

test('reads the known parameters of an address and proposes the missing ones', () => {
  const search = readNewRule({ want: 'few', query: 'tick', page: '3', value: 7, by: '' });
  assert.deepEqual(search, { want: 'few', query: 'tick' });
  const draft = beginDraft(search, ['c']);
  assert.deepEqual([draft.value, draft.channels], ['1', ['c']]);
  assert.equal(writeRule(draft).name, 'Few entries: tick');
  assert.equal(beginDraft({ want: 'loud' }, []).want, 'many');
});

test('omits fields that a kind does not accept and restores them with another kind', () => {
  const draft = { ...beginDraft({ query: 'tick', by: 'resource' }, []), want: 'quiet' as const };
  assert.deepEqual(readQuestion(draft), {
    kind: 'session_quiet',
    condition: {},
    query: '',
    dataset: null,
    by: null,
    windowSeconds: 300,
  });
  assert.equal(readQuestion({ ...draft, want: 'many' }).by, 'resource');
});

for (const [query, dataset, name] of [
  ['', '', 'Many entries'],
  ['', 'game', 'Many entries in game'],
  ['level:error', 'game', 'Many errors'],
  ['level:error kicked', '', 'Many errors: kicked'],
  ['level:(warn,error) kicked', '', 'Many entries: level:(warn,error) kicked'],
  ['player.id:43', '', 'Many entries: player.id:43'],
  [`"${'👾'.repeat(80)}"`, '', `Many entries: "${'👾'.repeat(44)}…`],
] as const) {
  test(`names a rule about “${query}” ${name}`, () =>
    assert.equal(proposeName({ ...draftOf(rule), want: 'many', query, dataset }), name));
}
