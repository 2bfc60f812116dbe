/** Tests reading journal entries in the export format, and cutting long journals into pieces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testEntries, testRefusals } from '../../tests/reading.ts';
import { JournalPieces } from './journalPieces.ts';
import { journald, readJournal } from './protocol.ts';

const binary = (name: string, value: string) => {
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(Buffer.byteLength(value)));
  return Buffer.concat([Buffer.from(`${name}\n`), size, Buffer.from(`${value}\n`)]);
};
const text = (lines: string) => Buffer.from(lines);

testEntries([
  [
    'fields as text and as bytes, and several entries',
    () =>
      readJournal(
        Buffer.concat([
          text(
            '__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1763884800123456\nPRIORITY=3\nSYSLOG_IDENTIFIER=game\n',
          ),
          binary('MESSAGE', 'two\n\nlines=x'),
          text('_HOSTNAME=h\nA=1\nA=2\n\n\nMESSAGE=second\n_SYSTEMD_UNIT=a.service'),
        ]),
      ),
    [
      {
        level: 'error',
        message: 'two\n\nlines=x',
        resource: 'game',
        timestamp: 1763884800123.456,
        metadata: { __CURSOR: 's=1;i=2', _HOSTNAME: 'h', A: ['1', '2'] },
      },
      { message: 'second', resource: 'a.service' },
    ],
  ],
  [
    'a time in the future stays beside the entry',
    () => readJournal(text('MESSAGE=a\n__REALTIME_TIMESTAMP=4102444800000000\n')),
    [{ message: 'a', metadata: { __REALTIME_TIMESTAMP: '4102444800000000' } }],
  ],
  ['nothing', () => readJournal(text('')), []],
]);

testRefusals([
  ['a field without a name', () => readJournal(text('=x\n')), /Entry 0 has a field without a name/],
  [
    'a name with forbidden characters',
    () => readJournal(text('MESSAGE=a\n\nlower=x\n')),
    /Entry 1 has a field whose name/,
  ],
  ['bytes that are cut off', () => readJournal(binary('MESSAGE', 'long').subarray(0, 18)), /cut off/],
  [
    'a length beyond the body',
    () => readJournal(text('MESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xff')),
    /cut off/,
  ],
]);

test('keeps as much of a large entry as fits', () => {
  const twice = Array.from({ length: 200 }, (_, index) => `F${index}=v\nF${index}=w\n`).join('');
  const [entry] = readJournal(text(`MESSAGE=m\nX=${'v'.repeat(20_000)}\n${twice}`));
  assert.equal(Object.keys(entry?.metadata ?? {}).length, 256);
  assert.equal(entry?.metadata.X, 'v'.repeat(16_384));
  assert.equal(entry?.metadata.truncated, '146 values left out, metadata.X: 20000 bytes');
});

test('cuts a long journal after entries, at the same places however it arrives', () => {
  const entry = Buffer.concat([
    text('__CURSOR=a\n'),
    binary('MESSAGE', `one\n\ntwo=${'x'.repeat(99_000)}`),
    text('PRIORITY=6\n\n'),
  ]);
  const journal = Buffer.concat(Array<Buffer>(20).fill(entry));
  const cut = (chunkBytes: number) => {
    const pieces = new JournalPieces(entry.length * 10);
    const found: Buffer[] = [];
    for (let at = 0; at < journal.length; at += chunkBytes)
      found.push(...pieces.add(journal.subarray(at, at + chunkBytes)));
    return [...found, pieces.finish()];
  };
  const whole = cut(400_001);
  assert.deepEqual(
    whole.map(piece => readJournal(piece).length),
    [6, 6, 6, 2],
  );
  for (const chunkBytes of [65_536, 99_123]) assert.deepEqual(cut(chunkBytes), whole);
  assert.throws(() => new JournalPieces(1_000).add(binary('MESSAGE', 'x'.repeat(2_000))), {
    code: 'body_too_large',
    message: 'A journal entry may hold at most 1,000 bytes.',
  });
});

test('shortens fields that are larger than a piece, however they arrive', () => {
  const large = 'x'.repeat(20_000_000);
  const journal = Buffer.concat([
    text(`MESSAGE=one\nDUMP=${large}\n`),
    binary('COREDUMP', `${large}\n`),
    text('AFTER=1\n\nMESSAGE=two\n'),
  ]);
  const cut = (chunkBytes: number) => {
    const pieces = new JournalPieces(4_000_000);
    const found: Buffer[] = [];
    for (let at = 0; at < journal.length; at += chunkBytes)
      found.push(...pieces.add(journal.subarray(at, at + chunkBytes)));
    return [...found, pieces.finish()];
  };
  const whole = cut(journal.length);
  const entries = whole.flatMap(piece => readJournal(piece));
  assert.deepEqual(
    entries.map(({ message, metadata }) => [message, Object.keys(metadata ?? {})]),
    [
      ['one', ['DUMP', 'COREDUMP', 'AFTER', 'truncated']],
      ['two', []],
    ],
  );
  for (const chunkBytes of [65_536, 1_048_575, 1_048_577]) assert.deepEqual(cut(chunkBytes), whole);
  const pieces = new JournalPieces(4_000_000);
  pieces.add(journal.subarray(0, 30_000_000));
  assert.throws(() => pieces.finish(), { code: 'bad_request', message: 'The last field is cut off.' });
});

for (const [title, text] of [
  ['many fields', 'A=1\n'.repeat(1_000_000)],
  ['a long line', 'A'.repeat(1_000_000)],
] as const)
  test(`holds an entry that arrives in tiny chunks without copying it each time: ${title}`, () => {
    const journal = Buffer.from(text);
    const pieces = new JournalPieces(5_000_000);
    const startedAt = performance.now();
    for (let at = 0; at < journal.length; at += 40) pieces.add(journal.subarray(at, at + 40));
    assert.ok(pieces.finish().equals(journal));
    // Copying all bytes for each chunk would take more than a minute.
    assert.ok(performance.now() - startedAt < 5_000);
  });

test('tells the uploader, which logs the response, about omitted entries', () => {
  const request = { method: 'POST', path: '/upload', headers: {}, query: {}, params: {} };
  const answers = [0, 2].map(shown =>
    journald.entryRoutes[0]?.answer({ request, shown, dataset: 'default', elapsedMs: 1 }),
  );
  assert.deepEqual(
    answers.map(answer => [answer?.status, answer?.body]),
    [
      [202, 'OK.\n'],
      [
        202,
        'OK, but 2 of the entries were not stored: they are older than the retention of their dataset, or exceed its limits.\n',
      ],
    ],
  );
});
