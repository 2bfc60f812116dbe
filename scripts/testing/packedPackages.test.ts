/** Tests that packed packages look the same to their importers. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packedSpecifiers } from './packedPackages.mjs';

const repository = resolve(fileURLToPath(import.meta.url), '../../..');
const preload = ['--import', pathToFileURL(resolve(repository, 'scripts/testing/loadPacked.mjs')).href];

for (const specifier of packedSpecifiers) {
  test(`${specifier} exports the same names packed and installed`, () => {
    const packed = importElsewhere(specifier, preload);
    const installed = importElsewhere(specifier, []);
    assert.match(packed.url, /\/\.cache\/packed\//);
    assert.match(installed.url, /\/node_modules\//);
    assert.deepEqual(packed.names, installed.names);
    assert.ok(packed.names.length > 0);
  });
}

/** Imports in a separate process, without the flags of the tests. */
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
