/** Tests the scopes that an entry's context can be narrowed to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../../../queries/logs.ts';
import { listContextScopes } from './contextScopes.ts';

const entry: LogEntry = {
  traceId: '1',
  parentId: '',
  timestamp: '',
  dataset: 'game',
  level: 'info' as const,
  body: '',
  pattern: '',
  resource: '',
  metadata: {},
};

const rows: readonly (readonly [string, Partial<LogEntry>, Record<string, string>, string[]])[] = [
  ['nothing shared', {}, { ms: '7' }, []],
  ['its resource', { resource: 'my shop' }, {}, ['resource:"my shop"']],
  [
    'server and player',
    { resource: 'maps' },
    { 'player.name': 'Ada', ms: '7', 'player.id': '43', server: 'eu-1', player_note: 'x' },
    ['resource:maps', 'server:eu-1', 'player.name:Ada', 'player.id:43'],
  ],
  ['empty values', {}, { server: '', 'player.id': '' }, []],
];

for (const [name, own, metadata, queries] of rows) {
  test(name, () => {
    const scopes = listContextScopes({ ...entry, ...own, metadata });
    assert.deepEqual(
      scopes.map(({ value }) => value),
      ['', ...queries],
    );
  });
}

test('shortens a long value in the menu but searches for all of it', () => {
  const [, scope] = listContextScopes({ ...entry, resource: 'r'.repeat(200) });
  assert.equal(scope?.label, `Only resource ${'r'.repeat(40)}…`);
  assert.equal(scope?.value, `resource:${'r'.repeat(200)}`);
});
