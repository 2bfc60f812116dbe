/** Messages of each kind of channel when a rule fires and resolves, and their recipients, over real HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as contract from '@tapedeck/contract/channels';
import { listDeliveries } from '@tapedeck/contract/deliveries';
import { ingestLogs } from '@tapedeck/contract/logs';
import { queryProjectLogs } from '@tapedeck/contract/projectLogs';
import type { BodyOf } from '@tapedeck/contract/route';
import { createRule, updateRule } from '@tapedeck/contract/rules';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { type Client, withToken } from '../support/client.ts';
import { addPerson, addToken, type Person } from '../support/people.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';

const params = { project: 'default' };
type Body = BodyOf<typeof contract.createChannel>;
type Received = Receiver['received'][number];

let service: TestService;
let owner: Person;
let logs: Client;

before(async () => {
  const environment = {
    TAPEDECK_OUTGOING_PRIVATE: 'true',
    TAPEDECK_PUBLIC_URL: 'https://logs.example.org',
  };
  service = await startTestService({ environment });
  owner = await addPerson(service, { isOwner: true });
  logs = withToken(service, (await addToken(owner, { kind: 'logs' })).token);
});
after(() => service[Symbol.asyncDispose]());

async function addChannel(receiver: Receiver, kind: Body['kind'], more: Partial<Body> = {}) {
  const body = { name: receiver.url + kind, kind, target: receiver.url, ...more };
  const { channel, secret } = await owner.call(contract.createChannel, { params, body });
  return { id: channel.id, secret: secret!, place: { params: { ...params, channel: channel.id } } };
}

/** Sends the four entries so that a rule fires; it resolves ten seconds later. */
async function fire(word: string, channels: string[]): Promise<string> {
  const ruleBody = {
    kind: 'count',
    query: `"${word}" level:error`,
    condition: { op: '>=', value: 3 },
  } as const;
  const body = { name: `Rule of *${word}*`, ...ruleBody, windowSeconds: 10, channels };
  const { rule } = await owner.call(createRule, { params, body });
  const message = (index: number) => `${word} ${index} <@everyone> \`\`\` & more`;
  const entries = [1, 2, 3, 4].map(index => ({ level: 'error', message: message(index) }));
  await logs.call(ingestLogs, { body: entries as never });
  return rule.id;
}

function readForm({ headers, bytes }: Received): Promise<FormData> {
  const type = headers['content-type'] ?? '';
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
}

/** Returns the page behind a link as a signed-in user sees it. */
async function followLink(url: string): Promise<string[]> {
  const { origin, pathname, searchParams } = new URL(url);
  assert.equal(origin + pathname, 'https://logs.example.org/projects/default/logs');
  const { dataset, query, from, to } = Object.fromEntries(searchParams);
  assert.equal(dataset, '*');
  const request = { params, query: { query, from, to } as never };
  const { data } = await owner.call(queryProjectLogs, request);
  return data.map(({ body }) => body);
}

test('Discord gets the name, the count, three entries, a link to that moment, and a chart', async () => {
  await using receiver = await startReceiver();
  const { id } = await addChannel(receiver, 'discord');
  await fire('thunder', [id]);
  const [fired, resolved] = await receiver.wait(2);
  assert.match(fired!.headers['user-agent'] ?? '', /^Tapedeck\/\d/);
  const form = await readForm(fired!);
  const { embeds, allowed_mentions } = JSON.parse(String(form.get('payload_json'))) as Message;
  const [embed] = embeds;
  assert.deepEqual(allowed_mentions, { parse: [] });
  assert.match(embed!.title, /Rule of \\\*thunder\\\*/);
  assert.equal(embed!.fields.find(({ name }) => name === 'Count')?.value, '4');
  const entries = embed!.fields.filter(({ value }) => /thunder \d/.test(value));
  assert.equal(entries.length, 3);
  assert.equal(embed!.image.url, 'attachment://chart.png');
  const file = form.get('files[0]');
  assert.ok(file instanceof File && file.name === 'chart.png');
  const { format, width, height } = await sharp(await file.arrayBuffer()).metadata();
  assert.deepEqual([format, width, height], ['png', 1_600, 600]);
  assert.equal((await followLink(embed!.url)).length, 4);
  const over = JSON.parse(String((await readForm(resolved!)).get('payload_json'))) as Message;
  assert.match(over.embeds[0]!.title, /^Resolved/);
  assert.notEqual(over.embeds[0]!.color, embed!.color);
});

type Message = {
  allowed_mentions: object;
  embeds: {
    title: string;
    url: string;
    color: number;
    image: { url: string };
    fields: { name: string; value: string }[];
  }[];
};

