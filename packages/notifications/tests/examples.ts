/** Events for tests: typical ones, and some with hostile texts. */
import type { MergedRulesEvent, NotificationEvent, RuleEvent } from '../src/events.ts';

const at = Date.parse('2026-11-23T04:12:00Z');
const common = {
  at,
  project: 'default',
  url: 'https://tapedeck.example.org/search?q=level%3Aerror&at=1&to=2',
};

export const fired: RuleEvent = {
  ...common,
  type: 'rule.fired',
  rule: {
    id: 'rule1',
    name: 'Server errors',
    kind: 'count',
    query: 'level:error',
    dataset: 'fxserver',
    by: null,
    condition: { op: '>=', value: 100 },
    windowSeconds: 300,
  },
  value: null,
  count: 1_164,
  firedAt: at,
  entries: [
    { at: at - 3_000, level: 'error', resource: 'es_extended', message: 'SCRIPT ERROR: nil value' },
    { at: at - 2_000, level: 'error', resource: null, message: 'second\nwith a line' },
    { at: at - 1_000, level: 'fatal', resource: 'mysql', message: 'third' },
  ],
  windows: { endAt: at, windowMs: 300_000, counts: [12, 8, 20, 33, 0, 1_164] },
};

export const merged: MergedRulesEvent = {
  ...common,
  type: 'rules.merged',
  changes: Array.from({ length: 25 }, (_, index) => ({
    type: index % 2 === 0 ? 'rule.fired' : 'rule.resolved',
    at,
    ruleId: `rule${index}`,
    ruleName: `Rule ${index}`,
    value: index % 3 === 0 ? 'a value' : null,
    count: index,
  })),
  counts: { fired: 13, resolved: 12, troubled: 0 },
  ruleIds: Array.from({ length: 25 }, (_, index) => `rule${index}`),
};

export const events: readonly NotificationEvent[] = [
  fired,
  { ...fired, type: 'rule.resolved', firedAt: at - 725_000, count: 4 },
  {
    ...fired,
    value: 'srv-1',
    rule: { ...fired.rule, by: 'metadata.server', condition: { op: '<', value: 1 } },
  },
  { ...fired, rule: { ...fired.rule, kind: 'change', condition: { value: 50, factor: 3 } } },
  {
    ...fired,
    rule: { ...fired.rule, kind: 'new_pattern', condition: {} },
    value: 'lost <*> of <*>',
    windows: null,
  },
  {
    ...fired,
    rule: { ...fired.rule, kind: 'issue', condition: {} },
    value: '00c0ffee00c0ffee',
    isReturn: true,
  },
  {
    ...fired,
    rule: { ...fired.rule, kind: 'session_quiet', condition: {} },
    value: 'fivem server 4',
    entries: [],
  },
  {
    ...fired,
    rule: { ...fired.rule, kind: 'storage', condition: { value: 80 } },
    value: 'bytes',
    count: 83.5,
  },
  { ...common, type: 'rule.troubled', rule: fired.rule, trouble: 'There is no field metadata.gone.' },
  merged,
  { ...common, type: 'channel.test', channel: 'ops' },
  { ...common, type: 'file.created', file: { id: 'abc', name: 'a.png', sizeBytes: 5, metadata: { a: 1 } } },
  { ...common, type: 'file.deleted', file: { id: 'abc' } },
  { ...common, type: 'session.opened', session: { id: 's1', resource: 'tapedeck' } },
  { ...common, type: 'session.ended', session: { id: 's1', resource: 'tapedeck' } },
];

const hostileTexts = [
  '@everyone <@123> <!channel> <#1> **bold** _x_ ~~y~~ ||z|| > q # h [a](https://evil.example) https://evil.example',
  '```\n```js\n`a``b```c````\n',
  '<script>alert(1)</script> &amp; "quotes" \'single\' <img src="https://evil.example/x.png">',
  'a\r\nBcc: evil@example.org\r\n\r\nbody',
  '\u001b[31mred\u001b[0m ^1game \u202eturned \ud800 lone \u0000nul',
  '😀'.repeat(5_000),
  '`'.repeat(5_000),
  '*'.repeat(5_000),
  '',
];

/** Puts each hostile text into every field of each event that holds texts of others. */
export const hostileEvents: readonly NotificationEvent[] = hostileTexts.flatMap(text => [
  {
    ...fired,
    project: text,
    value: text,
    rule: { ...fired.rule, name: text, query: text, dataset: text, by: text },
    entries: fired.entries.map(entry => ({ ...entry, level: text, resource: text, message: text })),
  },
  { ...common, type: 'rule.troubled', rule: { ...fired.rule, name: text }, trouble: text },
  { ...merged, changes: merged.changes.map(change => ({ ...change, ruleName: text, value: text })) },
  { ...common, type: 'channel.test', channel: text },
  { ...common, type: 'file.created', file: { name: text, [text]: text } },
  { ...fired, url: `https://tapedeck.example.org/${'x'.repeat(9_000)}` },
]);
