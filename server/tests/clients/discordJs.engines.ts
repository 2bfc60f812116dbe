/** Tests discord.js from npm with another base URL: the service stores what it sends, and it understands the responses. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { smallPng } from '@tapedeck/media-facts/samples';
import { requireNodeClients } from '../../../scripts/clients/installedClients.ts';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook, summarise } from '../support/storedEntries.ts';
import { pathOf } from '../support/uploading.ts';

/** The parts of the package that the tests use; its types are not installed. */
type Discord = {
  WebhookClient: new (
    webhook: { id: string; token: string },
    options: { rest: { api: string; retries: number } },
  ) => {
    send(message: object): Promise<{
      id: string;
      content: string;
      embeds: unknown[];
      attachments: { url: string }[];
    }>;
    editMessage(id: string, message: object): Promise<unknown>;
    deleteMessage(id: string): Promise<unknown>;
  };
  EmbedBuilder: new (embed: object) => object;
  ContainerBuilder: new (container: object) => object;
  MessageFlags: { IsComponentsV2: number };
};

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const book = await openLogBook(service);
const require = await requireNodeClients();
// Typed by the parts described above.
const { WebhookClient, EmbedBuilder, ContainerBuilder, MessageFlags } = require('discord.js') as Discord;

it('stores messages with embeds and returns them', async () => {
  const rest = { api: `${service.url}/api`, retries: 0 };
  const webhook = new WebhookClient({ id: '123456789012345678', token: book.token }, { rest });
  const embeds = [new EmbedBuilder({ title: 'Kick', description: 'speed hack', color: 0xff0000 })];
  const sent = await webhook.send({ content: 'report', username: 'anticheat', embeds });
  assert.match(sent.id, /^\d{17,20}$/);
  assert.equal(sent.content, 'report');
  assert.equal(sent.embeds.length, 1);
  const stored = (await book.read('default')).map(summarise);
  assert.deepEqual(stored.toSorted(), ['error: Kick\nspeed hack', 'info: report']);
});

it('keeps files at the returned URLs, and refuses to edit messages', async () => {
  const rest = { api: `${service.url}/api`, retries: 0 };
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'webhook' });
  const webhook = new WebhookClient({ id: '123456789012345678', token }, { rest });
  const files = [{ attachment: smallPng, name: 'shot.png' }];
  const sent = await webhook.send({ content: 'look', files });
  const opened = await service.fetch(pathOf(sent.attachments[0]!.url));
  assert.deepEqual(Buffer.from(await opened.arrayBuffer()), smallPng);
  await assert.rejects(webhook.editMessage(sent.id, { content: 'x' }), /cannot be changed/);
  await assert.rejects(webhook.deleteMessage(sent.id), /cannot be changed/);
});

it('a webhook token uploads several files and an embed that refers to one of them', async () => {
  const rest = { api: `${service.url}/api`, retries: 0 };
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'webhook' });
  const webhook = new WebhookClient({ id: '123456789012345678', token }, { rest });
  const files = ['one.png', 'two.png'].map(name => ({ attachment: smallPng, name }));
  const embeds = [new EmbedBuilder({ title: 'Crash', image: { url: 'attachment://two.png' } })];
  const sent = await webhook.send({ embeds, files });
  const urls = sent.attachments.map(({ url }) => url);
  assert.equal(urls.length, 2);
  for (const url of urls) {
    const opened = await service.fetch(pathOf(url));
    assert.deepEqual(Buffer.from(await opened.arrayBuffer()), smallPng);
  }
  const stored = (await book.read('default')).find(({ body }) => body === 'Crash');
  assert.equal(stored?.metadata['embed.image.url'], urls[1]);
});

it('stores messages of components alone with their texts', async () => {
  const rest = { api: `${service.url}/api`, retries: 0 };
  const webhook = new WebhookClient({ id: '123456789012345678', token: book.token }, { rest });
  const container = new ContainerBuilder({
    accent_color: 0xff0000,
    components: [{ type: 10, content: 'laid out' }],
  });
  await webhook.send({ components: [container], flags: MessageFlags.IsComponentsV2, withComponents: true });
  const stored = (await book.read('default')).map(summarise);
  assert.ok(stored.includes('error: laid out'), stored.join());
});

it('discord-webhook-node sends messages', async () => {
  // Typed by the part used here.
  const { Webhook } = require('discord-webhook-node') as {
    Webhook: new (url: string) => { send(text: string): Promise<unknown> };
  };
  const webhook = new Webhook(`${service.url}/api/webhooks/1/${book.token}?dataset=node`);
  await webhook.send('from node');
  assert.deepEqual((await book.read('node')).map(summarise), ['info: from node']);
});
