/** Tests the archives for games: another program unpacks them, and their contents match the repository and start. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { runLua } from '../../server/tests/clients/luaPrograms.ts';
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
  }
});

const starts = [
  {
    platform: 'fivem',
    subject: 'tapedeck',
    language: 'lua5.4',
    script: `
server.convars['tapedeck:url'] = 'http://127.0.0.1:9'
server.convars['tapedeck:token'] = 'a token'
server.start()
server.invoking = 'shop'
exports.tapedeck = exports
exports.tapedeck:log('info', 'from the archive')
server.run(3000)
server.report(exports.tapedeck:stats().stored)`,
  },
  {
    platform: 'roblox',
    subject: 'tapedeck/Tapedeck.luau',
    language: 'luau',
    script: `
local tapedeck = Tapedeck.new({ url = 'http://127.0.0.1:9', token = 'a token' })
tapedeck:Log('info', 'from the archive')
engine.run(3000)
engine.report(tapedeck:Stats().stored)`,
  },
] as const;

for (const { platform, subject, language, script } of starts) {
  test(`what is unpacked starts in ${platform}`, async () => {
    const program = { platform, language, script, subject: join(folder, subject) };
    const { values, requests } = await runLua(program, () => ({ status: 200 }));
    assert.deepEqual(values, [1]);
    assert.ok(requests.some(({ body }) => body.includes('from the archive')));
  });
}
