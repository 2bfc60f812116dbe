/** Tests that the raised exception distinguishes Python tracebacks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPattern, findTemplate } from './patterns.ts';

const heading = 'Traceback (most recent call last):';
const frames = (line: number) => `  File "shop.py", line ${line}, in buy\n    pay(cart)\n    ~~~^^^^^^`;
const traceback = (line: number, raised: string) => `${heading}\n${frames(line)}\n${raised}`;

const rows: readonly (readonly [title: string, body: string, template: string])[] = [
  ['the exception', traceback(5, 'ValueError: bad value 52'), 'ValueError: bad value <n>'],
  ['with a trailing line end', traceback(7, 'KeyError: "cart"\n'), 'KeyError: "cart"'],
  ['the first line of its message', traceback(7, 'ValueError: first\nsecond'), 'ValueError: first'],
  ['of Windows', traceback(7, 'OSError: gone').replaceAll('\n', '\r\n'), 'OSError: gone'],
  [
    'the exception raised last',
    `${traceback(1, 'KeyError: 1')}\n\nDuring handling of the above exception, another exception occurred:\n\n${traceback(2, 'ShopError: closed')}`,
    'ShopError: closed',
  ],
  ['a truncated one', `${heading}\n${frames(5)}`, heading],
  ['only the heading', heading, heading],
  ['after a message', `it broke\n${traceback(5, 'ValueError: bad')}`, 'it broke'],
];

for (const [title, body, template] of rows)
  test(title, () => {
    const found = findPattern(body, {});
    assert.equal(found.template, template);
    assert.equal(findTemplate({ ...found, body, metadata: {} }), template);
  });

test('names in its message become their paths', () => {
  const { template } = findPattern(traceback(5, 'BanError: Olga Jones is banned'), { player: 'Olga Jones' });
  assert.equal(template, 'BanError: <player> is banned');
});

test('entries of an older version keep their template', () => {
  const body = traceback(5, 'ValueError: bad value 52');
  assert.equal(findTemplate({ pattern: findPattern(body).pattern, body, metadata: {} }), heading);
});
