/** Checks label filters by number, duration and size against results of Go's packages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePipeline, formatLogql, parseForPrinting, parseLogql } from '@tapedeck/logql';

/** Returns the message of the error label, or whether the filter keeps the line. */
function run(filter: string, text: string): string | boolean {
  const query = parseLogql(`{job="x"} | v ${filter}`);
  assert.ok(query.kind === 'log');
  const pipeline = compilePipeline(query.stages, { aliases: new Map(), required: null });
  const processed = pipeline({ micros: 0, text: 'line', stream: [['v', text]], metadata: [] });
  const { __error_details__: error } = Object.fromEntries(processed?.labels.list() ?? []);
  return error ?? processed !== null;
}

const rows: readonly (readonly [filter: string, text: string, result: string | boolean])[] = [
  ['== 1000', '1_000', true],
  ['== 10005', '1_000.5_0e1', true],
  ['== 16', '0x_1p4', true],
  ['> 0', '1__0', 'strconv.ParseFloat: parsing "1__0": invalid syntax'],
  ['> 0', '_1', 'strconv.ParseFloat: parsing "_1": invalid syntax'],
  ['> 0', '-NaN', 'strconv.ParseFloat: parsing "-NaN": invalid syntax'],
  ['> 0', '1\v', 'strconv.ParseFloat: parsing "1\\v": invalid syntax'],
  ['== 5B', ',5', true],
  ['> 1B', '.51,000', false],
  ['> 1s', '99s+3us', 'time: unknown unit "s+" in duration "99s+3us"'],
  ['> 1s', '5.us-3h', 'time: unknown unit "us-" in duration "5.us-3h"'],
  ['> 1s', '1e3\u00b5s', 'time: unknown unit "e" in duration "1e3\\xc2\\xb5s"'],
  ['> 1s', 'a\t"b"', 'time: invalid duration "a\\x09\\"b\\""'],
  ['> 1s', '18446744073709551616', 'time: invalid duration "18446744073709551616"'],
  ['> 1s', '9223372036854775807', 'time: missing unit in duration "9223372036854775807"'],
  ['> 1s', '9999999999s', 'time: invalid duration "9999999999s"'],
];

for (const [filter, text, result] of rows)
  test(`| v ${filter} of ${JSON.stringify(text)}`, () => assert.equal(run(filter, text), result));

// JavaScript's last digits are others.
const powers: readonly (readonly [text: string, result: string])[] = [
  ['9.697 ^ -4', '0.00011309682618172763'],
  ['15.833 ^ 7', '2.4942643666002026e+08'],
  ['59.481 ^ 3', '210443.14518164104'],
  ['17.327 ^ 6', '2.706077637512941e+07'],
  ['78.86 ^ 5', '3.049887806842649e+09'],
  ['93.285 ^ 5', '7.06413644863579e+09'],
  ['60.466 ^ 1.8', '1609.608406260098'],
  ['9.697 ^ 3.3', '1802.6167636119685'],
  ['28.303 ^ 0.9', '20.260456395426953'],
  ['1 ^ (2 ^ 10000)', '1'],
  ['-1 ^ (2 ^ 10000)', '1'],
  ['-8 ^ 3', '-512'],
  ['-8 ^ 0.5', 'NaN'],
  ['0 ^ -1', '+Inf'],
];

for (const [text, result] of powers)
  test(`${text} is ${result}`, () => assert.equal(formatLogql(parseForPrinting(text)), result));
