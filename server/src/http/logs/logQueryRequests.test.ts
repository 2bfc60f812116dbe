/** Query strings of the log routes, valid and rejected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layOutBuckets } from '@tapedeck/domain/logs/search/buckets';
import { readFacetField } from '@tapedeck/domain/logs/search/counts';
import { createCursorSigner, readPageRequest } from '@tapedeck/domain/logs/search/pages';
import { composeFilter } from '@tapedeck/domain/logs/search/searchFilter';
import type { ServiceError } from '@tapedeck/domain/vocabulary';
import { allOf, type Condition, everything, parseQuery } from '@tapedeck/log-query-language';
import type { QueryParameters } from '../queryParameters.ts';
import { readBuckets, readEntries, readPage } from './logQueryRequests.ts';

const target = { project: { slug: 'one' }, headerDataset: undefined, scopes: { datasets: null } };
const seal = createCursorSigner('a secret of some length');
const traceId = '019b7c3b8a2371c89234567890abcdef';
const second = 1_000_000;
const newYear = Date.UTC(2026, 0, 1) * 1000;

type Target = Parameters<typeof composeFilter>[0] & { headerDataset: string | undefined };

const readLogFilter = (from: Target, parameters: QueryParameters) =>
  composeFilter(from, readEntries(parameters, from.headerDataset));
const readLogPage = (parameters: QueryParameters) => {
  const paging = readPage(parameters);
  return { page: readPageRequest(paging, seal), includeTotal: paging.includeTotal };
};

const asks = (text: string) => parseQuery(text) ?? everything;
const content = (text: string): Condition => ({ kind: 'content', text });

const filters: [string, QueryParameters, object][] = [
  ['an empty query selects the default dataset', {}, { datasets: ['default'], condition: everything }],
  ['a star selects all datasets', { dataset: '*' }, { datasets: null }],
  ['one level', { level: 'error' }, { condition: asks('level:error') }],
  ['levels with spaces and duplicates', { level: 'warn, error,warn' }, { condition: asks('level:(warn,error)') }],
  ['levels in two keys', { level: ['warn', 'error'] }, { condition: asks('level:(warn,error)') }],
  ['words are folded and deduplicated', { body: ' Straße  GRÜN grün ' }, { condition: asks('body:straße body:grün') }],
  ['a phrase is one term', { body: '"connection  reset" peer' }, { condition: asks('body:"connection  reset" body:peer') }],
  ['an unclosed quote runs to the end', { q: 'a "b c' }, { condition: allOf([content('a'), content('b c')]) }],
  ['a quote inside a word is literal', { body: 'say"hi' }, { condition: asks('body:say"hi') }],
  ['an empty phrase is ignored', { body: '"" "' }, { condition: everything }],
  ['wildcards are literal', { body: '100% a_b \\' }, { condition: asks('body:100% body:a_b body:\\') }],
  ['empty texts count as absent', { body: '', q: '', resource: '', parentId: '' }, { condition: everything }],
  ['metadata', { 'metadata.pos.x': '1' }, { condition: asks('pos.x:1') }],
  ['metadata twice', { 'metadata.a': ['1', '2'] }, { condition: asks('a:1 a:2') }],
  ['an empty metadata value is a filter', { 'metadata.a': '' }, { condition: asks('a:""') }],
  ['instants with offsets', { from: '2026-01-01T01:00:00+01:00' }, { fromMicros: newYear }],
  ['a plus sign decoded as a space', { from: '2026-01-01T01:00:00 01:00' }, { fromMicros: newYear }],
  ['microseconds', { to: '2026-01-01T00:00:00.000001Z' }, { toMicros: newYear + 1 }],
  ['unknown keys', { colour: 'red', constructor: 'x' }, { datasets: ['default'] }],
]; // biome-ignore format: a table

for (const [name, parameters, expected] of filters) {
  test(name, () => assert.partialDeepStrictEqual(readLogFilter(target, parameters), expected));
}

const refused: [string, QueryParameters][] = [
  ['level', { level: 'fatal' }],
  ['level', { level: 'Error' }],
  ['level', { level: '' }],
  ['from', { from: 'yesterday' }],
  ['from', { from: '2026-02-30T00:00:00Z' }],
  ['to', { to: '' }],
  ['dataset', { dataset: 'a b' }],
  ['dataset', { dataset: "'; DROP TABLE logs" }],
  ['body', { body: Array.from({ length: 65 }, (_, index) => index).join(' ') }],
  ['limit', { limit: '0' }],
  ['limit', { limit: '-1' }],
  ['limit', { limit: '1.5' }],
  ['limit', { limit: 'ten' }],
  ['offset', { offset: '-1' }],
  ['order', { order: 'up' }],
  ['includeTotal', { includeTotal: 'perhaps' }],
  ['cursor', { cursor: 'made-up' }],
  ['cursor', { cursor: seal.encode(traceId), offset: '0' }],
  ['interval', { interval: '0s' }],
  ['interval', { interval: '5 minutes' }],
  ['interval', { interval: '1h', buckets: '5' }],
  ['buckets', { buckets: '0' }],
  ['field', { field: 'body' }],
];

for (const [field, parameters] of refused) {
  test(`rejects and names ${JSON.stringify(parameters).slice(0, 60)}`, () => {
    const read = () => {
      readLogFilter(target, parameters);
      readLogPage(parameters);
      readBuckets(parameters);
      if (field === 'field') readFacetField(String(parameters.field));
    };
    assert.throws(read, (error: ServiceError) => {
      assert.equal(error.code, parameters.cursor === 'made-up' ? 'cursor_invalid' : 'invalid_field');
      assert.match(error.message, new RegExp(`^(Send either )?${field}\\b`));
      return true;
    });
  });
}

test('a token restricted to datasets', () => {
  const narrowed = { ...target, headerDataset: 'game', scopes: { datasets: new Set(['game', 'audit']) } };
  assert.deepEqual(readLogFilter(narrowed, {}).datasets, ['game']);
  assert.deepEqual(readLogFilter(narrowed, { dataset: '*' }).datasets, ['game', 'audit']);
  assert.throws(() => readLogFilter(narrowed, { dataset: 'other' }), { code: 'scope_missing' });
});

test('the query parameter wins over the header', () => {
  const withHeader = { ...target, headerDataset: 'game' };
  assert.deepEqual(readLogFilter(withHeader, {}).datasets, ['game']);
  assert.deepEqual(readLogFilter(withHeader, { dataset: 'audit' }).datasets, ['audit']);
  assert.deepEqual(readLogFilter({ ...target, headerDataset: '' }, {}).datasets, ['default']);
});

test('pages have a default and a maximum size', () => {
  const page = { order: 'desc', limit: 50, offset: 0, after: null };
  assert.deepEqual(readLogPage({}), { page, includeTotal: false });
  const paging = { limit: '1000', offset: '99999999999999999999', order: 'ASC', includeTotal: 'TRUE' };
  assert.deepEqual(readLogPage(paging), {
    page: { order: 'asc', limit: 100, offset: Number.MAX_SAFE_INTEGER, after: null },
    includeTotal: true,
  });
});

test('a cursor sets the entry after which a page begins', () => {
  assert.equal(readLogPage({ cursor: seal.encode(traceId) }).page.after, traceId);
});

test('intervals are aligned to the epoch and cover both ends', () => {
  const span = { fromMicros: newYear + 90 * second, toMicros: newYear + 180 * second };
  assert.deepEqual(layOutBuckets(readBuckets({ interval: '1m' }), span), {
    startMicros: newYear + 60 * second,
    intervalMicros: 60 * second,
    count: 3,
  });
  assert.throws(() => layOutBuckets(readBuckets({ interval: '1s' }), { fromMicros: 0, toMicros: newYear }), {
    code: 'invalid_field',
  });
});

test('a number of buckets divides the range', () => {
  const span = { fromMicros: newYear, toMicros: newYear + 60 * second - 1 };
  assert.deepEqual(layOutBuckets(readBuckets({ buckets: '60' }), span), {
    startMicros: newYear,
    intervalMicros: second,
    count: 60,
  });
  const moment = { fromMicros: newYear, toMicros: newYear };
  assert.equal(layOutBuckets(readBuckets({}), moment).intervalMicros, 1);
});
