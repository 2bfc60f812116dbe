/** Tests Sentry's SDKs for Node.js, Python and Go from their registries: each event is stored whole and once, and the SDKs heed refusals. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { smallPng } from '@tapedeck/media-facts/samples';
import {
  installPythonClients,
  installSentryForGo,
  requireNodeClients,
} from '../../../scripts/clients/installedClients.ts';
import { openLogClient } from '../support/logSender.ts';
import { addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import type { Entry } from '../support/storedEntries.ts';
import { mediaEnvironment, pathOf } from '../support/uploading.ts';
import { openWiretap } from './wiretap.ts';

const service = await startTestService({ environment: mediaEnvironment });
after(() => service[Symbol.asyncDispose]());
const { owner, get } = await openLogClient(service);
const wiretap = await openWiretap();
after(() => wiretap[Symbol.asyncDispose]());
const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const picture = path.join(directory.path, 'shot.png');
/** Larger than an envelope may be without its files. Bytes behind the end of a picture are kept, and random ones cannot be compressed. */
const pictureBytes = Buffer.concat([smallPng, randomBytes(12 * 1024 * 1024)]);
await writeFile(picture, pictureBytes);

const inFolder = (name: string) => path.join(import.meta.dirname, name);
const ofNode = (await requireNodeClients()).resolve('@sentry/node');
const { python } = await installPythonClients();
const ofGo = await installSentryForGo();

type Sdk = {
  title: string;
  command(dsn: string): string[];
  /** The encodings in which it sends requests. */
  encodings: readonly (string | undefined)[];
  /** The message for a wrong token. */
  refused: RegExp;
};
const byPython = (encoding: string): Sdk => ({
  title: `Python, in ${encoding}`,
  command: dsn => [python, inFolder('senders/sentrySender.py'), dsn, picture, encoding],
  encodings: [encoding],
  refused: /401/,
});
const sdks: readonly Sdk[] = [
  {
    title: 'Node.js',
    command: dsn => [process.execPath, inFolder('senders/sentrySender.ts'), ofNode, dsn, picture],
    encodings: [undefined, 'gzip'],
    refused: /status code 401/,
  },
  byPython('gzip'),
  byPython('br'),
  { title: 'Go', command: dsn => [ofGo, dsn, picture], encodings: [undefined], refused: /not known/ },
];

async function run([command = '', ...args]: readonly string[]): Promise<string> {
  const child = spawn(command, args);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await once(child, 'close');
  const words = (await said).join('\n');
  assert.equal(status, 0, words);
  return words;
}

const dsnOf = (token: string) => `${wiretap.url.replace('//', `//${token}@`)}/1`;

const hearMsMax = 10_000;

/** The wiretap parses requests on the side and may finish a moment after the program ends. */
async function hear(isHeard: () => boolean, said: string): Promise<void> {
  const deadline = performance.now() + hearMsMax;
  while (!isHeard()) {
    assert.ok(performance.now() < deadline, said);
    await wait(20);
  }
}

async function read(dataset: string): Promise<Entry[]> {
  const response = await get(`?dataset=${dataset}&order=asc&limit=100`);
  return ((await response.json()) as { data: Entry[] }).data; // CONTRACT.md, 4.2
}

