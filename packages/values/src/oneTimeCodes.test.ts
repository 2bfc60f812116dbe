/** Tests the vectors of RFC 4226 and RFC 6238, and which codes are accepted. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import {
  type CodeForm,
  composeKeyUri,
  encodeBase32,
  findStep,
  makeCode,
  newCodeSecret,
  stepAt,
} from './oneTimeCodes.ts';

const digits = '1234567890';
const seed = (bytes: number) => encodeBase32(Buffer.from(digits.repeat(7).slice(0, bytes)));

describe('RFC 4226, appendix D', () => {
  const codes = [
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ];
  for (const [counter, code] of codes.entries())
    it(`counter ${counter}: ${code}`, () => assert.equal(makeCode(seed(20), counter), code));
});

describe('RFC 6238, appendix B', () => {
  const rows: readonly [number, string, string, string][] = [
    [59, '94287082', '46119246', '90693936'],
    [1111111109, '07081804', '68084774', '25091201'],
    [1111111111, '14050471', '67062674', '99943326'],
    [1234567890, '89005924', '91819424', '93441116'],
    [2000000000, '69279037', '90698825', '38618901'],
    [20000000000, '65353130', '77737706', '47863826'],
  ];
  const forms: readonly [CodeForm['algorithm'] & string, number][] = [
    ['sha1', 20],
    ['sha256', 32],
    ['sha512', 64],
  ];
  for (const [seconds, ...codes] of rows) {
    for (const [index, [algorithm, bytes]] of forms.entries()) {
      it(`${seconds} s, ${algorithm}`, () =>
        assert.equal(makeCode(seed(bytes), stepAt(seconds * 1000), { digits: 8, algorithm }), codes[index]));
    }
  }
});

describe('RFC 4648, section 10, without its padding', () => {
  const rows = [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const;
  for (const [text, encoded] of rows)
    it(`"${text}"`, () => assert.equal(encodeBase32(Buffer.from(text)), encoded));
});

test('accepts the code of this step, the one before and the one after, and no other', () => {
  const secret = newCodeSecret();
  const now = 1_700_000_000_000;
  const step = stepAt(now);
  for (const near of [-1, 0, 1])
    assert.equal(findStep(secret, makeCode(secret, step + near), now), step + near);
  for (const far of [-3, -2, 2, 3]) {
    const code = makeCode(secret, step + far);
    const isNear = [-1, 0, 1].some(near => makeCode(secret, step + near) === code);
    assert.equal(findStep(secret, code, now) === null, !isNear);
  }
  for (const other of ['', '12345', '1234567', 'abcdef', '12345\u00e9'])
    assert.equal(findStep(secret, other, now), null);
});

test('secrets hold 160 bits and never repeat', () => {
  const secrets = Array.from({ length: 1000 }, newCodeSecret);
  assert.ok(secrets.every(secret => /^[A-Z2-7]{32}$/.test(secret)));
  assert.equal(new Set(secrets).size, secrets.length);
});

test("the key's URI names any issuer and account", () => {
  assert.equal(
    composeKeyUri({ issuer: 'Tape deck', account: 'a+b@example.org', secret: 'MZXW6YTB' }),
    'otpauth://totp/Tape%20deck:a%2Bb%40example.org?secret=MZXW6YTB&issuer=Tape%20deck',
  );
});
