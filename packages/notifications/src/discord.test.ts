/** Tests messages for Discord: their contents, and that Discord neither refuses nor obeys texts of others. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { events, fired, hostileEvents, merged } from '../tests/examples.ts';
import { composeDiscord } from './discord.ts';

type Embed = {
  title: string;
  description: string;
  url?: string;
  color: number;
  fields: { name: string; value: string }[];
  footer: { text: string };
  image?: { url: string };
  timestamp: string;
};
type Message = {
  embeds: [Embed];
  allowed_mentions: object;
  attachments?: { id: number; filename: string }[];
};

const withoutPicture = { chartPng: null };

function readMessage(event: Parameters<typeof composeDiscord>[0]): Message {
  return JSON.parse(String(composeDiscord(event, withoutPicture).body));
}

const listTexts = ({ title, description, footer, fields }: Embed) => [
  title,
  description,
  footer.text,
  ...fields.flatMap(({ name, value }) => [name, value]),
];

test('reports a fired rule with its name, count, entries and a link', () => {
  const { embeds, allowed_mentions } = readMessage(fired);
  const [embed] = embeds;
  assert.equal(embed.title, 'Firing\\: Server errors');
  assert.match(embed.description, /1,164 entries in 5 minutes; it fires at 100 or more\./);
  assert.ok(embed.description.includes(`(${fired.url})`));
  assert.equal(embed.url, fired.url);
  assert.ok(embed.fields.some(({ name, value }) => name === 'Count' && value === '1,164'));
  for (const { message } of fired.entries) {
    assert.equal(
      embed.fields.filter(({ value }) => value === `\`\`\`\n${message}\n\`\`\``).length,
      1,
      message,
    );
  }
  assert.deepEqual(allowed_mentions, { parse: [] });
});

describe('composes what Discord accepts', () => {
  for (const [index, event] of [...events, ...hostileEvents].entries()) {
    it(`${index}: ${event.type}`, () => {
      const [embed] = readMessage(event).embeds;
      const within = (text: string, max: number) => assert.ok(text.length > 0 && text.length <= max, text);
      within(embed.title, 256);
      within(embed.description, 4_096);
      assert.ok(embed.fields.length <= 25);
      for (const { name, value } of embed.fields) {
        within(name, 256);
        within(value, 1_024);
      }
      assert.ok(listTexts(embed).join('').length <= 6_000);
      assert.ok((embed.url ?? '').length <= 2_048);
      assert.ok(listTexts(embed).every(text => text.isWellFormed()));
    });
  }
});

test('hostile texts cannot format or close blocks', () => {
  for (const event of hostileEvents) {
    const [{ title, description, fields }] = readMessage(event).embeds;
    const link = /\n(\[[\w ]+\]\(\S+\)|https:\S+)$/;
    assert.match(description, link);
    const outside = [title, description.replace(link, ''), ...fields.map(({ name }) => name)];
    const blocks = fields.filter(({ value }) => value.startsWith('```')).map(({ value }) => value);
    for (const block of blocks) assert.equal(block.slice(3, -3).includes('``'), false, block);
    const others = fields.filter(({ value }) => !value.startsWith('```')).map(({ value }) => value);
    for (const text of [...outside, ...others]) {
      assert.doesNotMatch(text.replace(/\\[^a-zA-Z0-9\s]/g, '').replace(/^-$/, ''), /[`*_~|>[\]<#@]|:\/\//);
    }
  }
});

test('removes colour codes and direction marks', () => {
  const message = '\u001b[31mred\u001b[0m ^1game \u202eturned';
  const event = { ...fired, entries: [{ ...fired.entries[0]!, message }] };
  assert.equal(readMessage(event).embeds[0].fields.at(-1)!.value, '```\nred game turned\n```');
});

test('counts merged notifications', () => {
  const [{ description, title }] = readMessage(merged).embeds;
  assert.match(title, /25 notifications/);
  assert.match(description, /13 fired, 12 resolved/);
  assert.match(description, /and 15 more/);
});

test('does not link a title to a host without a dot', () => {
  const [embed] = readMessage({ ...fired, url: 'http://localhost:8787/search' }).embeds;
  assert.equal('url' in embed, false);
  assert.ok(embed.description.includes('http://localhost:8787/search'));
});

test('attaches the picture as a file, and composes the same bytes again', async () => {
  const chartPng = Uint8Array.from({ length: 3_000 }, (_, index) => index % 256);
  const { headers, body } = composeDiscord(fired, { chartPng });
  assert.deepEqual(composeDiscord(fired, { chartPng }), { headers, body });
  const form = await new Response(body, { headers }).formData();
  const message: Message = JSON.parse(String(form.get('payload_json')));
  assert.equal(message.embeds[0].image?.url, 'attachment://chart.png');
  assert.deepEqual(
    message.attachments?.map(({ id, filename }) => [id, filename]),
    [[0, 'chart.png']],
  );
  const file = form.get('files[0]');
  assert.ok(file instanceof File);
  assert.deepEqual([file.name, file.type], ['chart.png', 'image/png']);
  assert.deepEqual(new Uint8Array(await file.arrayBuffer()), chartPng);
});
