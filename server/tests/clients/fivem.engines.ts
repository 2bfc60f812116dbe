/** Runs the FiveM resource in Debian's Lua 5.4, on a simulated FiveM server, against the real service. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { startTestService } from '../support/service.ts';
import { makePicture } from '../support/uploading.ts';
import { type LuaBehaviour, type LuaRequest, runLua } from './luaPrograms.ts';

const tokens = { logs: 'logs-token-of-the-tests-0123456789', media: 'media-token-of-the-tests-012345678' };
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: tokens.logs, TAPEDECK_MEDIA_TOKEN: tokens.media },
});
after(() => service[Symbol.asyncDispose]());
const subject = path.join(repositoryRoot, 'integrations/fivem');

type Entry = {
  body: string;
  level: string;
  resource: string;
  metadata: Record<string, string>;
  timestamp: string;
};

async function readEntries(dataset: string): Promise<Entry[]> {
  const place = `/api/v3/logs?dataset=${dataset}&order=asc&limit=100`;
  const response = await service.fetch(place, { headers: { authorization: tokens.logs } });
  return ((await response.json()) as { data: Entry[] }).data; // CONTRACT.md, 4.2
}

let datasets = 0;

/** Runs the script in a server with the resource and a new dataset. */
async function run(
  script: string,
  {
    convars = {},
    decide = () => 'pass',
  }: {
    convars?: Record<string, string>;
    decide?: (request: LuaRequest, number: number) => LuaBehaviour;
  } = {},
) {
  const dataset = `fivem-${++datasets}`;
  const given = {
    url: service.url,
    token: tokens.logs,
    mediaToken: tokens.media,
    dataset,
    endpoint: `http://game-${datasets}.example:30120`,
    ...convars,
  };
  const lines = Object.entries(given).map(
    ([name, value]) => `server.convars['tapedeck:${name}'] = ${JSON.stringify(value)}`,
  );
  const players = `server.players[7] = { name = 'Ann Ähre', identifiers = { 'license:abc', 'ip:192.0.2.7', 'discord:5' } }`;
  const whole = [...lines, players, script].join('\n');
  const outcome = await runLua({ platform: 'fivem', subject, script: whole }, decide);
  const posts = outcome.requests.filter(({ url }) => url.includes('/api/v3/logs'));
  return { ...outcome, posts, dataset, entries: await readEntries(dataset) };
}

test('entries arrive in batches, in order, with the calling resource', async () => {
  const { entries, posts, values } = await run(`
server.start()
server.invoking = 'shop'
local metadata = { player = { id = 7 }, place = { 1.5, 2 }, odd = print }
exports.tapedeck = exports
exports.tapedeck:log('info', 'first', metadata)
metadata.player.id = 8
exports.tapedeck:log('error', 'second', nil, { resource = 'bank' })
exports.tapedeck:log('loud', 'third', {})
server.run(3000)
exports.tapedeck:flush(function(all) server.report({ all = all, stats = exports.tapedeck:stats() }) end)
server.run(6000)`);
  assert.equal(posts.length, 1);
  assert.deepEqual(
    entries.map(({ body, level, resource }) => [body, level, resource]),
    [
      ['first', 'info', 'shop'],
      ['second', 'error', 'bank'],
      ['third', 'info', 'shop'],
    ],
  );
  const { odd, ...metadata } = entries[0]?.metadata ?? {};
  assert.deepEqual(metadata, { 'player.id': '7', 'place.0': '1.5', 'place.1': '2' });
  assert.match(odd ?? '', /^function/);
  assert.equal(entries[2]?.metadata.level, 'loud');
  assert.deepEqual(values, [{ all: true, stats: { queued: 0, queuedBytes: 0, stored: 3, dropped: 0 } }]);
});

const burst = (count: number, message = '"entry " .. number') => `
server.start()
for number = 1, ${count} do exports:log('info', ${message}) end
exports:flush(function(all) server.report(all) end)
server.run(200000)
server.report(exports:stats())`;