for (const [index, { title, command, encodings }] of sdks.entries())
  describe(`Sentry for ${title}`, () => {
    it('stores events, logs and pictures as they were sent, and nothing else', async () => {
      await wiretap.lead(service.url);
      wiretap.exchanges.length = 0;
      const dataset = `sentry-${index}`;
      const { token } = await addToken(owner, { kind: 'webhook', scopes: ['write', `dataset:${dataset}`] });
      const said = await run(command(dsnOf(token)));
      const used = () => wiretap.exchanges.map(({ headers }) => headers['content-encoding']);
      await hear(() => encodings.every(encoding => used().includes(encoding)), said);
      await hear(() => wiretap.exchanges.every(({ status }) => status === 200), said);
      const entries = await read(dataset);
      assert.deepEqual(
        entries.map(({ level, body }) => `${level}: ${body.split('\n', 1)[0]}`).toSorted(),
        [
          'info: structured',
          'warn: hello ü 東京',
          entries.map(({ body }) => body.split('\n', 1)[0] ?? '').find(line => line.includes('outer')),
        ]
          .map(line => (line?.includes('outer') ? `error: ${line}` : line))
          .toSorted(),
      );
      checkEvents(entries);
      const failure = entries.find(({ level }) => level === 'error');
      const kept = await service.fetch(pathOf(failure?.metadata['attachments.0.url'] ?? ''));
      assert.ok(pictureBytes.equals(Buffer.from(await kept.arrayBuffer())));
    });
  });

it('Sentry for Node.js sends through a tunnel, where only the envelope contains its key', async () => {
  await wiretap.lead(service.url);
  wiretap.exchanges.length = 0;
  const { token } = await addToken(owner, { kind: 'logs', scopes: ['write', 'dataset:tunnel'] });
  const [node] = sdks;
  assert.ok(node);
  const said = await run([...node.command(dsnOf(token)), '2', `${wiretap.url}/api/1/envelope/`]);
  await hear(() => wiretap.exchanges.length >= 2, said);
  for (const { status, headers } of wiretap.exchanges)
    assert.deepEqual(
      [status, headers['x-sentry-auth'], headers.authorization],
      [200, undefined, undefined],
      said,
    );
  const bodies = (await read('tunnel')).map(({ body }) => body);
  assert.deepEqual(bodies, ['message 0', 'message 1']);
});

/** One per language; Python in `br` would repeat the test. */
const languages = sdks.filter(({ title }) => !title.endsWith('br'));
for (const { title, command, refused } of languages)
  it(`Sentry for ${title} reports what is wrong with its token`, async () => {
    await wiretap.lead(service.url);
    assert.match(await run([...command(dsnOf('wrong')), '1']), refused);
  });

/** Checks the events that every SDK sends. */
function checkEvents(entries: readonly Entry[]): void {
  for (const level of ['warn', 'error']) {
    const entry = entries.find(each => each.level === level);
    const { metadata = {}, resource } = entry ?? {};
    const names = ['release', 'environment', 'user.id', 'user.username', 'tags.map'];
    assert.deepEqual(
      [resource, ...names.map(name => metadata[name])],
      ['game', 'game@1.2.3', 'test', '7', 'Ådå', 'dust'],
    );
    assert.equal(metadata['breadcrumbs.19.message'], 'crumb 24');
    assert.equal(metadata['extra.score.kills'] ?? metadata['contexts.score.kills'], '3');
  }
  const { body = '', metadata = {} } = entries.find(({ level }) => level === 'error') ?? {};
  assert.match(body, /outer failed.*\n +at .*inner failed/s);
  assert.equal(metadata['attachments.0.filename'], 'shot.png');
  assert.match(metadata['attachments.1.refused'] ?? '', /./);
  const log = entries.find(({ level }) => level === 'info');
  assert.deepEqual([log?.resource, log?.metadata.round], ['game', '9']);
}

describe('beyond the rate limit', () => {
  for (const { title, command } of languages)
    it(`Sentry for ${title} pauses as requested`, async () => {
      await using limited = await startTestService({ environment: { TAPEDECK_RATE_LIMIT: '1' } });
      const client = await openLogClient(limited);
      const { token } = await addToken(client.owner, { kind: 'logs', scopes: ['write'] });
      await wiretap.lead(limited.url);
      wiretap.exchanges.length = 0;
      const said = await run([...command(dsnOf(token)), '6']);
      const refused = () => wiretap.exchanges.filter(({ status }) => status === 429);
      await hear(() => refused().length > 0, said);
      assert.equal(refused().length, 1, said);
    });
});
