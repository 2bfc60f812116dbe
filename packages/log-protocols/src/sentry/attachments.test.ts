/** Tests that attachments are separated from an envelope, however it is cut into chunks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AttachmentSeparator } from './attachments.ts';
import { readEnvelope } from './envelope.ts';

function separate(body: Buffer, chunkBytes: number) {
  const separator = new AttachmentSeparator(type => type === 'event' || type === 'log');
  const rest: Buffer[] = [];
  const files: { filename: string; bytes: Buffer[] }[] = [];
  const take = (parts: ReturnType<AttachmentSeparator['add']>) => {
    for (const part of parts)
      if (part.kind === 'file') files.push({ filename: part.filename, bytes: [] });
      else if (part.kind === 'content') files.at(-1)?.bytes.push(part.bytes);
      else rest.push(part.bytes);
  };
  for (let at = 0; at < body.length; at += chunkBytes)
    take(separator.add(body.subarray(at, at + chunkBytes)));
  take(separator.finish());
  assert.equal(separator.pendingBytes, 0);
  return {
    rest: readEnvelope(Buffer.concat(rest)),
    files: files.map(({ filename, bytes }) => [filename, Buffer.concat(bytes).toString()]),
  };
}

const event = '{"type":"event"}\n{"message":"m"}\n';
const chunkSizes = [1, 3, 64, 100_000];

for (const [title, text, items, files] of [
  ['nothing but headers', '{"event_id":"a"}', [], []],
  ['an event alone', `{}\n${event}`, [['event', '{"message":"m"}']], []],
  [
    'a file by its length, with line ends in it',
    `{}\n{"type":"attachment","filename":"a","length":5}\n1\n2\n3\n\n${event}`,
    [
      [undefined, ''],
      ['event', '{"message":"m"}'],
    ],
    [['a', '1\n2\n3']],
  ],
  [
    'files without a length, the last one cut by the end',
    `{}\n${event}{"type":"attachment","filename":"a"}\nline\n{"type":"attachment"}\nend`,
    [
      ['event', '{"message":"m"}'],
      [undefined, ''],
      [undefined, ''],
    ],
    [
      ['a', 'line'],
      ['', 'end'],
    ],
  ],
  [
    'empty payloads',
    '{}\n{"type":"attachment","length":0}\n{"type":"event","length":0}\n\n\n{"type":"attachment","filename":"z"}',
    [
      [undefined, ''],
      ['event', ''],
      [undefined, ''],
    ],
    [
      ['', ''],
      ['z', ''],
    ],
  ],
  [
    'payloads that nothing reads',
    `{}\n{"type":"replay_recording","length":4}\n\n\n{}{"type":"log","length":3}\n[\n]\n`,
    [
      [undefined, ''],
      ['log', '[\n]'],
    ],
    [],
  ],
] as const)
  test(`Separated: ${title}`, () => {
    for (const size of chunkSizes) {
      const found = separate(Buffer.from(text), size);
      const read = found.rest.items.map(({ headers, payload }) => [headers.type, payload.toString()]);
      assert.deepEqual([read, found.files], [items, files], `chunks of ${size}`);
    }
  });

test('an envelope that cannot be separated is refused as it is when whole', () => {
  for (const [text, expected] of [
    ['{}\n{"type":"attachment","length":9}\n123', /Item 0 is shorter/],
    ['{}\n{"type":"attachment","length":9}', /Item 0 is shorter/],
    [`{}\n${event}no object\n`, /Item 1 must begin/],
    [`{}\n${'{}\n\n'.repeat(1001)}`, /at most 1000 items/],
    ['x'.repeat(300_000), /header lines/],
  ] as const)
    for (const size of chunkSizes) assert.throws(() => separate(Buffer.from(text), size), expected);
});
