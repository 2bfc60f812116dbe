/** Links in notifications search for exactly what fired. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linkMoment } from './links.ts';
import type { Rule } from './ports/records.ts';

const at = Date.parse('2026-11-23T04:12:00Z');
const rule: Rule = {
  id: 'r',
  project: 'default',
  name: 'Errors',
  severity: 'warning',
  enabled: true,
  query: 'level:error',
  dataset: null,
  by: null,
  windowSeconds: 60,
  channels: [],
  mutedUntil: null,
  generation: 0,
  createdAt: 0,
  createdBy: '',
  condition: { kind: 'count', op: '>=', value: 3 },
};

describe('a link', () => {
  const span = { from: '2026-11-23T04:10:00.000Z', to: '2026-11-23T04:12:00.000Z' };
  const rows: [string, Partial<Rule>, string, Record<string, string>][] = [
    ['uses the query of the rule', {}, '', { query: 'level:error', dataset: '*' }],
    ['keeps its dataset', { query: '', dataset: 'game' }, '', { dataset: 'game' }],
    ['narrows to a value', { by: 'metadata.map' }, 'old "town"', { query: 'level:error map:"old \\"town\\""', dataset: '*' }],
    ['keeps terms joined by OR together', { query: 'a OR b', by: 'resource' }, 'mysql', { query: '(a OR b) resource:mysql', dataset: '*' }],
    ['narrows to a level', { query: '', by: 'level' }, 'warn', { query: 'level:warn', dataset: '*' }],
    ['narrows to a pattern', { query: '', condition: { kind: 'new_pattern' } }, 'lost <*>', { query: 'pattern:"lost <*>"', dataset: '*' }],
    ['leaves out values that are too long', { by: 'resource' }, 'x'.repeat(400), { query: 'level:error', dataset: '*' }],
  ]; // biome-ignore format: a table
  for (const [name, changes, value, expected] of rows) {
    it(name, () => {
      const url = new URL(linkMoment({ ...rule, ...changes }, { value, at }, 'https://logs.example.org'));
      assert.equal(url.origin + url.pathname, 'https://logs.example.org/projects/default/logs');
      assert.deepEqual(Object.fromEntries(url.searchParams), { ...expected, ...span });
    });
  }

  it('of a condition without entries leads to the page about it', () => {
    const link = (condition: Rule['condition']) => linkMoment({ ...rule, condition }, { value: 'a', at }, '');
    assert.equal(link({ kind: 'session_quiet' }), '/projects/default/sessions');
    assert.equal(link({ kind: 'storage', value: 90 }), '/projects/default');
  });
});
