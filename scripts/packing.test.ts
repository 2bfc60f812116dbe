/** Packages packed into one file each: the same to whoever imports them, made anew with a new lock file, never a must. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packagesArePacked, packPackages } from './setup/packing.mjs';

const repository = resolve(fileURLToPath(import.meta.url), '../..');
const preload = pathToFileURL(join(repository, 'scripts/packed.mjs')).href;
const hooks = { say: () => {} };
let root = '';

before(() => {
  root = mkdtempSync(join(tmpdir(), 'tapedeck-packing-'));
});
after(() => rmSync(root, { recursive: true, force: true }));

for (const specifier of ['kysely', 'typebox', 'typebox/compile', 'typebox/value']) {
  test(`${specifier} exports the same, packed and as it is installed`, () => {
    const packed = importElsewhere(specifier, ['--import', preload]);
    const installed = importElsewhere(specifier, []);
    assert.match(packed.url, /\/\.cache\/packed\//);
    assert.match(installed.url, /\/node_modules\//);
    assert.deepEqual(packed.names, installed.names);
    assert.ok(packed.names.length > 0);
  });
}

test('where there is nothing to pack with, the packages are loaded as they are', async () => {
  const lockFile = join(root, 'package-lock.json');
  writeFileSync(lockFile, '{"packages":{}}');
  assert.equal(packagesArePacked(root), false);
  await packPackages({ root, nodePath: process.execPath }, hooks);
  assert.equal(packagesArePacked(root), true, 'it is not tried again at every start');
  const index = JSON.parse(readFileSync(join(root, '.cache/packed/index.json'), 'utf8'));
  assert.deepEqual(index.files, {});
  writeFileSync(lockFile, '{"packages":{"node_modules/kysely":{}}}');
  assert.equal(packagesArePacked(root), false, 'another lock file may mean other packages');
});

test('packages that were never packed are loaded as they are', () => {
  const scripts = join(root, 'unpacked/scripts');
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(scripts, 'packed.mjs'), readFileSync(join(repository, 'scripts/packed.mjs')));
  const { url } = importElsewhere('kysely', ['--import', pathToFileURL(join(scripts, 'packed.mjs')).href]);
  assert.match(url, /\/node_modules\//);
});

/** In a process of its own, without what the tests themselves were started with. */
function importElsewhere(specifier: string, flags: readonly string[]): { url: string; names: string[] } {
  const script = `
    const names = Object.keys(await import('${specifier}')).sort();
    console.log(JSON.stringify({ url: import.meta.resolve('${specifier}'), names }));`;
  const args = [...flags, '--input-type=module', '--eval', script];
  const env = { ...process.env, NODE_OPTIONS: '' };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: repository, env, encoding: 'utf8' });
  assert.equal(stderr, '');
  return JSON.parse(stdout);
}
