/** Tests chat payloads and their entries, in tables. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChatItem, readChatMessage } from './messages.ts';

const range = { fromMicros: 0, toMicros: Date.UTC(2030, 0, 1) * 1000 };

function translateChat(payload: unknown): ChatItem[] {
  const options = { form: 'embeds', level: null, attachments: [] } as const;
  const { entries, translate } = readChatMessage(payload, options, range);
  return entries.map(translate);
}

function translateEmbed(embed: unknown): ChatItem {
  const [item] = translateChat({ embeds: [embed] });
  return item!;
}

for (const payload of [
  {},
  { content: '' },
  { content: null, embeds: [] },
  { embeds: ['text'] },
  { embeds: {} },
  { username: 'x' },
  [],
  'text',
  null,
  7,
]) {
  test(`refuses ${JSON.stringify(payload)}`, () => {
    assert.throws(() => translateChat(payload), { name: 'ChatFailure' });
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
    14423100, // crimson, which game frameworks use for any message
    '#DC143C',
    0xf40552, // a game platform's brand colour
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
  test(`colours that mean ${level}`, () => {
    for (const color of colours)
      assert.equal(translateEmbed({ title: 't', color }).level, level, String(color));
  });
}

test('accepts wrong types', () => {
  const [item] = translateChat({ content: 42, username: 7, embeds: 'none' });
  assert.deepEqual([item?.message, item?.resource], ['42', '7']);
  assert.equal(translateChat({ embeds: { title: 'alone' } })[0]?.message, 'alone');
  assert.deepEqual(
    translateChat({ content: 'an empty table', embeds: {} }).map(({ message }) => message),
    ['an empty table'],
  );
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

test('treats null as absent anywhere in an embed', () => {
  const whole = translateEmbed({
    title: 't',
    description: null,
    url: null,
    color: null,
    timestamp: null,
    footer: null,
    author: { name: 'Referee', url: null, icon_url: null },
    image: { url: null, deep: { deeper: [null, { x: null, y: 1 }] } },
    fields: [null, { name: 'n', value: null }, { name: null, value: 'v' }],
  });
  assert.equal(whole.message, 't');
  assert.deepEqual(whole.metadata, {
    'embed.author.name': 'Referee',
    'embed.image.deep.deeper.1.y': '1',
    'field.n': '',
    'field.': 'v',
  });
  const said = translateChat({ content: null, username: null, avatar_url: null, embeds: [null, {}] });
  assert.deepEqual(said, [{ level: 'info', message: '', resource: 'chat', metadata: {} }]);
});

for (const timestamp of ['yesterday', '2031-01-01T00:00:00Z', -5, true, null, '2026-13-01T00:00:00Z']) {
  test(`treats an embed's timestamp ${timestamp} as absent`, () => {
    assert.equal('timestamp' in translateEmbed({ title: 't', timestamp }), false);
  });
}

test('includes the texts of components, and the colour of a container', () => {
  const container = {
    type: 17,
    accent_color: 0xff0000,
    components: [
      { type: 10, content: '# Kick' },
      { type: 9, components: [{ type: 10, content: 'speed hack' }], accessory: { type: 2, label: 'Undo' } },
    ],
  };
  const [item, ...others] = translateChat({
    components: [container, { type: 1, components: [] }],
    flags: 1 << 15,
  });
  assert.deepEqual([item?.level, item?.message, others], ['error', '# Kick\nspeed hack', []]);
  assert.equal(translateChat({ content: 'see', components: [{ content: 'more' }] })[0]?.message, 'see\nmore');
});

test('includes the texts of blocks, without repeating the fallback text', () => {
  const text = { type: 'mrkdwn', text: '*Deployed* `v2`' };
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: 'Release' } },
    { type: 'section', text, fields: [{ type: 'mrkdwn', text: 'by hand' }] },
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'fine' }] }],
    },
    { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Undo' } }] },
  ];
  const said = 'Release\n*Deployed* `v2`\nby hand\nfine';
  const options = { form: 'attachments', level: null, attachments: [] } as const;
  const read = (message: object) => {
    const { entries, translate } = readChatMessage(message, options, range);
    return entries.map(entry => translate(entry).message);
  };
  assert.deepEqual(read({ text: 'Release', blocks }), [said]);
  assert.deepEqual(read({ text: 'In short', blocks }), [`In short\n${said}`]);
  assert.deepEqual(read({ attachments: [{ color: 'danger', blocks }] }), [said]);
});

test('reads a layout of any depth as far as an entry has room', () => {
  let nested: unknown = { content: 'deep' };
  for (let depth = 0; depth < 20_000; depth++) nested = { components: [nested] };
  assert.equal(translateChat({ components: [nested] })[0]?.message, 'deep');
  const many = Array.from({ length: 20_000 }, () => ({ content: 'x'.repeat(100) }));
  assert.equal(translateChat({ components: many })[0]?.message.length, 64 * 1024);
});
