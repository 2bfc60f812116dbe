/**
 * Makes the entries of `logPeers.ts`, each different, of about 290 bytes: half have texts of few words, half have unique identifiers. They spread
 * evenly over the last 24 hours.
 */
import { randomUUID } from 'node:crypto';

export const spanMs = 86_400_000;
const scripts = 'oxmysql core society inventory admin monitor'.split(' ');
const models = 'adder zentorno police sultan blista kuruma'.split(' ');
const names = 'Max Anna Kurt Lena Otto Emil Olga Ines'.split(' ');
const levels = 'debug info info info info info warn info info error'.split(' ');
const regions = 'eu-west eu-east us-east us-west asia'.split(' ');
/** Each occurs in one of a fixed number of entries, and nowhere else. */
export const rareWords = 'zweihander quixotic brontide obelus widdershins petrichor syzygy halcyon'.split(
  ' ',
);
const rareEach = 50_000;
export const players = 50_000;
export const firstPlayer = 100_000;

export type PeerEntry = {
  timestamp: string;
  level: string;
  resource: string;
  message: string;
  metadata: {
    'player.id': string;
    'player.name': string;
    ping: number;
    requestId: string;
    region: string;
    'pos.x': number;
  };
};

/** `entries` is the total number. */
export function makePeerEntry(number: number, entries: number, endMs: number): PeerEntry {
  const a = scramble(number, 1);
  const b = scramble(number, 2);
  const c = scramble(number, 3);
  const d = scramble(number, 4);
  const rare = number % rareEach < rareWords.length ? ` ${rareWords[number % rareEach]} done` : '';
  return {
    timestamp: new Date(endMs - spanMs + Math.floor((number * spanMs) / entries)).toISOString(),
    level: levels[c % levels.length]!,
    resource: `server-${b % 40}`,
    message: makeText(number, { a, b, c, d }) + rare,
    metadata: {
      'player.id': String(firstPlayer + (d % players)),
      'player.name': `${names[d % names.length]}${d % players}`,
      ping: b % 300,
      requestId: randomUUID(),
      region: regions[d % regions.length]!,
      'pos.x': (c % 80_000) / 8,
    },
  };
}

type Randoms = { a: number; b: number; c: number; d: number };

function makeText(number: number, { a, b, c, d }: Randoms): string {
  const script = scripts[a % scripts.length];
  const hex = c.toString(16).padStart(8, '0');
  switch (number % 8) {
    case 0:
      return `[${script}] query took ${a % 900} ms: SELECT * FROM players WHERE id = ${b % 100_000}`;
    case 1:
      return `Connection from ${a % 223}.${b % 255}.${c % 251}.${d % 255} accepted, session ${hex}${a.toString(36)}`;
    case 2:
      return `Vehicle spawned: model=${models[b % models.length]} plate=${hex.toUpperCase()} netId=${a % 65_535}`;
    case 3:
      return `GET /api/v1/users/${a % 1_000_000}/inventory?token=${hex} 200 ${d % 9_999} "Mozilla/5.0"`;
    case 4:
      return 'Database heartbeat ok, all shards answer within limits';
    case 5:
      return `Player joined: ${names[d % names.length]}${d % players} after ${a % 4_000} ms`;
    case 6:
      return `Error in thread ${a % 32}: attempt to index a nil value (field 'job') at ${hex}.lua:${d % 700}`;
    default:
      return `Transaction ${a.toString(16)}${hex} committed by worker ${a % 64} in ${b % 100} ms`;
  }
}

function scramble(number: number, salt: number): number {
  let mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
