/** A message has its chart even when forty other rules fire at the same moment. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createChannel } from '@tapedeck/contract/channels';
import { ingestLogs } from '@tapedeck/contract/logs';
import { createRule } from '@tapedeck/contract/rules';
import { withToken } from '../support/client.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startReceiver } from '../support/receiver.ts';
import { startTestService } from '../support/service.ts';

await using opened = new AsyncDisposableStack();
const receiver = opened.use(await startReceiver());
const noise = opened.use(await startReceiver());
const service = opened.use(await startTestService({ environment: { TAPEDECK_OUTGOING_PRIVATE: 'true' } }));
const running = opened.move();
after(() => running.disposeAsync());

const busyRules = 40;
const notifiedMsMax = 20_000; // CONTRACT.md, 10

test('notifies in time, with a chart, of the last of forty-one rules that fire at once', async () => {
  const owner = await addPerson(service, { isOwner: true });
  const params = { project: 'default' };
  const addChannel = async (kind: 'webhook' | 'discord', target: string) =>
    (await owner.call(createChannel, { params, body: { name: kind, kind, target } })).channel.id;
  const addRule = (name: string, channel: string) => {
    const condition = { op: '>=' as const, value: 3 };
    const rule = { name, kind: 'count' as const, query: 'lost', windowSeconds: 60, condition };
    return owner.call(createRule, { params, body: { ...rule, channels: [channel] } });
  };
  const webhook = await addChannel('webhook', noise.url);
  for (let number = 0; number < busyRules; number += 1) await addRule(`busy ${number}`, webhook);
  await addRule('shown', await addChannel('discord', receiver.url));
  const { token } = await addToken(owner, { kind: 'logs' });
  const body = Array.from({ length: 5_000 }, () => ({ level: 'info' as const, message: 'connection lost' }));
  await withToken(service, token).call(ingestLogs, { body: body as never }); // the contract leaves the shape of entries open
  const sentAt = Date.now();
  const [notification] = await receiver.wait(1);
  assert.ok(notification!.at - sentAt < notifiedMsMax, `it took ${notification!.at - sentAt} ms`);
  assert.match(notification!.body, /shown/);
  assert.ok(notification!.body.includes('attachment://chart.png'), 'it has a chart');
});