test('Slack gets blocks with the name, the entries and the link, and a line for notices', async () => {
  await using receiver = await startReceiver();
  const { id } = await addChannel(receiver, 'slack');
  await fire('lightning', [id]);
  const [fired] = await receiver.wait(1);
  assert.equal(fired!.headers['content-type'], 'application/json');
  const { text, blocks } = JSON.parse(fired!.body) as { text: string; blocks: object[] };
  assert.match(text, /Rule of \*lightning\*/);
  const shown = JSON.stringify(blocks);
  assert.equal([...shown.matchAll(/lightning \d &lt;@everyone&gt;/g)].length, 3);
  const [, url] = /<(https:[^|>]+)\|Open the search at that moment>/.exec(shown)!;
  assert.equal((await followLink(url!.replaceAll('&amp;', '&'))).length, 4);
});

test('a webhook gets type, timestamp and data, signed; with both secrets for a day after a rotation', async () => {
  await using receiver = await startReceiver();
  const { id, secret, place } = await addChannel(receiver, 'webhook');
  const rule = await fire('rain', [id]);
  const { secret: fresh } = await owner.call(contract.rotateChannel, place);
  const [fired, resolved] = await receiver.wait(2);
  const verify = ({ body, headers }: Received, held: string) =>
    new Webhook(held).verify(body, headers as Record<string, string>) as Notification;
  const notification = verify(fired!, secret);
  assert.deepEqual(Object.keys(notification), ['type', 'timestamp', 'data']);
  assert.deepEqual(
    [notification.type, notification.data.rule.id, notification.data.count],
    ['rule.fired', rule, 4],
  );
  assert.equal(notification.data.entries.length, 3);
  assert.equal((await followLink(notification.data.url)).length, 4);
  for (const held of [secret, fresh]) assert.equal(verify(resolved!, held).type, 'rule.resolved');
  assert.throws(() => verify({ ...resolved!, body: `${resolved!.body} ` }, fresh), /signature/i);
  const countSignatures = async () => {
    await owner.call(contract.testChannel, place);
    return String(receiver.received.at(-1)!.headers['webhook-signature']).split(' ').length;
  };
  assert.equal(await countSignatures(), 2);
  service.clock.advance(86_400_000);
  assert.equal(await countSignatures(), 1);
});

type Notification = {
  type: string;
  timestamp: string;
  data: { rule: { id: string; name: string }; count: number; entries: object[]; url: string };
};

test('notifies each person once, whether named by a rule, subscribed to rules, or both', async () => {
  await using receivers = await startReceivers(4);
  const [both, subscribed, fired, changed] = receivers;
  const all = ['rule.fired', 'rule.resolved'] as const;
  const { id, place } = await addChannel(both!, 'webhook', { events: [...all] });
  await addChannel(subscribed!, 'webhook', { events: [...all] });
  await addChannel(fired!, 'webhook', { events: ['rule.fired'] });
  const other = await addChannel(changed!, 'webhook', { events: ['file.created'] });
  await owner.call(contract.updateChannel, { ...other.place, body: { events: ['rule.resolved'] } });
  const rule = await fire('snow', [id]);
  const typesOf = ({ received }: Receiver) =>
    received.map(({ body }) => (JSON.parse(body) as Notification).type);
  await Promise.all([both!.wait(2), subscribed!.wait(2), fired!.wait(1), changed!.wait(1)]);
  assert.deepEqual([typesOf(both!), typesOf(subscribed!)], [all, all]);
  assert.deepEqual([typesOf(fired!), typesOf(changed!)], [['rule.fired'], ['rule.resolved']]);
  const { deliveries } = await owner.call(listDeliveries, { params, query: { limit: 100 } });
  assert.equal(deliveries.filter(one => one.rule === rule).length, 6);
  const used = await owner.send(contract.deleteChannel, place);
  assert.equal(used.status, 409);
  assert.match(await used.text(), /Rule of \*snow\*/);
  await owner.call(updateRule, { params: { ...params, rule }, body: { channels: [] } });
  await owner.call(contract.deleteChannel, place);
  const left = await owner.call(listDeliveries, { params, query: { channel: id } });
  assert.deepEqual(left.deliveries, []);
});

async function startReceivers(count: number): Promise<Receiver[] & AsyncDisposable> {
  const receivers = await Promise.all(Array.from({ length: count }, startReceiver));
  const dispose = async () => {
    for (const receiver of receivers) await receiver[Symbol.asyncDispose]();
  };
  return Object.assign(receivers, { [Symbol.asyncDispose]: dispose });
}
