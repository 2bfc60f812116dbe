/** Chat webhook payloads and what becomes of them, in tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRequest, openIngest } from '../../../tests/logs/ingests.ts';
import { type ChatItem, findChatEntries } from './chatEntries.ts';
import { format } from './chatFormat.worker.ts';
import { ingestChat } from './chatIntake.ts';

const range = { fromMicros: 0, toMicros: Date.UTC(2030, 0, 1) * 1000 };

function translateChat(payload: unknown, rules = { range }): ChatItem[] {
  const { entries, translate } = findChatEntries(payload, { level: null, attachments: [] }, rules);
  return entries.map(entry => translate?.(entry) as ChatItem); // what a chat becomes
}

function translateEmbed(embed: unknown): ChatItem {
  const [item] = translateChat({ embeds: [embed] });
  return item!;
}

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

test('content and embeds become entries, the embeds below the content', async () => {
  await using opened = await openIngest();
  const { traceId } = await ingestChat(opened.deps, makeRequest(roundOver), format);
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

test('without content the other embeds stand below the first', async () => {
  await using opened = await openIngest();
  const { traceId } = await ingestChat(
    opened.deps,
    makeRequest({ content: '', embeds: [{ title: 'a' }, {}, { title: 'c' }] }),
    format,
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

for (const payload of [
  {},
  { content: '' },
  { content: null, embeds: [] },
  { embeds: ['text'] },
  { username: 'x' },
  [],
  'text',
  null,
  7,
]) {
  test(`refuses ${JSON.stringify(payload)}`, () => {
    assert.throws(() => translateChat(payload), { name: 'ServiceError' });
  });
}

const levels = [
  [
    'info',
    undefined,
    null,
    0,
    0xffffff,
    0x5865f2,
    0x57f287,
    0x95a5a6,
    0x00ff00,
    0x0000ff,
    0xeb459e,
    0x1a0000,
    14423100, // crimson, which game frameworks give to any message
    '#DC143C',
    0xf40552, // the brand of a game platform
    0xe91e63,
    0xffc0cb,
    'blue',
    {},
    1.5,
  ],
  ['warn', 0xffff00, 0xffa500, 0xfee75c, 0xe67e22, 0xf1c40f, 0xc27c0e, '#ffcc00', '16776960'],
  [
    'error',
    0xff0000,
    0xed4245,
    0x992d22,
    0xe74c3c,
    0xdc3545,
    0xff1744,
    0xb00020,
    0xa70b28,
    '#FF0000',
    '0xff0000',
    '16711680',
  ],
] as const;

for (const [level, ...colours] of levels) {
  test(`colours that say ${level}`, () => {
    for (const color of colours)
      assert.equal(translateEmbed({ title: 't', color }).level, level, String(color));
  });
}

test('types are forgiven', () => {
  const [item] = translateChat({ content: 42, username: 7, embeds: 'none' });
  assert.deepEqual([item?.message, item?.resource], ['42', '7']);
  assert.equal(translateChat({ embeds: { title: 'alone' } })[0]?.message, 'alone');
  const embed = translateEmbed({
    title: 1,
    description: true,
    fields: [{ name: 'n', value: { a: 1 } }, 'x', { name: 'n', value: false }],
  });
  assert.equal(embed.message, '1\ntrue');
  assert.deepEqual(embed.metadata, { 'field.n': '{"a":1}\nfalse' });
  assert.deepEqual(translateEmbed({ fields: 'x', author: 'Referee' }).metadata, {
    'embed.author': 'Referee',
  });
});

test('null counts as absent wherever it stands in an embed', () => {
  const whole = translateEmbed({
    ...{ title: 't', description: null, url: null, color: null, timestamp: null, footer: null },
    author: { name: 'Referee', url: null, icon_url: null },
    image: { url: null, deep: { deeper: [null, { x: null, y: 1 }] } },
    fields: [null, { name: 'n', value: null }, { name: null, value: 'v' }],
  });
  assert.equal(whole.message, 't');
  assert.deepEqual(whole.metadata, {
    ...{ 'embed.author.name': 'Referee', 'embed.image.deep.deeper.1.y': '1', 'field.n': '', 'field.': 'v' },
  });
  const said = translateChat({ content: null, username: null, avatar_url: null, embeds: [null, {}] });
  assert.deepEqual(said, [{ level: 'info', message: '', resource: 'chat', metadata: {} }]);
});

for (const timestamp of ['yesterday', '2031-01-01T00:00:00Z', -5, true, null, '2026-13-01T00:00:00Z']) {
  test(`an embed's timestamp ${timestamp} counts as absent`, () => {
    assert.equal('timestamp' in translateEmbed({ title: 't', timestamp }), false);
  });
}

test('what is too long is cut between characters, and surplus fields are left out', async () => {
  await using opened = await openIngest();
  const fields = Array.from({ length: 400 }, (_, index) => ({
    name: `n${index}`,
    value: 'ä'.repeat(10_000),
  }));
  await ingestChat(
    opened.deps,
    makeRequest({ username: 'x'.repeat(20_000), embeds: [{ title: `a${'ä'.repeat(40_000)}`, fields }] }),
    format,
  );
  const [row] = await opened.takeRows();
  assert.equal(row?.message, `a${'ä'.repeat(32_767)}`);
  assert.equal(Object.keys(row?.metadata ?? {}).length, 256);
  assert.equal(row?.metadata['field.n0'], 'ä'.repeat(8_192));
});
