/** Tests finding values that all entries share; a single different entry shows them all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSharedFields } from './sharedFields.ts';

const entry = {
  traceId: '0192e4b2a0007abc8def0123456789ab',
  parentId: '',
  timestamp: '2026-01-02T03:04:05.000000Z',
  dataset: 'game',
  level: 'info',
  resource: 'shop',
  body: 'Bread sold',
  pattern: '0000000000000001',
  metadata: { server: 'eu-1', level: 'deep' },
} as const;
const twenty = Array.from({ length: 20 }, () => entry);
const all = [
  ['resource', 'shop'],
  ['server', 'eu-1'],
  ['metadata.level', 'deep'],
];

for (const [name, entries, dataset, pairs] of [
  ['no entry', [], true, []],
  ['too few', twenty.slice(1), true, []],
  ['all alike', twenty, true, all],
  ['another dataset', [...twenty, { ...entry, dataset: 'web' }], false, all],
  ['another resource', [...twenty, { ...entry, resource: '' }], true, all.slice(1)],
  ['no resource', twenty.map(each => ({ ...each, resource: '' })), true, all.slice(1)],
  [
    'another value',
    [...twenty, { ...entry, metadata: { server: 'us-1', level: 'deep' } }],
    true,
    [all[0], all[2]],
  ],
  ['no metadata', [...twenty, { ...entry, metadata: {} }], true, all.slice(0, 1)],
  ['a value more', [...twenty, { ...entry, metadata: { ...entry.metadata, map: 'x' } }], true, all],
] as const) {
  test(name, () => {
    const shared = findSharedFields(entries);
    assert.deepEqual(shared.pairs, pairs);
    assert.equal(shared.dataset, dataset);
    assert.equal(
      shared.resource,
      pairs.some(pair => pair?.[0] === 'resource'),
    );
    assert.equal(
      shared.paths.has('server'),
      pairs.some(pair => pair?.[0] === 'server'),
    );
  });
}
