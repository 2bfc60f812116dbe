/** Runs the Roblox module in Roblox's Luau and in Debian's Lua 5.4, on a server with Roblox's limits, against the real service. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { startTestService } from '../support/service.ts';
import { type Language, type LuaBehaviour, type LuaRequest, runLua } from './luaPrograms.ts';

const token = 'logs-token-of-the-tests-0123456789';
const service = await startTestService({ environment: { TAPEDECK_LOGS_TOKEN: token } });
after(() => service[Symbol.asyncDispose]());
const subject = path.join(repositoryRoot, 'integrations/roblox/Tapedeck.luau');

type Entry = { body: string; level: string; resource: string; metadata: Record<string, string> };

async function readEntries(dataset: string): Promise<Entry[]> {
  const place = `/api/v3/logs/export?dataset=${dataset}&order=asc`;
  const response = await service.fetch(place, { headers: { authorization: token } });
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines.map(line => JSON.parse(line) as Entry); // CONTRACT.md, 4.2
}

let datasets = 0;

type Setting = { options?: string; decide?: (request: LuaRequest, number: number) => LuaBehaviour };

function pass(): LuaBehaviour {
  return 'pass';
}

async function run(language: Language, script: string, { options = '', decide = pass }: Setting = {}) {
  const dataset = `roblox-${++datasets}`;
  const begin = `local tapedeck = Tapedeck.new({ url = '${service.url}/', token = '${token}', dataset = '${dataset}'${options} })\n`;
  const outcome = await runLua({ platform: 'roblox', subject, script: begin + script, language }, decide);
  const posts = outcome.requests.filter(({ url }) => url.includes('/v3/logs'));
  return { ...outcome, posts, entries: await readEntries(dataset) };
}

const burst = (count: number, message = '"entry " .. number') => `
for number = 1, ${count} do tapedeck:Log('info', ${message}) end
task.spawn(function() engine.report(tapedeck:Flush()) end)
engine.run(200000)
engine.report(tapedeck:Stats())`;

for (const language of ['luau', 'lua5.4'] as const) {
  describe(language, () => {
    it('entries arrive in one batch, in order, after one second', async () => {
      const { entries, posts, values } = await run(
        language,
        `
tapedeck:Log('info', 'first', { player = { id = 7 }, place = { 1.5, 2 } })
tapedeck:Log('error', 'second')
tapedeck:Log('loud', 'third', {})
engine.run(3000)
engine.report(tapedeck:Stats())`,
      );
      assert.equal(posts.length, 1);
      assert.deepEqual(
        entries.map(({ body, level, resource }) => [body, level, resource]),
        [
          ['first', 'info', 'Harbour'],
          ['second', 'error', 'Harbour'],
          ['third', 'info', 'Harbour'],
        ],
      );
      assert.deepEqual(entries[0]?.metadata, { 'player.id': '7', 'place.0': '1.5', 'place.1': '2' });
      assert.deepEqual(values, [{ queued: 0, queuedBytes: 0, stored: 3, dropped: 0 }]);
    });

    it('texts that are cut inside a character and tables that are no plain lists lose nothing', async () => {
      const { entries, values } = await run(
        language,
        `
tapedeck:Log('info', 'Ann \\xC3 joins', { name = 'Bj\\xC3\\xB6rn \\xF0\\x9F', ['key \\xFF'] = 1 })
tapedeck:Log('info', 'a list', { 'x', 'y' })
tapedeck:Log('info', 'mixed', { both = { 'x', 'y', z = 3 }, holes = { [1] = 'x', [4] = 'y' } })
engine.run(3000)
engine.report(tapedeck:Stats().dropped)`,
      );
      assert.deepEqual(values, [0]);
      assert.deepEqual(
        entries.map(({ body, metadata }) => [body, metadata]),
        [
          ['Ann \ufffd joins', { name: 'Björn \ufffd\ufffd', 'key \ufffd': '1' }],
          ['a list', { 1: 'x', 2: 'y' }],
          ['mixed', { 'both.1': 'x', 'both.2': 'y', 'both.z': '3', 'holes.1': 'x', 'holes.4': 'y' }],
        ],
      );
    });

    describe('a failing service', () => {
      const rows: [string, (number: number) => LuaBehaviour][] = [
        ['lost answers', number => (number < 3 ? 'lose' : 'pass')],
        ['silence', number => (number < 2 ? 'silence' : 'pass')],
        ['500', number => (number < 4 ? { status: 500 } : 'pass')],
        [
          '429 with Retry-After',
          number => (number < 2 ? { status: 429, headers: { 'retry-after': '20' } } : 'pass'),
        ],
      ];
      for (const [name, behave] of rows) {
        it(`${name}: loses nothing and stores nothing twice`, async () => {
          let posts = 0;
          const decide = (request: LuaRequest): LuaBehaviour =>
            request.url.includes('/v3/logs') ? behave(++posts) : 'pass';
          const outcome = await run(language, burst(30), { decide });
          assert.deepEqual(
            outcome.entries.map(({ body }) => body),
            Array.from({ length: 30 }, (_, index) => `entry ${index + 1}`),
          );
          assert.equal(new Set(outcome.posts.map(({ headers }) => headers['Idempotency-Key'])).size, 1);
        });
      }
    });

    it('bodies and requests stay within the limits of the platform', async () => {
      const count = language === 'luau' ? 60 : 600; // Luau's WebAssembly has 18 MB of memory
      const { entries, posts, values } = await run(language, burst(count, "('x'):rep(20000) .. number"));
      assert.equal(entries.length, count);
      assert.ok(posts.every(({ body }) => body.length <= 1_000_000) && posts.length >= count / 50);
      assert.deepEqual(values, [true, { queued: 0, queuedBytes: 0, stored: count, dropped: 0 }]);
    });

    it('drops what does not fit, and reports the number to the service once', async () => {
      const { entries, values } = await run(language, burst(25), { options: ', queueEntriesMax = 10' });
      const [notice, ...others] = entries.filter(({ level }) => level === 'warn');
      assert.deepEqual([notice?.metadata['tapedeck.dropped'], others], ['15', []]);
      assert.deepEqual(values, [true, { queued: 0, queuedBytes: 0, stored: 10, dropped: 15 }]);
    });

    it('drops only the entry that the service rejects', async () => {
      const { entries, values } = await run(
        language,
        `
tapedeck:Log('info', 'good')
tapedeck:Log('info', 'bad', { [('k'):rep(300)] = 1 })
tapedeck:Log('info', 'also good')
task.spawn(function() engine.report(tapedeck:Flush()) end)
engine.run(20000)`,
      );
      const bodies = entries.filter(({ level }) => level === 'info').map(({ body }) => body);
      assert.deepEqual([bodies, values], [['good', 'also good'], [false]]);
    });

    it('a server that shuts down sends its queue, and ends its session', async () => {
      const { entries, requests } = await run(
        language,
        `
engine.run(1000)
tapedeck:Log('warn', 'last words')
engine.close()`,
      );
      assert.deepEqual(
        entries.map(({ body }) => body),
        ['last words'],
      );
      const paths = requests.map(({ url }) => new URL(url).pathname);
      assert.deepEqual([paths[0], paths.at(-1)], ['/api/sdk/report', '/api/sdk/invalidate']);
    });

    it('a rejected token stops the requests', async () => {
      const refused: (request: LuaRequest) => LuaBehaviour = () => ({ status: 401, body: '{"error":"No."}' });
      const { posts, values } = await run(language, burst(5), { decide: refused });
      assert.equal(posts.length, 1);
      assert.deepEqual(values, [false, { queued: 0, queuedBytes: 0, stored: 0, dropped: 5 }]);
    });
  });
}
