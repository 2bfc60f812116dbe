/** Entries of a journal in the export format. */
import { testEntries, testRefusals } from '../../tests/reading.ts';
import { readJournal } from './protocol.ts';

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
  ['nothing', () => readJournal(text('')), []],
]);

testRefusals([
  ['a field without a name', () => readJournal(text('=x\n')), /Entry 0 has a field without a name/],
  [
    'a name of another kind',
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
