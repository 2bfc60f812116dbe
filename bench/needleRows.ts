/**
 * Makes the entries of `logNeedles.ts` inside ClickHouse, in two kinds: texts of few different words and numbers, and texts in which nearly every
 * entry has unique identifiers.
 */
import type { RowRange } from './fillLogStore.ts';

export type TextKind = 'few words' | 'identifiers';

/** Each occurs in one of a fixed number of entries, and nowhere else. */
export const rareWords =
  'zweihander recalibrated quixotic brontide obelus widdershins petrichor syzygy halcyon nudiustertian jentacular'.split(
    ' ',
  );
const rareEach = 6_250;

/** Each has fifty of five million entries. */
export const players = 100_000;
export const firstPlayer = 100_000;

const requestId = 'lower(hex(sipHash128(number, 15)))';

const pick = (words: string, random: string) => {
  const list = words.split(' ');
  return `[${list.map(word => `'${word}'`).join(', ')}][1 + ${random} % ${list.length}]`;
};
const scripts = pick('oxmysql core society inventory admin monitor', 'a');
const models = pick('adder zentorno police sultan', 'b');
const fields = pick('coords metadata job gang vehicle', 'b');
const names = pick('Max Anna Kurt Lena Otto Emil', 'b');

/** `a` to `d` are independent random numbers of the row. */
const bodies: Record<TextKind, readonly string[]> = {
  'few words': [
    `concat('[', ${scripts}, '] query took ', toString(a % 900), ' ms: SELECT * FROM players WHERE id = ', toString(b % 100000))`,
    `concat('Connection from ', toString(a % 223), '.', toString(b % 255), '.', toString(c % 251), '.', toString(d % 255), ' accepted')`,
    `concat('Vehicle spawned: model=', ${models}, ' netId=', toString(a % 65535), ' at ', toString((c % 80000) / 8))`,
    `concat('GET /users/', toString(a % 1000000), '/inventory ', toString(c % 9999), ' "Mozilla"')`,
    `'Database heartbeat ok, all shards answer within limits'`,
    `concat('Player joined: ', ${names}, ' after ', toString(a % 4000), ' ms')`,
    `concat('Error in thread ', toString(a % 32), ': attempt to index a nil value (field ''', ${fields}, ''')')`,
    `concat('Transaction ', toString(number), ' committed by worker ', toString(a % 64), ' in ', toString(b % 100), ' ms')`,
  ],
  identifiers: [
    `concat('[', ${scripts}, '] query took ', toString(a % 900), ' ms: SELECT * FROM players WHERE identifier = license:', lower(hex(sipHash128(number, 3))))`,
    `concat('Connection from ', toString(a % 223), '.', toString(b % 255), '.', toString(c % 251), '.', toString(d % 255), ' accepted, session ', lower(base58Encode(toString(c))))`,
    `concat('Vehicle spawned: model=', ${models}, ' plate=', upper(substring(base58Encode(toString(c)), 1, 8)), ' netId=', toString(a % 65535))`,
    `concat('GET /api/v1/users/', toString(a % 1000000), '/inventory?token=', lower(hex(c)), ' 200 ', toString(d % 9999), ' "Mozilla/5.0"')`,
    `'Database heartbeat ok, all shards answer within limits'`,
    `concat('Player joined: ', ${names}, toString(a % 4000), ' (discord:', toString(100000000000000000 + d % 800000000000000000), ')')`,
    `concat('Error in thread ', toString(a % 32), ': attempt to index a nil value (field ''', ${fields}, ''') at ', lower(hex(c)), '.lua:', toString(d % 700))`,
    `concat('Transaction ', toString(generateUUIDv4(number)), ' committed by worker ', toString(a % 64), ' in ', toString(b % 100), ' ms')`,
  ],
};

export function formatNeedleRows(kind: TextKind): (range: RowRange) => string {
  const rare = rareWords.map(word => `'${word}'`).join(', ');
  return ({ first, count, startMicros, intervalMicros }) => `WITH
    sipHash64(number, 1) AS a, sipHash64(number, 2) AS b, sipHash64(number, 4) AS c, sipHash64(number, 5) AS d,
    number % ${rareEach} % 500 = 17 AND intDiv(number % ${rareEach}, 500) < ${rareWords.length} AS isRare
  SELECT 'default' AS project, 'default' AS dataset,
    fromUnixTimestamp64Micro(toInt64(${startMicros} + number * ${intervalMicros} + a % ${intervalMicros}), 'UTC') AS timestamp,
    9300000000000000000 + number AS identity,
    ${pick('debug info info info info info warn info info error', 'c')} AS level,
    concat('server-', toString(b % 40)) AS resource, '' AS parentId,
    concat([${bodies[kind].join(', ')}][1 + number % ${bodies[kind].length}],
      if(isRare, concat(' ', [${rare}][1 + intDiv(number % ${rareEach}, 500)], ' done'), '')) AS body,
    map('player.id', toString(${firstPlayer} + d % ${players}), 'ping', toString(b % 300),
      'requestId', ${requestId}, 'pos.x', toString((c % 80000) / 8)) AS metadata
  FROM numbers(${first}, ${count})`;
}
