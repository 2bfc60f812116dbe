/** Makes the entries of `logQueries.ts` inside ClickHouse, like those of game servers, with names, numbers and ids. */
import type { RowRange } from './fillLogStore.ts';

const lists = {
  colours:
    'amber birch cedar delta ember frost grove harbor indigo jungle kestrel lagoon meadow nectar onyx prairie quartz raven sierra tundra',
  animals:
    'fox wolf hawk bear lynx otter crow viper tiger panda moose shark eagle bison gecko heron koala lemur mole newt',
  resources: 'inventory matchmaking economy voice auth world physics chat vehicles anticheat queue database',
  items: 'item sword shield potion helmet boots ring scroll torch arrow hammer rope lantern compass map key',
  regions: 'eu-west eu-central us-east us-west ap-south sa-east',
  levels: 'debug info info info info info warn info info error',
};

const array = (words: string) =>
  `[${words
    .split(' ')
    .map(word => `'${word}'`)
    .join(', ')}]`;

/** `a` to `d` are independent random numbers of the row. */
const templates = [
  "concat('Player ', player, ' joined from ', address, ' after ', toString(c % 9000), ' ms')",
  "concat('Player ', player, ' left the server: ', ['timeout', 'quit', 'kicked for idling', 'connection reset by peer'][1 + c % 4])",
  "concat('Saved inventory of ', player, ' with ', toString(c % 64), ' items in ', toString(d % 400), ' ms')",
  "concat('Request GET /api/shop/', item, '/', toString(d % 100000), ' answered 200 in ', toString(c % 900), ' ms')",
  "concat('Vehicle ', toString(c % 100000), ' spawned at (', toString((c % 800000) / 100), ', ', toString((d % 800000) / 100), ')')",
  "concat('Transaction ', lower(hex(d)), ' of ', toString(c % 50000), ' coins from ', player, ' to ', other, ' completed')",
  "concat('Heartbeat from node ', toString(c % 64), ' with ', toString(d % 128), ' players, tick ', toString(number))",
  "concat('Failed to load chunk (', toString(c % 4000), ', ', toString(d % 4000), '): file not found, retrying in ', toString(c % 30), ' s')",
  "concat('Slow query on table ', ['players', 'vehicles', 'bans', 'items', 'transactions'][1 + c % 5], ': ', toString(200 + d % 4000), ' ms, rows ', toString(b % 100000))",
  "concat('Chat message from ', player, ' in channel ', ['global', 'trade', 'team', 'local'][1 + c % 4], ': selling ', item, ' for ', toString(c % 5000), ' coins, anyone interested?')",
  "concat('Anticheat flagged ', player, ' for speed ', toString((c % 90000) / 100), ' exceeding limit 320')",
  "concat('Match ', toString(d % 10000000), ' created on map ', item, ' valley with ', toString(2 + c % 30), ' players')",
  "concat('Cache miss for key profile:', toString(b % 40000), ':settings, loading from database')",
  "concat('Cache hit for key profile:', toString(b % 40000), ':settings')",
  "concat('Texture upload ', lower(hex(c)), lower(hex(d)), ' finished, ', toString(c % 9000000), ' bytes')",
  "concat('Player ', player, ' killed ', other, ' with ', item, ' from ', toString((d % 30000) / 100), ' m')",
  "concat('Quest \"The lost ', item, '\" completed by ', player, ', reward ', toString(d % 900), ' xp')",
  "concat('Unhandled exception in ', resource, '.lua:', toString(c % 2000), ': attempt to index a nil value (field ''', item, ''')')",
  "concat('Connection to database lost, retry ', toString(1 + c % 9), ' of 10 in ', toString(1 + d % 60), ' s')",
  "concat('Voice channel ', toString(c % 5000), ' opened for squad ', toString(d % 9000))",
  "concat('Session token refreshed for ', player, ' (expires in 1800 s)')",
  "concat('Weather changed to ', ['rain', 'snow', 'clear', 'storm', 'fog'][1 + c % 5], ' in zone ', toString(d % 60))",
  "concat('Door ', toString(c % 30000), ' toggled by ', player)",
  "concat('Garbage collection took ', toString((d % 90000) / 1000), ' ms, heap ', toString(c % 2048), ' MB')",
];

const metadata = `mapConcat(
  map('server', concat('srv-', toString(d % 64)), 'region', ${array(lists.regions)}[1 + d % 6],
    'player.id', toString(100000 + b % 40000), 'latencyMs', toString(c % 500)),
  if(a % 5 = 0, map('requestId', toString(generateUUIDv4(number))), map()),
  if(a % 3 = 0, map('pos.x', toString((c % 800000) / 100), 'pos.y', toString((d % 800000) / 100)), map()),
  map('build', concat('1.', toString(intDiv(number, 2000000)), '.4')))`;

/** Rare values that the benchmark searches for; each occurs in one of `rareEach` entries. */
export const rareWord = 'zyzzyva';
export const rareIdentifier = '7f3a9c0d1e';
const rareEach = 4_000_003;

export function formatRows({ first, count, startMicros, intervalMicros }: RowRange): string {
  return `WITH
    cityHash64(number, 1) AS a, cityHash64(number, 2) AS b, cityHash64(number, 3) AS c, cityHash64(number, 4) AS d,
    ${array(lists.colours)} AS colours, ${array(lists.animals)} AS animals,
    concat(colours[1 + b % 20], animals[1 + intDiv(b, 20) % 20], toString(intDiv(b, 400) % 97)) AS player,
    concat(colours[1 + c % 20], animals[1 + d % 20], toString(c % 97)) AS other,
    ${array(lists.resources)}[1 + a % 12] AS resource,
    ${array(lists.items)}[1 + c % 16] AS item,
    concat(toString(b % 223 + 1), '.', toString(c % 256), '.', toString(d % 256), '.', toString(a % 254 + 1)) AS address
  SELECT 'default' AS project, 'default' AS dataset,
    fromUnixTimestamp64Micro(toInt64(${startMicros} + number * ${intervalMicros} + a % ${intervalMicros}), 'UTC') AS timestamp,
    9300000000000000000 + number AS identity,
    ${array(lists.levels)}[1 + c % 10] AS level,
    resource, '' AS parentId,
    concat([${templates.join(', ')}][1 + intDiv(a, 12) % ${templates.length}],
      if(number % ${rareEach} = 1000, ' ${rareWord} ${rareIdentifier}', '')) AS body,
    ${metadata} AS metadata
  FROM numbers(${first}, ${count})`;
}
