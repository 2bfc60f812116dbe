/** Tests Fluentd's loggers for Node.js from npm: every acknowledged message is stored, even if the service is killed meanwhile. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { requireNodeClients } from '../../../scripts/clients/installedClients.ts';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { startKilledService } from './killedService.ts';

const port = await findFreePort();
const service = await startKilledService({ TAPEDECK_FORWARD: `tcp://127.0.0.1:${port}` });
after(() => service[Symbol.asyncDispose]());
const require = await requireNodeClients();

const program = path.join(import.meta.dirname, 'senders/forwardSender.ts');

type Sending = { module: string; mode: string; count: number; pauseMs?: number; key?: string };

function send({ module, mode, count, pauseMs = 0, key = service.token }: Sending) {
  const args = [require.resolve(module), mode, String(port), key, String(count), String(pauseMs)];
  const child = spawn(process.execPath, [program, ...args]);
  const complained = text(child.stderr);
  const acknowledged: number[] = [];
  createInterface({ input: child.stdout }).on('line', line => {
    if (/^\d+$/.test(line)) acknowledged.push(Number(line)); // its own module prints too
  });
  return { child, acknowledged, complained, closed: once(child, 'close') };
}

const numberOf = (body: string) => Number(/^number (\d+) /.exec(body)?.[1]);
const inOrder = (numbers: Iterable<number>) => [...numbers].sort((one, other) => one - other);
const read = async () =>
  (await service.read('default', 0)).filter(({ resource }) => resource === 'game.chat');

const modes: readonly [module: string, ...modes: string[]][] = [
  ['fluent-logger', 'Message', 'PackedForward', 'CompressedPackedForward'],
  ['@fluent-org/logger', 'Message', 'Forward', 'PackedForward', 'CompressedPackedForward'],
];

for (const [module, ...own] of modes)
  for (const mode of own)
    it(`${module}, ${mode}: stores each message whole and once`, async () => {
      const before = new Set((await read()).map(({ traceId }) => traceId));
      const { acknowledged, complained, closed } = send({ module, mode, count: 20 });
      await closed;
      const expected = Array.from({ length: 20 }, (_, number) => number);
      assert.deepEqual(inOrder(acknowledged), expected, await complained);
      const found = (await read()).filter(({ traceId }) => !before.has(traceId));
      assert.deepEqual(inOrder(found.map(({ body }) => numberOf(body))), expected);
      for (const { level, body, metadata } of found) {
        assert.deepEqual([level, body], ['warn', `number ${numberOf(body)} ü 東京`]);
        assert.deepEqual(metadata, { 'player.id': '7', tag: 'game.chat' });
      }
    });

it('rejects another key as the protocol specifies', async () => {
  const stored = (await read()).length;
  const { acknowledged, complained, child, closed } = send({
    module: 'fluent-logger',
    mode: 'Message',
    count: 1,
    key: 'another key',
  });
  const [words] = (await once(child.stderr, 'data')) as [Buffer]; // without an encoding, chunks are Buffers
  child.kill();
  await closed;
  assert.match(String(words) + (await complained), /shared_key mismatch/);
  assert.deepEqual([acknowledged, (await read()).length], [[], stored]);
});

for (const [module] of modes)
  it(`${module}: a killed service has stored what it acknowledged`, async () => {
    const before = new Set((await read()).map(({ traceId }) => traceId));
    const { acknowledged, child, closed } = send({ module, mode: 'Message', count: 200, pauseMs: 10 });
    while (acknowledged.length < 30) await once(child.stdout, 'data');
    await service.kill();
    const early = acknowledged.length;
    await service.start();
    const isRunning = () => child.exitCode === null;
    while (acknowledged.length <= early && isRunning())
      await Promise.race([once(child.stdout, 'data'), closed]);
    child.kill();
    await closed;
    const found = (await read()).filter(({ traceId }) => !before.has(traceId));
    const stored = new Set(found.map(({ body }) => numberOf(body)));
    assert.deepEqual(
      acknowledged.filter(number => !stored.has(number)),
      [],
    );
    assert.ok(acknowledged.length > early, 'it continues after the restart of the service');
  });
