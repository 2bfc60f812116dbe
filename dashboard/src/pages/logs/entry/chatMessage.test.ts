/** Tests rebuilding chat messages from their entries, and rejecting all other entries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogEntry } from '../../../queries/logs.ts';
import { readChatMessage } from './chatMessage.ts';
import { findOwnAddress } from './pictures.ts';

const about: Omit<LogEntry, 'body' | 'metadata'> = {
  traceId: '1',
  parentId: '',
  timestamp: '',
  dataset: 'chat',
  level: 'info',
  pattern: '',
  resource: 'Round bot',
};

test('an embed has its parts, and addresses of the web alone', () => {
  const message = readChatMessage({
    ...about,
    body: 'Winner\nTeam red\nwon',
    metadata: {
      'chat.username': 'Round bot',
      'embed.color': '16711680',
      'embed.author.name': 'Referee',
      'embed.author.url': 'javascript:alert(1)',
      'embed.footer.text': 'season 3',
      'embed.image.url': 'https://cdn.example/i.png',
      'embed.thumbnail.url': 'data:image/png;base64,AA',
      'field.Score': '12',
    },
  });
  assert.deepEqual(message, {
    sender: { name: 'Round bot', url: null, icon: null },
    embed: {
      title: 'Winner',
      fields: [{ name: 'Score', value: '12' }],
      colour: '#ff0000',
      url: null,
      author: { name: 'Referee', url: null, icon: null },
      footer: { name: 'season 3', url: null, icon: null },
      image: 'https://cdn.example/i.png',
      thumbnail: null,
    },
    text: 'Team red\nwon',
    attachments: [],
  });
});

for (const [body, metadata, title] of [
  ['Only a description', { 'embed.color': '#00ff00' }, null],
  ['A title with fields', { 'embed.color': '0x00ff00', 'field.Map': 'Harbour' }, 'A title with fields'],
  [`${'long '.repeat(60)}\nand more`, { 'embed.color': 'green' }, null],
] as const) {
  test(`the title of ${body.slice(0, 25)}`, () => {
    assert.equal(readChatMessage({ ...about, body, metadata })?.embed?.title, title);
  });
}

test('words alone, files, and what is no message', () => {
  const read = (metadata: Record<string, string>) => readChatMessage({ ...about, body: 'Hello', metadata });
  assert.equal(read({ 'chat.username': 'Ada' })?.embed, null);
  const files = {
    'attachments.0.filename': 'a.png',
    'attachments.0.url': 'https://a.example/a.png',
    'attachments.1.filename': 'b',
    'attachments.1.refused': 'too large',
  };
  assert.deepEqual(read(files)?.attachments, [
    { filename: 'a.png', url: 'https://a.example/a.png', mimeType: '', refusal: null },
    { filename: 'b', url: null, mimeType: '', refusal: 'too large' },
  ]);
  assert.equal(read({ 'chat.channel': 'global', 'field.x': '1' }), null);
});

test('loads pictures kept by the service from it, whatever their domain', () => {
  const own = { whole: '/media/default/2026/a%20b.png', small: '/media/default/2026/a%20b.png?w=640' };
  assert.deepEqual(findOwnAddress('https://cdn.example/media/default/2026/a b.png', 'default'), own);
  for (const url of [
    'https://cdn.example/a.png',
    '/media/default/a.png',
    'https://a.example/media/other/a.png',
  ])
    assert.equal(findOwnAddress(url, 'default'), null);
});
