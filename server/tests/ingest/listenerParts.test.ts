/** Parts of the listeners that take too long, or too much data, to test over a socket. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeldMessages, MessageReader } from '../../src/listeners/forwardMessages.ts';
import { readArrivingPortions } from '../../src/listeners/forwardPortions.ts';
import { GrowingBytes } from '../../src/listeners/growableBuffer.ts';
import { TroubleLog } from '../../src/listeners/troubleLog.ts';
import { requireShortHolds } from '../support/eventLoop.ts';

type Line = { facts: { err: unknown; lost: number; times?: number }; sentence: string };

function openLog() {
  const lines: Line[] = [];
  const warn = (facts: Line['facts'], sentence: string) => void lines.push({ facts, sentence });
  return { lines, log: { warn: warn as never } }; // the only one of pino's overloads in use
}

test('reports each reason at once, with the number of repeats', () => {
  const { lines, log } = openLog();
  {
    using troubles = new TroubleLog(log, 'not taken');
    for (let round = 0; round < 1000; round++) troubles.report(new Error('one'), 2);
    troubles.report(new Error('other'), 0);
    assert.deepEqual(
      lines.map(({ facts: { lost }, sentence }) => `${sentence} ${lost}`),
      ['not taken 2', 'not taken 0'],
    );
  }
  assert.deepEqual(
    lines.slice(2).map(({ facts: { lost, times } }) => [lost, times]),
    [[1998, 999]],
  );
});

test('reports too many different reasons as one', () => {
  const { lines, log } = openLog();
  using troubles = new TroubleLog(log, 'not taken');
  for (let round = 0; round < 1000; round++) troubles.report(new Error(`reason ${round}`), 0);
  assert.equal(lines.length, 21);
});

test('receives bytes in parts whole, and never changes them afterwards', () => {
  for (const step of [1, 3, 7, 1000]) {
    const incoming = new GrowingBytes();
    const sent = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
    const taken: Buffer[] = [];
    for (let at = 0; at < sent.length; at += step) {
      incoming.add(Buffer.from(sent.subarray(at, at + step)));
      while (incoming.bytes.length >= 10) taken.push(incoming.take(10));
    }
    assert.equal(incoming.bytes.length, 0);
    assert.deepEqual(Buffer.concat(taken), sent);
  }
});

test('reads a long list of tiny values in turns', async () => {
  const values = 60_000; // what one chunk of a connection may hold
  const list = Buffer.alloc(5, 0xdd); // MessagePack: a list, and its length in four bytes
  list.writeUInt32BE(values, 1);
  const message = Buffer.concat([Buffer.from([0x92, 0xa1, 0x74]), list, Buffer.alloc(values, 0xc0)]);
  await requireShortHolds(async () => {
    const held = new HeldMessages();
    const options = { held, bytesMax: () => 1_000, takesLong: () => true };
    const reader = new MessageReader(twoChunks(message), options);
    for await (const sent of reader.read()) {
      assert.ok('events' in sent);
      let read = 0;
      for await (const portion of readArrivingPortions(sent.events, held)) read += portion.length;
      assert.equal(read, values);
    }
  });
});

/** The first holds enough to show that the message is long. */
async function* twoChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes.subarray(0, 2_000);
  yield bytes.subarray(2_000);
}
