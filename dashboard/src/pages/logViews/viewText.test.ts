/** Tests how the list of saved views describes their searches. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSearch } from '../logs/search.ts';
import { describeLook } from './viewText.ts';

for (const [query, words] of [
  ['', ['Last 24 hours']],
  ['query=level:error&range=7d&chart=count&by=map', ['Last 7 days', 'Chart: Entries by map']],
  ['dataset=game&range=all&chart=p95&of=ms', ['Dataset game', 'All time', 'Chart: p95 of ms']],
  ['tab=patterns&range=nonsense', ['Last 24 hours', 'Patterns']],
  ['columns=player.name,ms&order=asc', ['Last 24 hours', 'Columns: player.name, ms', 'Oldest first']],
] as const) {
  test(`describes ?${query}`, () => assert.deepEqual(describeLook(parseSearch(query), 'utc'), words));
}

test('describes absolute times', () => {
  const [words = ''] = describeLook(parseSearch('from=2020-03-02T10:00:00Z'), 'utc');
  assert.match(words, /^Since .*2020/);
});