describe('a failing service', () => {
  const rows: [string, (request: LuaRequest, number: number) => LuaBehaviour][] = [
    ['lost answers', (_, number) => (number < 3 ? 'lose' : 'pass')],
    ['silence', (_, number) => (number < 2 ? 'silence' : 'pass')],
    ['500', (_, number) => (number < 4 ? { status: 500 } : 'pass')],
    [
      '429 with Retry-After',
      (_, number) => (number < 2 ? { status: 429, headers: { 'Retry-After': '20' } } : 'pass'),
    ],
  ];
  for (const [name, behave] of rows) {
    it(`${name}: loses nothing and stores nothing twice`, async () => {
      let posts = 0;
      const decide = (request: LuaRequest): LuaBehaviour =>
        request.url.includes('/v3/logs') ? behave(request, ++posts) : 'pass';
      const outcome = await run(burst(30), { decide });
      assert.deepEqual(
        outcome.entries.map(({ body }) => body),
        Array.from({ length: 30 }, (_, index) => `entry ${index + 1}`),
      );
      assert.equal(outcome.values[0], name !== 'silence'); // a flush gives up after a minute
      assert.equal(new Set(outcome.posts.map(({ headers }) => headers['Idempotency-Key'])).size, 1);
      if (name.startsWith('429'))
        assert.ok((outcome.posts[1]?.atMs ?? 0) - (outcome.posts[0]?.atMs ?? 0) >= 20_000);
    });
  }
});

test('drops what does not fit, and reports the number to the service once', async () => {
  const { entries, values } = await run(burst(25), { convars: { queueEntriesMax: '10' } });
  const [notice, ...others] = entries.filter(({ level }) => level === 'warn');
  assert.deepEqual([notice?.metadata['tapedeck.dropped'], others], ['15', []]);
  assert.deepEqual(values[1], { queued: 0, queuedBytes: 0, stored: 10, dropped: 15 });
});

test('drops only the entry that the service rejects', async () => {
  const { entries, values } = await run(`
server.start()
exports:log('info', 'good')
exports:log('info', 'bad', { [('k'):rep(300)] = 1 })
exports:log('info', 'also good')
exports:flush(function(all) server.report(all) end)
server.run(20000)`);
  assert.deepEqual(
    entries.filter(({ level }) => level === 'info').map(({ body }) => body),
    ['good', 'also good'],
  );
  assert.deepEqual(values, [false]);
});

test('a rejected token stops the requests', async () => {
  const { posts, values } = await run(burst(5), { convars: { token: 'nobody-has-this-token-0123456789' } });
  assert.equal(posts.length, 1);
  assert.deepEqual(values, [false, { queued: 0, queuedBytes: 0, stored: 0, dropped: 5 }]);
});

test('reports events as configured, without addresses', async () => {
  const script = `
server.start()
server.trigger('playerJoining', 7, '65540')
server.trigger('chatMessage', '', 7, 'Ann Ähre', 'hello')
server.trigger('baseevents:onPlayerKilled', 7, -1, { weaponhash = 5 })
server.trigger('onResourceStart', '', 'shop')
server.trigger('txAdmin:events:playerBanned', '', { author = 'admin', targetIds = { 'ip:192.0.2.7', 'license:abc' }, ip = '192.0.2.7' })
server.trigger('playerDropped', 7, 'Exiting')
server.run(5000)`;
  const { entries } = await run(script, { convars: { events: 'all' } });
  assert.deepEqual(
    entries.map(({ metadata }) => metadata.event),
    ['join', 'chat', 'death', 'resource', 'txadmin', 'leave'],
  );
  const [join] = entries;
  assert.deepEqual(join?.metadata, {
    event: 'join',
    'player.id': '7',
    'player.name': 'Ann Ähre',
    'player.identifiers.license': 'abc',
    'player.identifiers.discord': '5',
  });
  assert.ok(!JSON.stringify(entries).includes('192.0.2.7'));
  const some = await run(script, { convars: { events: 'leave,resource' } });
  assert.deepEqual(
    some.entries.map(({ metadata }) => metadata.event),
    ['resource', 'leave'],
  );
});

test('opens the session, keeps it alive for hours, and ends it with the resource', async () => {
  const { requests } = await run(`
server.start()
server.run(2 * 3600 * 1000)
server.trigger('onResourceStop', '', 'tapedeck')
server.run(2 * 3600 * 1000 + 1000)`);
  const paths = requests.map(({ url }) => new URL(url).pathname);
  assert.equal(paths.filter(each => each === '/api/sdk/report').length, 1);
  assert.ok(paths.filter(each => each === '/api/sdk/heartbeat').length >= 20);
  assert.equal(paths.at(-1), '/api/sdk/invalidate');
});

