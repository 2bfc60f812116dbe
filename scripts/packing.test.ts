/** Packages packed into one file each: the same to whoever imports them, made anew with a new lock file, never a must. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readPacked } from './setup/packedPackages.mjs';
import { packPackages } from './setup/packing.mjs';

const repository = resolve(fileURLToPath(import.meta.url), '../..');
const hooks = { say: () => {} };
let root = '';

before(() => {
  root = mkdtempSync(join(tmpdir(), 'tapedeck-packing-'));
});
after(() => rmSync(root, { recursive: true, force: true }));

for (const specifier of ['kysely', 'typebox', 'typebox/compile', 'typebox/value']) {
  test(`${specifier} exports the same, packed and as it is installed`, () => {
    const packed = importElsewhere(specifier, preloadOf(repository));
    const installed = importElsewhere(specifier, []);
    assert.match(packed.url, /\/\.cache\/packed\//);
    assert.match(installed.url, /\/node_modules\//);
    assert.deepEqual(packed.names, installed.names);
    assert.ok(packed.names.length > 0);
  });
}

test('where there is nothing to pack with, that is noted, and the packages are loaded as they are', async () => {
  const checkout = makeCheckout('bare');
  assert.equal(readPacked(checkout), undefined);
  await packPackages({ root: checkout, nodePath: process.execPath }, hooks);
  assert.deepEqual(readPacked(checkout), {}, 'it is not tried again at every start');
});

const changes: [string, (checkout: string) => void][] = [
  [
    'with another lock file',
    checkout => writeFileSync(join(checkout, 'package-lock.json'), '{"packages":{}}'),
  ],
  ['when a file is missing', checkout => rmSync(join(checkout, '.cache/packed/kysely.js'))],
  ['when a file was cut', checkout => writeFileSync(join(checkout, '.cache/packed/typebox/value.js'), '')],
  [
    'when the index was cut',
    checkout => writeFileSync(join(checkout, '.cache/packed/index.json'), '{"made"'),
  ],
];
for (const [name, change] of changes) {
  test(`the packages are packed again ${name}, and loaded as they are until then`, async () => {
    const checkout = makeCheckout(name.replaceAll(' ', '-'));
    symlinkSync(join(repository, 'node_modules'), join(checkout, 'node_modules'));
    cpSync(join(repository, '.cache/packed'), join(checkout, '.cache/packed'), { recursive: true });
    assert.match(importElsewhere('kysely', preloadOf(checkout)).url, /\/\.cache\/packed\//);
    change(checkout);
    assert.match(importElsewhere('kysely', preloadOf(checkout)).url, /\/node_modules\//);
    assert.equal(readPacked(checkout), undefined);
    await packPackages({ root: checkout, nodePath: process.execPath }, hooks);
    assert.match(importElsewhere('kysely', preloadOf(checkout)).url, /\/\.cache\/packed\//);
  });
}

test('a person who stops it stops the set-up, and it is tried again the next time', async () => {
  const checkout = makeCheckout('stopped');
  mkdirSync(join(checkout, 'node_modules/rolldown'), { recursive: true });
  // In the place of Node.js, a program that only waits.
  const nodePath = join(checkout, 'patient');
  writeFileSync(nodePath, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
  const onStart = () => void setImmediate(() => process.emit('SIGINT'));
  await assert.rejects(
    packPackages({ root: checkout, nodePath }, { ...hooks, onStart }),
    /Set-up was stopped/,
  );
  assert.equal(readPacked(checkout), undefined);
});

test('where the result cannot be kept, nothing is refused', async () => {
  const checkout = makeCheckout('closed');
  writeFileSync(join(checkout, '.cache'), 'a file where the folder should be');
  await packPackages({ root: checkout, nodePath: process.execPath }, hooks);
  assert.equal(readPacked(checkout), undefined);
});

/** With what packing looks at, and with the real lock file. */
function makeCheckout(name: string): string {
  const checkout = join(root, name);
  cpSync(join(repository, 'scripts'), join(checkout, 'scripts'), { recursive: true });
  cpSync(join(repository, 'package-lock.json'), join(checkout, 'package-lock.json'));
  return checkout;
}

function preloadOf(checkout: string): string[] {
  return ['--import', pathToFileURL(join(checkout, 'scripts/packed.mjs')).href];
}

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
