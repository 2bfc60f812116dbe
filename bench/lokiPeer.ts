/** Starts Loki with one process and its data in files, and makes the entries that `logqlPeers.ts` sends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makePeerEntry, spanMs } from './peerEntries.ts';

export type LokiPeer = AsyncDisposable & { port: number; headers: Readonly<Record<string, string>> };

const services = ['gateway', 'economy', 'world', 'chat'] as const;
const [requestService] = services;
const port = 19_429;
const perRequest = 1_000;

/** The defaults, except for the places of files and the limits that would refuse the load. */
const formatSettings = (directory: string) => `
auth_enabled: false
server: { http_listen_address: 127.0.0.1, http_listen_port: ${port}, grpc_listen_address: 127.0.0.1, grpc_listen_port: ${port + 1}, log_level: error, grpc_server_max_recv_msg_size: 104857600, grpc_server_max_send_msg_size: 104857600 }
ingester:
  wal: { enabled: true, dir: ${directory}/wal }
  lifecycler: { address: 127.0.0.1, ring: { kvstore: { store: inmemory }, replication_factor: 1 }, final_sleep: 0s }
  chunk_retain_period: 30s
  max_transfer_retries: 0
schema_config: { configs: [{ from: 2020-10-24, store: boltdb, object_store: filesystem, schema: v11, index: { prefix: index_, period: 24h } }] }
storage_config:
  boltdb: { directory: ${directory}/index }
  filesystem: { directory: ${directory}/chunks }
limits_config: { reject_old_samples: false, ingestion_rate_mb: 1000, ingestion_burst_size_mb: 1000 }
`;

export async function startLoki(program: string): Promise<LokiPeer> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-peer-'));
  const settings = path.join(directory, 'loki.yaml');
  await writeFile(settings, formatSettings(directory));
  const child: ChildProcess = spawn(program, [`-config.file=${settings}`], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended before it was ready.`);
    const ready = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null);
    if (ready?.ok) break;
    await wait(100);
  }
  return {
    port,
    headers: {},
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL'); // its files are not needed any more
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The number of entries, and when the day over which they spread ends. */
export type Amount = { entries: number; endMs: number };

/** Sends the entries in the order of time, which Loki demands of each stream, with one connection a service. Returns the seconds it took. */
export async function pushEntries(peer: LokiPeer, amount: Amount): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    services.map(async (_, first) => {
      for (let begin = first; begin < amount.entries; begin += perRequest * services.length) {
        const numbers = Array.from({ length: perRequest }, (__, index) => begin + index * services.length);
        const those = numbers.filter(number => number < amount.entries);
        await push(peer, makeStreams(those, amount));
      }
    }),
  );
  return (performance.now() - startedAt) / 1000;
}

type Stream = { stream: Record<string, string>; values: [nanoseconds: string, line: string][] };

function makeStreams(numbers: readonly number[], { entries, endMs }: Amount): Stream[] {
  const streams = new Map<string, Stream>();
  const service = services[(numbers[0] ?? 0) % services.length] ?? requestService;
  for (const number of numbers) {
    const { level, message, metadata } = makePeerEntry(number, entries, endMs);
    const stream = streams.get(level) ?? { stream: { service_name: service, level }, values: [] };
    // Between two milliseconds, so that no entry lies on the border of a window.
    const micros = (endMs - spanMs) * 1000 + Math.floor((number * spanMs * 1000) / entries) + 137;
    const line = service === requestService ? makeRequest(metadata) : message;
    stream.values.push([`${micros}000`, line]);
    streams.set(level, stream);
  }
  return [...streams.values()];
}

/** Makes a line like those of `jsonRows.ts`. */
function makeRequest(metadata: ReturnType<typeof makePeerEntry>['metadata']): string {
  const [one, other] = [Number(metadata['player.id']), metadata.ping];
  return JSON.stringify({
    method: ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'][one % 6],
    path: `/api/${['shop', 'players', 'vehicles', 'bans', 'chat'][other % 5]}/${one % 10_000}`,
    status: [200, 200, 200, 200, 200, 200, 200, 204, 404, 500][Math.floor(one / 7) % 10],
    durationMs: (one * 31 + other) % 1_000,
    bytes: (one * other) % 90_000,
    client: { ip: `10.0.${one % 256}.${other % 256}`, country: ['de', 'us', 'fr', 'jp'][other % 4] },
    node: `srv-${one % 64}`,
    cached: other % 3 === 0,
  });
}

async function push({ port, headers }: LokiPeer, streams: readonly Stream[]): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/loki/api/v1/push`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ streams }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${answer}`);
}
