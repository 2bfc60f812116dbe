/** Tests the rules by which metadata paths replace values in a body, and the exceptions. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPattern } from './patterns.ts';
import { parseTemplate } from './templates.ts';

type Metadata = Readonly<Record<string, string>>;
const olga: Metadata = { 'player.name': 'Olga Jones', 'player.id': '5' };

/** Body, metadata and template. */
const tables: Readonly<Record<string, readonly [string, Metadata, string][]>> = {
  'names are known by their path': [
    ['kicked Olga Jones (5): aimbot', olga, 'kicked <player.name> (<n>): aimbot'],
    ['kicked Olga Jones (5): aimbot', {}, 'kicked Olga Jones (<n>): aimbot'],
    ['Olga Jones killed Ben', { a: 'Olga Jones', b: 'Ben' }, '<a> killed <b>'],
    ['[OOC] Ben: hi all', { who: 'Ben', text: 'hi all' }, '[OOC] <who>: <text>'],
    ['AK-47 of xX_Ben_99', { weapon: 'AK-47', name: 'xX_Ben_99' }, '<weapon> of <name>'],
    ['10.0.0.1 and fe80::1 left', { from: '10.0.0.1', to: 'fe80::1' }, '<from> and <to> left'],
  ],
  'at the bounds of words': [
    ['Ben Benny Ben_ xBen Ben2 Ben', { name: 'Ben' }, '<name> Benny Ben_ xBen <id> <name>'],
    ["Ben's car, (Ben) Ben-5", { name: 'Ben' }, "<name>'s car, (<name>) <name>-<n>"],
    ['^2Ben^7 and \u001b[31mBen\u001b[0m and §aBen§r', { name: 'Ben' }, '<name> and <name> and <name>'],
    ['玩家李明被踢出', { name: '李明' }, '玩家<name>被踢出'],
    ['[PD] Ben (1) left', { name: '[PD] Ben (1)' }, '<name> left'],
    ['ben left', { name: 'Ben' }, 'ben left'],
  ],
  'the longest one counts': [
    ['Olga Jones Team Red', { a: 'Olga Jones', b: 'Jones Team Red' }, 'Olga <b>'],
    ['Olga Jones', { a: 'Olga', b: 'Jones' }, '<a> <b>'],
    ['x Ben', { 'killer.name': 'Ben', name: 'Ben', nick: 'Ben' }, 'x <name>'],
  ],
  'some values are no names': [
    ['took 52 ms, true', { ms: '52', ok: 'true', none: 'null' }, 'took <n> ms, true'],
    ['-1.5e3 A', { n: '-1.5e3', grade: 'A' }, '<n> A'],
    ['lost: no route', { 'err.message': 'no route' }, 'lost: no route'],
    ['lost: no route', { lastError: 'no route', exceptionType: 'lost' }, 'lost: no route'],
    ['lost: no route', { merry: 'no route' }, 'lost: <merry>'],
    ['Ben', { name: 'Ben' }, 'Ben'],
    [' ^1Ben \n next', { name: 'Ben' }, 'Ben'],
    ['Ben left', { text: 'Ben left', name: 'Ben' }, '<name> left'],
  ],
  lines: [
    ['a\nBen', { name: 'Ben' }, 'a'],
    ['\n ^1 \nx Ben\nBen', { name: 'Ben' }, 'x <name>'],
    ['x Ben\nx', { name: 'Ben\nx' }, 'x Ben'],
    ['x  Ben  y', { name: ' Ben ' }, 'x <name> y'],
    [`${'a '.repeat(254)}Ben b`, { name: 'Ben' }, `${'a '.repeat(254)}…`],
  ],
  'paths are written so that a template can be read': [
    ['x Ben', { 'a<b>\\c': 'Ben' }, 'x <a\\<b\\>\\\\c>'],
    ['x Ben', { 'a\nb': 'Ben' }, 'x <a b>'],
    ['10.0.0.1 banned', { ip: '10.0.0.1' }, '<ip> banned'],
  ],
};

describe('with the metadata of an entry', () => {
  for (const [title, rows] of Object.entries(tables)) {
    test(title, () => {
      for (const [body, metadata, template] of rows)
        assert.equal(findPattern(body, metadata).template, template);
    });
  }

  test('a pattern does not depend on the order of the values', () => {
    const entries = Object.entries({ a: 'Olga', b: 'Olga Jones', c: 'Olga', d: 'Jones', e: 'kicked' });
    const body = 'kicked Olga Jones and Olga';
    const { pattern } = findPattern(body, Object.fromEntries(entries));
    assert.equal(findPattern(body, Object.fromEntries(entries.toReversed())).pattern, pattern);
  });

  test('a body takes bounded time, whatever the values are', () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 255 }, (_, index) => [`p${index}`, `${'a '.repeat(120)}${index}`]),
    );
    const start = process.cpuUsage();
    for (let times = 0; times < 100; times++) findPattern('a '.repeat(32_000), metadata);
    const { user } = process.cpuUsage(start);
    assert.ok(user < 2_000_000, `${user / 100} µs each`); // about 300 µs; comparing everything would take seconds
  });
});

/** Stored entries hold these patterns, so no version may compute others. */
test('a pattern of version 2 keeps its 16 digits', () => {
  assert.equal(
    findPattern('kicked Olga Jones (5): aimbot', olga).pattern,
    findPattern('kicked <player.name> (5): aimbot').pattern,
  );
  assert.equal(findPattern('kicked Olga Jones (5): aimbot', olga).pattern, 'cfb22353dc0eeed8');
});

test('splits a template into its parts', () => {
  const template = 'x <player.name> <CT> <n> <a\\<b\\>> <*>';
  assert.deepEqual(parseTemplate(template, ['player.name', 'a<b>']), [
    { kind: 'text', text: 'x ' },
    { kind: 'path', path: 'player.name' },
    { kind: 'text', text: ' <CT> ' },
    { kind: 'kind', name: 'n' },
    { kind: 'text', text: ' ' },
    { kind: 'path', path: 'a<b>' },
    { kind: 'text', text: ' ' },
    { kind: 'words' },
  ]);
});
