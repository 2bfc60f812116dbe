/** Tests base64 in every variant, cut anywhere. `Buffer` provides the expected bytes; a table tests strictness. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Base64Decoder, decodeBase64 } from './base64.ts';

/** Decodes text in pieces that end at these positions. */
function decode(text: string, cuts: readonly number[] = []): Buffer {
  const decoder = new Base64Decoder('base64');
  const ends = [...new Set(cuts.map(cut => cut % (text.length + 1)))].sort((a, b) => a - b);
  const pieces = [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
  return Buffer.concat([...pieces.map(piece => decoder.decode(piece)), decoder.finish()]);
}

const cuts = fc.array(fc.nat(2000), { maxLength: 12 });
const prefixes = ['', 'data:;base64,', 'data:image/png;base64,', 'DATA:text/plain;charset=utf-8;BASE64,'];

describe('Base64', () => {
  it('decodes to the original bytes, in any notation and split anywhere', () => {
    const whiteSpace = fc.array(fc.tuple(fc.nat(2000), fc.constantFrom(' ', '\n', '\r\n', '\t', '\f')), {
      maxLength: 9,
    });
    const property = fc.property(
      fc.uint8Array({ maxLength: 600 }),
      fc.record({
        isUrl: fc.boolean(),
        isBare: fc.boolean(),
        prefix: fc.constantFrom(...prefixes),
        whiteSpace,
        cuts,
      }),
      (bytes, dress) => {
        const plain = Buffer.from(bytes).toString(dress.isUrl ? 'base64url' : 'base64');
        let text = dress.prefix + (dress.isBare ? plain.replace(/=+$/, '') : plain);
        for (const [at, gap] of dress.whiteSpace) {
          const position = at % (text.length + 1);
          text = text.slice(0, position) + gap + text.slice(position);
        }
        assert.deepEqual(decode(text, dress.cuts), Buffer.from(bytes));
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });

  it('is refused with any foreign character, anywhere and split anywhere', () => {
    const foreign = fc.constantFrom('*', '%', '.', ',', '=', '\xe9', '\0', '\v', '\xa0', '\xff');
    const property = fc.property(
      fc.uint8Array({ minLength: 3, maxLength: 300 }),
      fc.nat(500),
      foreign,
      cuts,
      (bytes, at, sign, cuts) => {
        const plain = Buffer.from(bytes).toString('base64').replace(/=+$/, '');
        const position = at % plain.length; // never at the very end, where = is allowed
        const text = plain.slice(0, position) + sign + plain.slice(position);
        assert.throws(() => decode(text, cuts), { code: 'base64_invalid' });
      },
    );
    fc.assert(property, { numRuns: 3000 });
  });

  const good: [text: string, bytes: string][] = [
    ['', ''],
    [' \n ', ''],
    ['QQ==', 'A'],
    ['QQ', 'A'],
    ['QQ = =', 'A'],
    ['QUI=', 'AB'],
    ['QUI', 'AB'],
    ['QUJD', 'ABC'],
    ['data', 'u\xabZ'],
    ['dat', 'u\xab'],
    ['data:;base64,', ''],
    [' data:image/png;base64, QQ==', 'A'],
    ['data:image/png;name=a b.png;base64,QQ==', 'A'],
    ['-_-_', '\xfb\xff\xbf'],
    ['+/-_', '\xfb\xff\xbf'],
  ];
  for (const [text, bytes] of good) {
    it(`${JSON.stringify(text)} decodes to ${JSON.stringify(bytes)}, split or whole`, () => {
      assert.equal(decode(text).toString('latin1'), bytes);
      assert.equal(
        decode(
          text,
          Array.from(text, (_, index) => index),
        ).toString('latin1'),
        bytes,
      );
    });
  }

  const bad = [
    '=',
    '==',
    '====',
    'Q',
    'QUJDQ',
    'Q===',
    'QQ=',
    'QQ===',
    'QQ==QQ==',
    'QQ==Q',
    'QUI==',
    'QUJD=',
    'Q=Q=',
    'QQ= ==',
    'data:',
    'data:image/png,QQ==',
    'data:image/png;base64',
    'data:image/png;base64=1,QQ==',
    'date:;base64,QQ==',
    'data:;base64,data:;base64,QQ==',
    '\xef\xbb\xbfQQ==',
    '{"base64":"QQ=="}',
    'QQ%3D%3D',
    `data:${'x'.repeat(3000)}`,
  ];
  for (const text of bad) {
    it(`${JSON.stringify(text.slice(0, 40))} is refused, split or whole`, () => {
      assert.throws(() => decode(text), { code: 'base64_invalid' });
      assert.throws(
        () =>
          decode(
            text,
            Array.from(text, (_, index) => index),
          ),
        { code: 'base64_invalid' },
      );
    });
  }

  it('is read from a body in chunks', async () => {
    const body = (async function* () {
      yield Buffer.from('data:image/png;ba');
      yield Buffer.from('se64,QUJ');
      yield Buffer.from('DRA');
    })();
    const chunks = [];
    for await (const chunk of decodeBase64(body, 'base64')) chunks.push(chunk);
    assert.equal(Buffer.concat(chunks).toString(), 'ABCD');
  });
});
