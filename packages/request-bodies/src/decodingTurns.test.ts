/** Tests that large bodies take turns, packed or not, that the queue is limited, and that small bodies do not wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { heldBytesMax } from './bodyMemory.ts';
import { type DecodedBody, decodeBody, largeDecodingsMax } from './contentEncodings.ts';

const mebibyte = 1024 * 1024;
const options = { bytesMax: 10 * mebibyte, briefBytesMax: mebibyte };
const ownDecodingsMax = Math.ceil(largeDecodingsMax / 2);
const large = Buffer.alloc(options.bytesMax, ' ');
const forms: readonly [string, Buffer, string | undefined][] = [
  ['without compression', large, undefined],
  ['with gzip', gzipSync(large), 'gzip'],
];

function decode(bytes: Buffer, contentEncoding?: string, holder = 'somebody'): Promise<DecodedBody> {
  return decodeBody({ bytes, contentEncoding, holder }, options);
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, 'it does not come to that');
    await wait(5);
  }
}

for (const [form, body, encoding] of forms) {
  test(`large bodies ${form} wait until others are stored, and small ones do not`, async () => {
    const begun: DecodedBody[] = [];
    const all = Array.from({ length: ownDecodingsMax + 2 }, async () => {
      begun.push(await decode(body, encoding));
    });
    await until(() => begun.length >= ownDecodingsMax);
    (await decode(Buffer.from('[]'), undefined))[Symbol.dispose]();
    (await decode(gzipSync('[]'), 'gzip'))[Symbol.dispose]();
    const begunFirst = begun.length;
    for (let stored = 0; stored < all.length; stored++) {
      await until(() => begun.length > stored);
      begun[stored]?.[Symbol.dispose]();
    }
    await Promise.all(all);
    assert.equal(begunFirst, ownDecodingsMax);
  });
}

test('refuses more waiting bodies than a limit, and the others keep their turn', async () => {
  const waitingMax = Math.floor(heldBytesMax / 2 / large.length);
  const all = Array.from({ length: waitingMax + 3 }, async () => {
    using decoded = await decode(large, undefined);
    return decoded.bytes.length;
  });
  const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 3);
  await Promise.all(all.slice(0, waitingMax));
  using again = await decode(large, undefined);
  assert.equal(again.bytes, large);
});

test('takes large bodies of one project while those of another are stored', async () => {
  using held = new DisposableStack();
  for (let index = 0; index < ownDecodingsMax; index++) held.use(await decode(large, undefined, 'one'));
  const waiting = decode(large, undefined, 'one');
  for (let index = 0; index < 5; index++)
    (await decode(large, undefined, `other ${index}`))[Symbol.dispose]();
  held.dispose();
  (await waiting)[Symbol.dispose]();
});
