/** Tests log searches: reading an address, querying the service, and writing the address. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  composeLogQuestion,
  keyOf,
  type LogSearch,
  parseSearch,
  readLogSearch,
  searchAround,
  timeOf,
  writeSearch,
} from './search.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

const questions: readonly [string, LogSearch, Record<string, string | undefined>][] = [
  ['nothing: a day of all datasets', {}, { dataset: '*', from: '2026-02-28T12:00:00.000Z', to: undefined }],
  ['a range', { range: '1h' }, { dataset: '*', from: '2026-03-01T11:00:00.000Z', to: undefined }],
  ['a minute', { range: '1m' }, { dataset: '*', from: '2026-03-01T11:59:00.000Z', to: undefined }],
  ['a range that is none: the usual one', { range: 'x' }, { dataset: '*', from: '2026-02-28T12:00:00.000Z' }],
  ['all time', { range: 'all', dataset: 'game' }, { dataset: 'game', from: undefined, to: undefined }],
  ['a start wins over the range', { range: '1h', from: '2026-01-01' }, { dataset: '*', from: '2026-01-01' }],
  ['an end alone has no start', { to: '2026-01-02' }, { dataset: '*', from: undefined, to: '2026-01-02' }],
  ['what the box holds', { range: 'all', query: 'level:error a' }, { dataset: '*', query: 'level:error a' }],
];
for (const [name, search, expected] of questions) {
  test(`asks for ${name}`, () => {
    const plain = (value: object) => Object.entries(value).filter(([, each]) => each !== undefined);
    assert.deepEqual(plain(composeLogQuestion(search, now)).sort(), plain(expected).sort());
  });
}

test('reads only known parameters of an address', () => {
  const raw = { query: 'level:info', entry: '', page: '3', 'metadata.': 'c', q: 7, dataset: ' ' };
  assert.deepEqual(readLogSearch(raw), { query: 'level:info' });
  assert.deepEqual(readLogSearch({ dataset: '*' }), {});
});

const carried: readonly [Record<string, string>, string | undefined][] = [
  [{ level: 'error,loud,info' }, 'level:(info,error)'],
  [{ level: 'debug,info,warn,error' }, undefined],
  [{ resource: 'my shop', 'metadata.pos.x': '7', q: 'door "a b"' }, 'resource:"my shop" pos.x:7 door "a b"'],
  [{ 'metadata.level': 'a*', 'metadata.metadata.x': '' }, 'metadata.level:"a*"'],
  [{ query: 'bread', q: 'bread' }, 'bread'],
  [{ query: 'a OR b', level: 'warn' }, '(a OR b) level:warn'],
  [{ query: 'a (', resource: 'core' }, 'a ( resource:core'],
  [{ q: 'OR -b x:y' }, '"OR" "-b" "x:y"'],
];
for (const [raw, query] of carried) {
  test(`the old address ${JSON.stringify(raw)} searches for ${query}`, () => {
    assert.deepEqual(readLogSearch(raw), query === undefined ? {} : { query });
  });
}

for (const from of ['2026-11-22', '2026-11-22T', '2026-11-22T09:30', '2026-11-22T09:30:00', 'soon']) {
  test(`the time ${from}, which the service would refuse, is left out`, () => {
    const to = '2026-11-22T09:30:00.25+01:00';
    assert.deepEqual(readLogSearch({ from, to }), { to });
  });
}

test('a search survives being written and read', () => {
  const search = { query: 'übung:"a&b=c 100%" ', range: '1h' };
  assert.deepEqual(parseSearch(writeSearch(search)), search);
});

test('the open entry and Live are no part of the search', () => {
  assert.equal(keyOf({ query: 'x', entry: 'abc', live: '1' }), keyOf({ query: 'x' }));
});

test('nothing is followed to an end', () => {
  const to = '2026-11-22T09:30:00Z';
  assert.deepEqual(readLogSearch({ live: '1', to }), { to });
  assert.deepEqual(readLogSearch({ live: '1', from: to }), { live: '1', from: to });
});

test('shows the entries of the same dataset around a moment, without the query', () => {
  const entry = { traceId: '019cc1221c007007b695180053f43664', timestamp: '2026-03-06T03:12:44.032007Z' };
  assert.equal(timeOf(entry.traceId), entry.timestamp);
  assert.equal(timeOf('cut off'), null);
  assert.deepEqual(searchAround({ dataset: 'game', query: 'x', range: '7d', live: '1' }, entry), {
    dataset: 'game',
    from: '2026-03-06T03:07:44.032Z',
    to: '2026-03-06T03:17:44.032Z',
    entry: entry.traceId,
  });
});
