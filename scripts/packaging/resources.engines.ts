/** The archives of what games load: unpacked by another program, they hold what the repository has, and Lua reads it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { repositoryRoot } from '../repository.ts';
import { makeResources } from './resources.ts';

const folder = mkdtempSync(join(tmpdir(), 'tapedeck-resources-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('each archive unpacks to a folder that is the resource', async () => {
  const paths = await makeResources(folder);
  assert.deepEqual(
    paths.map(path => basename(path).replace(/-[\d.]+\.zip$/, '')),
    ['tapedeck-fivem', 'tapedeck-roblox'],
  );
  for (const path of paths) {
    const unpack = 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])';
    execFileSync('python3', ['-c', unpack, path, folder]);
  }
  const files = {
    'fxmanifest.lua': 'integrations/fivem/fxmanifest.lua',
    'server/queue.lua': 'integrations/fivem/server/queue.lua',
    'Tapedeck.luau': 'integrations/roblox/Tapedeck.luau',
  };
  for (const [name, original] of Object.entries(files)) {
    const unpacked = join(folder, 'tapedeck', name);
    assert.equal(readFileSync(unpacked, 'utf8'), readFileSync(join(repositoryRoot, original), 'utf8'));
    execFileSync('luac5.4', ['-p', unpacked]);
  }
});
