/** Made-up log entries of about 250 bytes of JSON, as game servers send them, and requests that carry them. */

const words =
  'player joined server round match started score weapon damage zone vehicle spawn timeout retry inventory trade'.split(
    ' ',
  );
const levels = ['debug', 'info', 'info', 'info', 'warn', 'error'];
const requestsMade = 64; // so many that the engine compresses them as it would what differs in life
const wordsPerMessage = 17;

function makeEntry(number: number): unknown {
  const text = Array.from(
    { length: wordsPerMessage },
    (_, index) => words[(number * 7 + index * 5 + ((index * number) % 11)) % words.length],
  );
  return {
    level: levels[number % levels.length],
    message: `${text.join(' ')} #${number}`,
    resource: `server-${number % 40}`,
    metadata: {
      playerId: String(100_000 + (number % 9_000)),
      ping: number % 300,
      pos: { x: number / 8, y: number % 1_000 },
    },
  };
}

/** Whole requests, headers and body, with so many entries each. */
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
