/** Runs the FiveM resource with names and tables that JSON cannot hold as they are. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { startTestService } from '../support/service.ts';
import { runLua } from './luaPrograms.ts';

const tokens = { logs: 'logs-token-of-the-tests-0123456789', media: 'media-token-of-the-tests-012345678' };
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: tokens.logs, TAPEDECK_MEDIA_TOKEN: tokens.media },
});
after(() => service[Symbol.asyncDispose]());
const subject = path.join(repositoryRoot, 'integrations/fivem');

async function run(script: string) {
  const convars = { url: service.url, token: tokens.logs, mediaToken: tokens.media, endpoint: 'game:30120' };
  const lines = Object.entries(convars).map(
    ([name, value]) => `server.convars['tapedeck:${name}'] = ${JSON.stringify(value)}`,
  );
  return await runLua({ platform: 'fivem', subject, script: [...lines, script].join('\n') });
}

test('texts that are cut inside a character and tables that are no plain lists lose nothing', async () => {
  await run(`
server.convars['tapedeck:events'] = 'join'
server.players[7] = { name = 'Bj\\xC3\\xB6rn \\xF0\\x9F', identifiers = { 'license:abc' } }
server.start()
server.trigger('playerJoining', 7)
exports:log('info', 'a list', { 'x', 'y' })
exports:log('info', 'mixed', { both = { 'x', 'y', z = 3 }, holes = { [1] = 'x', [4] = 'y' }, ['key \\xFF'] = 1 })
server.run(3000)`);
  const response = await service.fetch('/api/v3/logs?order=asc', {
    headers: { authorization: tokens.logs },
  });
  // CONTRACT.md, 4.2.
  const { data } = (await response.json()) as { data: { body: string; metadata: Record<string, string> }[] };
  const [join, list, mixed, ...others] = data;
  assert.deepEqual(others, []);
  assert.equal(join?.body, 'Björn \ufffd\ufffd joined');
  assert.equal(join?.metadata['player.name'], 'Björn \ufffd\ufffd');
  assert.deepEqual(list?.metadata, { 1: 'x', 2: 'y' });
  assert.deepEqual(mixed?.metadata, {
    'both.1': 'x',
    'both.2': 'y',
    'both.z': '3',
    'holes.1': 'x',
    'holes.4': 'y',
    'key \ufffd': '1',
  });
});

test('a picture of a player whose name is cut inside a character has its address', async () => {
  const { values } = await run(`
server.players[7] = { name = 'Bj\\xC3', identifiers = {} }
server.start()
exports:screenshot(7, {}, function(failure) server.report(failure) end)
server.run(90000)`);
  assert.deepEqual(values, ['The player sent no picture within 60 seconds.']);
});
