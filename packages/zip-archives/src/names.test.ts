/** Tables of wanted names and the names that entries get. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openArchiveNames } from './index.ts';

/** Wanted paths, each in a separate archive. */
const names: readonly (readonly [wanted: string, assigned: string])[] = [
  ['a.png', 'a.png'],
  ['clips/2026/a.png', 'clips/2026/a.png'],
  ['Größe 🎬.mp4', 'Größe 🎬.mp4'],
  ['CON', '_CON'],
  ['con.txt', '_con.txt'],
  ['aux.tar.gz', '_aux.tar.gz'],
  ['nul .png', '_nul .png'],
  ['COM1.png', '_COM1.png'],
  ['lpt¹.png', '_lpt¹.png'],
  ['NUL.txt', '_NUL.txt'],
  ['PRN', '_PRN'],
  ['CONIN$', '_CONIN$'],
  ['CON .txt', '_CON .txt'],
  ['a/name. /b ./c', 'a/name/b/c'],
  ['console.png', 'console.png'],
  ['aux/nul/a.png', '_aux/_nul/a.png'],
  ['name.', 'name'],
  ['name. . .', 'name'],
  ['name ', 'name'],
  [' name.png', 'name.png'],
  ['..', '_'],
  ['../../etc/passwd', '_/_/etc/passwd'],
  ['...', '_'],
  ['.', '_'],
  ['', '_'],
  ['.hidden', '.hidden'],
  ['a:b?c*d"e<f>g|h.png', 'a_b_c_d_e_f_g_h.png'],
  ['a\\b.png', 'a_b.png'],
  ['a\u0000b\nc\u0085d.png', 'a_b_c_d.png'],
  ['photo\u202egnp.exe', 'photo_gnp.exe'],
  ['a\ud800b.png', 'a\ufffdb.png'],
  ['e\u0301.png', '\u00e9.png'],
  [`${'x'.repeat(200)}.png`, `${'x'.repeat(96)}.png`],
  [`${'🎬'.repeat(100)}.png`, `${'🎬'.repeat(48)}.png`],
  [`${'語'.repeat(200)}.png`, `${'語'.repeat(65)}.png`],
  [`${'x'.repeat(95)}  yz`, `${'x'.repeat(95)}  yz`],
  [`${'x'.repeat(99)} yz`, 'x'.repeat(99)],
];

for (const [wanted, assigned] of names) {
  test(`${JSON.stringify(wanted)} becomes ${JSON.stringify(assigned)}`, () => {
    assert.equal(assign(wanted), assigned);
  });
}

function assign(wanted: string, archive = openArchiveNames()): string {
  const folders = wanted.split('/');
  const name = folders.pop() ?? '';
  return archive.assign({ folders, name });
}

test('numbers names that differ only in case, normalisation or refused characters', () => {
  const archive = openArchiveNames();
  const wanted = ['a.png', 'A.PNG', 'a.png', 'b?', 'b*', 'É', 'e\u0301', 'Clips/a', 'clips/A', 'a (2).png'];
  assert.deepEqual(
    wanted.map(name => assign(name, archive)),
    [
      'a.png',
      'A (2).PNG',
      'a (3).png',
      'b_',
      'b_ (2)',
      '\u00c9',
      '\u00e9 (2)',
      'Clips/a',
      'clips/A (2)',
      'a (2) (2).png',
    ],
  );
});

test('a file and a folder never share a name', () => {
  const archive = openArchiveNames();
  const wanted = ['a', 'a/b', 'a/c', 'x/y', 'x', 'x/z'];
  assert.deepEqual(
    wanted.map(name => assign(name, archive)),
    ['a', 'a (2)/b', 'a (2)/c', 'x/y', 'x (2)', 'x/z'],
  );
});

test('the deepest path fits on Windows', () => {
  const deepest = assign(`${`${'folder of a long name'.repeat(5)}/`.repeat(16)}${'n'.repeat(200)}.png`);
  assert.ok(deepest.length <= 230, `${deepest.length} characters`);
});

test('gives 100,000 equal names distinct numbers', () => {
  const archive = openArchiveNames();
  const assigned = new Set<string>();
  for (let i = 0; i < 100_000; i += 1) assigned.add(assign('same.png', archive));
  assert.equal(assigned.size, 100_000);
  assert.ok(assigned.has('same (100000).png'));
});
