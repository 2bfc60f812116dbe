/** Makes the entries of `home.ts` inside ClickHouse: about four hundred patterns in three datasets, a few of them new on the last day. */
import type { RowRange } from './fillLogStore.ts';

const verbs =
  'joined left spawned saved loaded closed opened dropped queued granted refused reloaded expired synced kicked banned moved'.split(
    ' ',
  );
const things =
  'player vehicle inventory session match zone weapon door job account society garage phone ticket market bank house gang radio anchor squad mission loot'.split(
    ' ',
  );
const newThings = ['dragon', 'comet', 'ferry'];
const dayMicros = 86_400_000_000;

const pick = (words: readonly string[], number: string) =>
  `[${words.map(word => `'${word}'`).join(', ')}][1 + ${number} % ${words.length}]`;

/** Every fiftieth entry is an error. Some entries of the last day have new patterns. */
export function formatHomeRows(endMicros: number): (range: RowRange) => string {
  return ({ first, count, startMicros, intervalMicros }) => `WITH
    sipHash64(number, 1) AS a, sipHash64(number, 2) AS b, sipHash64(number, 4) AS c,
    toInt64(${startMicros} + number * ${intervalMicros} + a % ${intervalMicros}) AS micros,
    micros > ${endMicros - dayMicros / 2} AND c % 1000 = 0 AS isNews
  SELECT 'default' AS project, ${pick(['default', 'economy', 'chat'], 'c')} AS dataset,
    fromUnixTimestamp64Micro(micros, 'UTC') AS timestamp,
    9300000000000000000 + number AS identity,
    multiIf(b % 50 = 0, 'error', b % 50 < 4, 'warn', b % 50 < 14, 'debug', 'info') AS level,
    concat('server-', toString(b % 40)) AS resource, '' AS parentId,
    concat(if(isNews, ${pick(newThings, 'b')}, ${pick(things, 'b')}), ' ', toString(a % 65535), ' ', ${pick(verbs, 'a')}, ' after ', toString(c % 4000), ' ms') AS body,
    map('player.id', toString(100000 + c % 20000), 'ping', toString(b % 300)) AS metadata
  FROM numbers(${first}, ${count})`;
}
