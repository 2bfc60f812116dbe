/** Makes log entries of about 250 bytes of JSON, like those of game servers, and requests that carry them. */

const words =
  'player joined server round match started score weapon damage zone vehicle spawn timeout retry inventory trade'.split(
    ' ',
  );
const levels = ['debug', 'info', 'info', 'info', 'warn', 'error'];
const requestsMade = 64; // enough variety for realistic compression
const wordsPerMessage = 17;

export type BenchEntry = {
  level: string;
  message: string;
  resource: string;
  metadata: { playerId: string; ping: number; pos: { x: number; y: number } };
};

/** The same number makes the same entry; its numbers and names look random. */
export function makeEntry(number: number): BenchEntry {
  const text = Array.from(
    { length: wordsPerMessage },
    (_, index) => words[(number * 7 + index * 5 + ((index * number) % 11)) % words.length],
  );
  return {
    level: levels[number % levels.length]!,
    message: `${text.join(' ')} #${number}`,
    resource: `server-${number % 40}`,
    metadata: {
      playerId: String(100_000 + scramble(number, 1, 9_000)),
      ping: scramble(number, 2, 300),
      pos: { x: scramble(number, 3, 80_000) / 8, y: scramble(number, 4, 1_000) },
    },
  };
}

function scramble(number: number, salt: number, limit: number): number {
  let mixed = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % limit;
}

/** Makes whole requests, headers and body, with this many entries each. */
export function makeRequests(entries: number, token: string): string[] {
  return Array.from({ length: requestsMade }, (_, variant) => {
    const body = JSON.stringify(
      Array.from({ length: entries }, (__, index) => makeEntry(variant * entries + index)),
    );
    return [
      'POST /api/v3/logs HTTP/1.1',
      'Host: localhost',
      `Authorization: ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  });
}
