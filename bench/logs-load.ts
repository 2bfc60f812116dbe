/** The load of `logs-ingest.ts`, in a process of its own: connections that each send the next request when one is answered. */
import net from 'node:net';

const [port = 0, batch = 100, seconds = 10, connections = 32, path = '/api/v3/logs', token = ''] =
  process.argv.slice(2).map((value, index) => (index < 4 ? Number(value) : value)) as [
    number,
    number,
    number,
    number,
    string?,
    string?,
  ];

const words =
  'player joined server round match started score weapon damage zone vehicle spawn timeout retry inventory trade'.split(
    ' ',
  );

function makeItem(number: number): unknown {
  const text = Array.from(
    { length: 16 },
    (_, index) => words[(number * 7 + index * 5 + ((index * number) % 11)) % words.length],
  );
  return {
    level: ['debug', 'info', 'info', 'info', 'warn', 'error'][number % 6],
    message: `${text.join(' ')} #${number}`,
    resource: `server-${number % 40}`,
    metadata: { playerId: String(100_000 + (number % 9_000)), ping: number % 300, pos: { x: number / 8 } },
  };
}

/** Many different bodies, so that the engine compresses what it would in life. */
const requests = Array.from({ length: 64 }, (_, variant) => {
  const body = JSON.stringify(Array.from({ length: batch }, (_, index) => makeItem(variant * batch + index)));
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: ${token}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
});

const latencies: number[] = [];
let failures = 0;
let sent = 0;
const startedAt = performance.now();
const endAt = startedAt + seconds * 1000;

async function runConnection(): Promise<void> {
  const socket = net.connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sentAt = 0;
  const send = () => {
    sentAt = performance.now();
    if (sentAt >= endAt) return socket.end(resolve);
    socket.write(requests[sent++ % requests.length]!);
  };
  socket.once('connect', send);
  socket.once('error', reject);
  socket.on('data', (bytes: Buffer) => {
    // Answers are small: each comes in one piece.
    if (bytes.toString('latin1', 9, 12) === '200') latencies.push(performance.now() - sentAt);
    else if (failures++ === 0) console.error(bytes.toString());
    send();
  });
  await promise;
}

await Promise.all(Array.from({ length: connections }, runConnection));
const elapsedMs = performance.now() - startedAt;
latencies.sort((one, other) => one - other);
const at = (share: number) => Number((latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2));
if (process.send)
  process.send({
    requests: latencies.length,
    elapsedMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: at(0.99999),
    failures,
  });
process.disconnect?.();
