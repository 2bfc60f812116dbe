/** Tests reading settings from text, and the messages about wrong ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as readers from './index.ts';

const good: readonly (readonly [value: unknown, read: () => unknown])[] = [
  ['0.0.0.0', () => readers.readAddress('HOST', '0.0.0.0')],
  [33_554_432, () => readers.readByteSize('SIZE', '32MiB')],
  [1_500, () => readers.readByteSize('SIZE', '1.5 kB')],
  [true, () => readers.readFlag('FLAG', 'TRUE')],
  [null, () => readers.readNumber('RATE', 'off', { min: 1, max: 9 })],
  [[], () => readers.readSubnets('NETS', 'none')],
  ['https://a.example', () => readers.readPublicUrl('URL', 'https://a.example/')],
  [['http://a', 'http://b'], () => readers.readUrls('URLS', 'http://a, http://b')],
  [null, () => readers.readToken('TOKEN', undefined, { min: 1, max: 9 })],
];

for (const [index, [value, read]] of good.entries()) {
  test(`good value ${index}`, () => assert.deepEqual(read(), value));
}

const bad: readonly (readonly [sentence: RegExp, read: () => unknown])[] = [
  [/^HOST must be an IP address/, () => readers.readAddress('HOST', 'a b')],
  [/^SIZE must be a size/, () => readers.readByteSize('SIZE', '32 furlongs')],
  [/^FLAG must be true or false/, () => readers.readFlag('FLAG', 'yes')],
  [/^PORT must be a whole number from 0 to 65535\.$/, () => readers.readPort('PORT', '65536')],
  [
    /^RATE must be off or a whole number from 1 to 9/,
    () => readers.readNumber('RATE', '10', { min: 1, max: 9 }),
  ],
  [/^NETS must hold .* this is invalid: "x"/, () => readers.readSubnets('NETS', '10.0.0.1,x')],
  [/^URL must be a URL without spaces/, () => readers.readUrl('URL', 'http://a/\nb', ['http:'])],
  [/^URL must be a URL without spaces/, () => readers.readUrl('URL', 'http:\\\\a', ['http:'])],
  [/^URL must be a URL without a user/, () => readers.readPublicUrl('URL', 'http://a:b@c')],
  [/^TOKEN must be 4 to 9 characters long/, () => readers.readToken('TOKEN', 'abc', { min: 4, max: 9 })],
  [/^TOKEN must be printable ASCII/, () => readers.readToken('TOKEN', 'a b c', { min: 4, max: 9 })],
];

for (const [sentence, read] of bad) {
  test(`refuses: ${sentence.source}`, () => {
    assert.throws(read, { name: 'SettingError', message: sentence });
  });
}
