/** Chat payloads on their way to the store: parents and children, and texts that are too long. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRequest, openIngest } from '../../../tests/logs/ingestFixture.ts';
import { ingestChat } from './chatIntake.ts';

const roundOver = {
  username: 'Round bot',
  avatar_url: 'https://cdn.example/a.png',
  content: 'Round over',
  embeds: [
    {
      title: 'Winner',
      description: 'Team red',
      color: 0xff0000,
      timestamp: '2026-01-02T03:04:05.678Z',
      author: { name: 'Referee', url: 'https://a.example', icon_url: '' },
      fields: [
        { name: 'Score', value: 12, inline: true },
        { name: 'Map', value: 'Harbour' },
      ],
      footer: { text: 'season 3' },
      image: { url: 'https://cdn.example/i.png' },
      thumbnail: { url: 'https://cdn.example/t.png' },
    },
    { description: 'Only a description' },
  ],
};

const sender = { 'chat.username': 'Round bot', 'chat.avatar_url': 'https://cdn.example/a.png' };

const winnerMetadata = {
  ...sender,
  'embed.color': '16711680',
  'embed.author.name': 'Referee',
  'embed.author.url': 'https://a.example',
  'embed.author.icon_url': '',
  'embed.footer.text': 'season 3',
  'embed.image.url': 'https://cdn.example/i.png',
  'embed.thumbnail.url': 'https://cdn.example/t.png',
  'field.Score': '12',
  'field.Map': 'Harbour',
};

test('content and embeds become entries, with the embeds as children of the content', async () => {
  await using opened = await openIngest();
  const { traceId } = await ingestChat(opened.deps, makeRequest(roundOver));
  const [content, winner, described, ...others] = await opened.takeRows();
  assert.deepEqual(others, []);
  const shown = [content, winner, described].map(row => [
    row?.level,
    row?.message,
    row?.resource,
    row?.parentId,
  ]);
  assert.deepEqual(shown, [
    ['info', 'Round over', 'Round bot', ''],
    ['error', 'Winner\nTeam red', 'Round bot', traceId],
    ['info', 'Only a description', 'Round bot', traceId],
  ]);
  assert.equal(content?.traceId, traceId);
  assert.equal(winner?.timestampMicros, Date.UTC(2026, 0, 2, 3, 4, 5, 678) * 1000);
  assert.deepEqual(
    [content, winner, described].map(row => row?.metadata),
    [sender, winnerMetadata, sender],
  );
});

test('without content, the other embeds become children of the first', async () => {
  await using opened = await openIngest();
  const { traceId } = await ingestChat(
    opened.deps,
    makeRequest({ content: '', embeds: [{ title: 'a' }, {}, { title: 'c' }] }),
  );
  const rows = await opened.takeRows();
  assert.deepEqual(
    rows.map(row => [row.message, row.parentId, row.resource]),
    [
      ['a', '', 'chat'],
      ['', traceId, 'chat'],
      ['c', traceId, 'chat'],
    ],
  );
});

test('truncates long values between characters, and drops surplus fields', async () => {
  await using opened = await openIngest();
  const fields = Array.from({ length: 400 }, (_, index) => ({
    name: `n${index}`,
    value: 'ä'.repeat(10_000),
  }));
  await ingestChat(
    opened.deps,
    makeRequest({ username: 'x'.repeat(20_000), embeds: [{ title: `a${'ä'.repeat(40_000)}`, fields }] }),
  );
  const [row] = await opened.takeRows();
  assert.equal(row?.message, `a${'ä'.repeat(32_767)}`);
  assert.equal(Object.keys(row?.metadata ?? {}).length, 256);
  assert.equal(row?.metadata['field.n0'], 'ä'.repeat(8_192));
});
