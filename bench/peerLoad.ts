/**
 * Sends the entries of `peerEntries.ts` to one of the programs of `logPeers.ts`, in a separate process. Makes the requests before sending, five
 * million entries at a time, so that this does not affect either program.
 */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { makePeerEntry, type PeerEntry } from './peerEntries.ts';

export type PeerLoad = {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  form: 'array' | 'lines';
  entries: number;
  endMs: number;
};

export type PeerLoadResult = { seconds: number; p50: number; p99: number; bytesEach: number };

const perRequest = 100;
const perLap = 2_000_000;
const connections = 16;

async function sendAll(load: PeerLoad): Promise<PeerLoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const tookMs: number[] = [];
  let seconds = 0;
  let bytes = 0;
  for (let first = 0; first < load.entries; first += perLap) {
    const bodies = makeBodies(load, first, Math.min(load.entries, first + perLap));
    bytes += bodies.reduce((sum, body) => sum + body.length, 0);
    const startedAt = performance.now();
    let next = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < bodies.length) tookMs.push(await send(load, agent, bodies[next++]!));
      }),
    );
    seconds += (performance.now() - startedAt) / 1000;
  }
  agent.destroy();
  tookMs.sort((one, other) => one - other);
  const at = (share: number) => tookMs[Math.floor(tookMs.length * share)] ?? 0;
  return { seconds, p50: at(0.5), p99: at(0.99), bytesEach: bytes / load.entries };
}

function makeBodies(load: PeerLoad, first: number, end: number): Buffer[] {
  const bodies: Buffer[] = [];
  for (let begin = first; begin < end; begin += perRequest) {
    const entries = Array.from({ length: Math.min(perRequest, end - begin) }, (_, index) =>
      makePeerEntry(begin + index, load.entries, load.endMs),
    );
    bodies.push(
      Buffer.from(load.form === 'array' ? JSON.stringify(entries) : entries.map(formatLine).join('\n')),
    );
  }
  return bodies;
}

/** Uses field names that both programs can query. */
function formatLine({ metadata, ...entry }: PeerEntry): string {
  return JSON.stringify({ ...entry, ...metadata });
}

async function send({ port, path, headers }: PeerLoad, agent: Agent, body: Buffer): Promise<number> {
  const startedAt = performance.now();
  const sent = request({
    port,
    path,
    headers: { ...headers, 'content-length': body.length },
    method: 'POST',
    agent,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  const said = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${said}`);
  return performance.now() - startedAt;
}

if (import.meta.main) {
  // Only `logPeers.ts` writes the orders.
  const load = JSON.parse(await text(process.stdin)) as PeerLoad;
  process.stdout.write(JSON.stringify(await sendAll(load)));
}
