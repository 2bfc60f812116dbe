/** Checks which expressions of a SELECT get names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameRepeated } from './repeatedExpressions.ts';

const way = "JSONExtract(body, {p1:String}, 'Nullable(String)')";
const value = `coalesce(if(startsWith(${way}, ')'), NULL, ${way}), '')`;
/** Everything in it occurs twice, too. */
const named = `coalesce((if((startsWith((${way} AS e3), ')') AS e2), NULL, e3) AS e1), '')`;

const rows: readonly (readonly [title: string, select: string, expected: string])[] = [
  ['nothing twice', `SELECT ${way} FROM logs`, `SELECT ${way} FROM logs`],
  ['short ones', 'SELECT lower(body), lower(body) FROM logs', 'SELECT lower(body), lower(body) FROM logs'],
  [
    'outer and inner ones',
    `SELECT count() FROM logs WHERE ${value} != '' AND length(${value}) > 1`,
    `SELECT count() FROM logs WHERE (${named} AS e0) != '' AND length(e0) > 1`,
  ],
  [
    'one that has a name',
    `SELECT ${way} AS k0 FROM logs WHERE ${way} = 'a'`,
    `SELECT ${way} AS k0 FROM logs WHERE k0 = 'a'`,
  ],
  [
    'one that gets a name later',
    `SELECT length(${way}), ${way} AS k0 FROM logs`,
    `SELECT length((${way} AS e0)), e0 AS k0 FROM logs`,
  ],
  [
    'an argument beside a lambda, but none within',
    `SELECT arrayMap(x -> [x, ${way}, ${way}], [${way}])[1], ${way} FROM logs`,
    `SELECT arrayMap(x -> [x, ${way}, ${way}], [(${way} AS e0)])[1], e0 FROM logs`,
  ],
  [
    'none in a subquery',
    `SELECT (SELECT ${way} FROM other), ${way} FROM logs`,
    `SELECT (SELECT ${way} FROM other), ${way} FROM logs`,
  ],
  [
    'brackets and quotation marks in texts',
    String.raw`SELECT concat(body, 'it''s (', '\')', 'a long text'), concat(body, 'it''s (', '\')', 'a long text')`,
    String.raw`SELECT (concat(body, 'it''s (', '\')', 'a long text') AS e0), e0`,
  ],
  [
    'no parameters of aggregate functions',
    'SELECT quantiles(0.123456789, 0.234567891, 0.345678912)(a), quantiles(0.123456789, 0.234567891, 0.345678912)(b)',
    'SELECT quantiles(0.123456789, 0.234567891, 0.345678912)(a), quantiles(0.123456789, 0.234567891, 0.345678912)(b)',
  ],
];

for (const [title, select, expected] of rows)
  test(`names of expressions: ${title}`, () => assert.equal(nameRepeated(select), expected));

test('names of expressions: a long SELECT costs little, a longer one stays as it is', () => {
  const repeat = (times: number) => `SELECT ${`${value}, `.repeat(times)}1`;
  const startedAt = process.cpuUsage();
  assert.ok(nameRepeated(repeat(1_300)).length < 20_000);
  const { user, system } = process.cpuUsage(startedAt);
  assert.ok(user + system < 1_000_000, `took ${user + system} µs`);
  const longer = repeat(2_000);
  assert.equal(nameRepeated(longer), longer);
});