test('uploads a screenshot by its address, with player and session, and trusts no other file', async () => {
  const picture = (await makePicture()).toString('latin1');
  const uploading: Promise<unknown>[] = [];
  const script = (answer: string) => `
server.start()
exports:screenshot(7, { path = 'shots', metadata = { reason = 'test' } }, function(failure, file)
  server.report({ failure = failure, file = file })
end)
server.run(1000)
local sent = server.sent[1]
local answer = ${answer}
server.trigger('tapedeck:screenshotTaken', 8, sent.values[1], answer) -- another player
server.trigger('tapedeck:screenshotTaken', 7, sent.values[1], answer)
server.run(3000)`;
  // The player's game sends the picture to the address it was given.
  const upload = `(function()
    local done
    PerformHttpRequest(sent.values[2], function(_, body) done = body end, 'PICTURE', '', {})
    server.run(2000)
    return done
  end)()`;
  const decide = (request: LuaRequest): LuaBehaviour => {
    if (request.method !== 'PICTURE') return 'pass';
    const form = new FormData();
    form.set('file', new Blob([Buffer.from(picture, 'latin1')]), 'a.png');
    request.method = 'POST';
    Object.assign(request, { body: form });
    return 'pass';
  };
  const { values } = await run(script(upload), { decide });
  await Promise.all(uploading);
  const [{ file }] = values as [{ file: { id: string; url: string } }]; // the script reports this shape
  const response = await service.fetch(`/api/v3/file/${file.id}`, {
    headers: { authorization: tokens.media },
  });
  const { data } = (await response.json()) as {
    data: { url: string; path: string; metadata: Record<string, object> };
  }; // CONTRACT.md, 3
  assert.deepEqual([data.url, data.path], [file.url, 'shots']);
  const { session, player, reason } = data.metadata;
  assert.deepEqual(
    [reason, player],
    ['test', { id: 7, name: 'Ann Ähre', identifiers: { license: 'abc', discord: '5' } }],
  );
  assert.deepEqual(session, {
    sdkType: 'server_a',
    endpoint: `http://game-${datasets}.example:30120`,
    resourceName: 'tapedeck',
  });
  const other = `json.encode({ data = { id = '${file.id}', url = '${file.url}' } })`;
  const forged = await run(script(other));
  assert.deepEqual(forged.values, [{ failure: 'The player reported another file.' }]);
});

test('serves health and actions only to the dashboard, with the token of the session', async () => {
  const { values } = await run(`
local session
local send = PerformHttpRequest
function PerformHttpRequest(url, done, ...)
  return send(url, function(status, body, ...)
    if url:find('sdk/report', 1, true) then session = json.decode(body).token end
    done(status, body, ...)
  end, ...)
end
server.start()
server.run(1000)
local function tell(method, path, token, body)
  local answer = server.ask(method, path, token, body)
  server.report({ answer.status, json.decode(answer.body) })
end
tell('GET', '/health', 'Bearer wrong')
tell('GET', '/health', 'Bearer ' .. session)
tell('GET', '/actions', 'Bearer ' .. session)
tell('POST', '/actions/announce', 'Bearer ' .. session, '{"message":"Hello"}')
tell('POST', '/actions/nothing', 'Bearer ' .. session)
server.report(server.sent[1])`);
  const answers = values as [number, Record<string, unknown>][]; // the script reports this shape
  const statuses = answers.slice(0, 5).map(([status]) => status);
  assert.deepEqual(statuses, [401, 200, 200, 200, 404]);
  assert.deepEqual([answers[1]?.[1].status, answers[1]?.[1].players], ['ok', 1]);
  const actions = (answers[2]?.[1].actions ?? []) as { id: string }[]; // so do the lists
  const ids = actions.map(({ id }) => id);
  assert.deepEqual(ids, ['announce', 'screenshot']);
  const chat = { name: 'chat:addMessage', player: -1, values: [{ args: ['Server', 'Hello'] }] };
  assert.deepEqual(values[5], chat);
});

test('a player reports with a command; without a media token there is no picture', async () => {
  const { entries } = await run(
    `
server.start()
server.commands.report(7, { 'somebody', 'flies' })
server.commands.report(7, { 'again' })
server.run(5000)`,
    { convars: { mediaToken: '' } },
  );
  assert.deepEqual(
    entries.map(({ body, metadata }) => [body, metadata.event, metadata.report]),
    [['Ann Ähre reported: somebody flies', 'report', 'somebody flies']],
  );
});
