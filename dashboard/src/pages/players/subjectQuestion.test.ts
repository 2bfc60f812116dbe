/** Tests that queries for a player stay within the limits, however many ids and paths there are. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { parseFileQuery, parseQuery } from '@tapedeck/log-query-language';
import type { SubjectKind } from '../../queries/subjects.ts';
import { findMoment } from '../logs/entry/entryMoment.ts';
import { composeTimelineFilters, listAskedIds } from './subjectQuestion.ts';

const name = (word: string, count: number) => Array.from({ length: count }, (_, index) => `${word}${index}`);
const makeKind = (idPaths: string[]): SubjectKind => ({ kind: 'player', idPaths, namePaths: [] });
const makeSubject = (id: string, idPaths: string[], otherIds: string[] = []) => ({
  id,
  idPaths,
  otherIds,
  identifiers: [],
});

describe('the service accepts a query for', () => {
  const long = 'license:'.padEnd(200, 'f');
  const paths = name('some.path.of.an.entry.', 30);
  const awkward = ['"', '\\', '😀'.repeat(60), 'a OR b', '*', '(', ' '];
  const rows: [title: string, id: string, paths: string[], others: string[]][] = [
    ['one id at one path', '43', ['player.id'], []],
    ['an id at thirty paths', '43', paths, []],
    ['a long id at thirty paths', long, paths, []],
    ['the maximum number of ids at thirty paths', '43', paths, name('steam:', 20)],
    ['long ids at two paths', long, ['player.id', 'citizenid'], name(long, 20)],
    ['ids with operators of the query language', '"\\"', ['a b', 'level', 'metadata.x', '"'], awkward],
  ];
  for (const [title, id, idPaths, others] of rows)
    it(title, () => {
      const kind = makeKind(idPaths);
      const subject = makeSubject(id, idPaths, others);
      const narrowed = composeTimelineFilters(kind, subject, { resource: 'r'.repeat(256), rows: 'image' });
      for (const parse of [parseQuery, parseFileQuery]) parse(narrowed.query);
      assert.ok(listAskedIds(kind, subject).includes(id));
      const metadata = Object.fromEntries(idPaths.map((path, index) => [path, [id, ...others][index] ?? id]));
      const moment = findMoment([kind], { metadata, timestamp: '2026-01-01T00:00:00Z' });
      assert.ok(moment);
      for (const parse of [parseQuery, parseFileQuery]) parse(moment.query);
    });
});

test('combines several ids at one path into one term', () => {
  const kind = makeKind(['player.id', 'citizenid']);
  const subject = makeSubject('43', ['player.id'], ['C1', '44']);
  const identifiers = [
    { path: 'citizenid', value: 'C1', firstSeenAt: '', lastSeenAt: '' },
    { path: 'player.id', value: '44', firstSeenAt: '', lastSeenAt: '' },
  ];
  const { query } = composeTimelineFilters(kind, { ...subject, identifiers }, {});
  assert.equal(query, '(player.id:("43","44") OR citizenid:"C1")');
  assert.deepEqual(listAskedIds(kind, { ...subject, identifiers }), ['43', 'C1', '44']);
});

test('looks for files around an entry by its own paths first, then by other paths of the kind', () => {
  const kinds = [makeKind(['player.id', 'citizenid']), makeKind(['plate'])];
  const metadata = { 'player.id': '43', plate: 'X 1', other: '7' };
  const moment = findMoment(kinds, { metadata, timestamp: '2026-01-01T00:00:00Z' });
  assert.equal(moment?.query, '(player.id:"43" OR plate:"X 1" OR citizenid:"43")');
  assert.equal(findMoment(kinds, { metadata: { other: '7' }, timestamp: '2026-01-01T00:00:00Z' }), null);
});
