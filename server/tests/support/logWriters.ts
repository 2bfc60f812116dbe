/** Runs many clients that keep sending batches whatever happens to the service, and checks what must be stored afterwards. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** The service's current address; changes when it restarts elsewhere. */
export type WriterTarget = { url: string; token: string };

type WriterOptions = {
  writers: number;
  /** A batch has 1 to `rowsMax` entries. */
  rowsMax: number;
  /** Begins the name of every batch. */
  prefix?: string;
  /** Pause between two batches of a writer. Without it the writers use a whole CPU. */
  pauseMs?: number;
  onAcknowledged?: () => void;
};

type Written = {
  /** Maps the names of batches answered with 200 to their number of entries. */
  acknowledged: Map<string, number>;
  /** Counts every other answer; `none` counts requests without one. */
  refusals: Map<string, number>;
  /** The longest wait for a 200, in milliseconds. */
  slowestMs: number;
};

export type Writers = Disposable & { written: Written; stop(): Promise<Written> };

const retryPauseMs = 20;
const retryPauseMsMax = 160; // a store may be away for a minute, and refusals would take most of the processor time

/**
 * Every other batch has an Idempotency-Key and is resent until acknowledged, as careful clients do. The rest are sent once: without an answer
 * they may be stored or not, but never in part.
 */
export function startWriters(target: WriterTarget, options: WriterOptions): Writers {
  const written: Written = { acknowledged: new Map(), refusals: new Map(), slowestMs: 0 };
  let isStopped = false;
  const write = async (writer: number) => {
    let refusals = 0; // in a row
    const refuse = async (answer: string) => {
      count(written.refusals, answer);
      await wait(Math.min(retryPauseMs * 2 ** refusals++, retryPauseMsMax));
    };
    for (let number = 0; !isStopped; number++) {
      const name = `${options.prefix ?? 'batch'}/${writer}/${number}`;
      const rows = 1 + ((number * 7 + writer) % options.rowsMax);
      const key = number % 2 === 0 ? name : null;
      const startedAt = performance.now();
      let answer = await sendBatch(target, { name, rows, key });
      while (answer !== '200' && key !== null && !isStopped) {
        await refuse(answer);
        answer = await sendBatch(target, { name, rows, key });
      }
      written.slowestMs = Math.max(written.slowestMs, performance.now() - startedAt);
      if (answer === '200') {
        written.acknowledged.set(name, rows);
        options.onAcknowledged?.();
        refusals = 0;
      } else await refuse(answer);
      if (options.pauseMs !== undefined) await wait(options.pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: options.writers }, (_, writer) => write(writer)));
  return {
    written,
    stop: async () => {
      isStopped = true;
      await running;
      return written;
    },
    // Stops the writers when a test fails.
    [Symbol.dispose]: () => {
      isStopped = true;
    },
  };
}

type Batch = { name: string; rows: number; key: string | null };

const dayMs = 86_400_000;

/** Returns `200`, another status with its code, or `none`. */
async function sendBatch(target: WriterTarget, { name, rows, key }: Batch): Promise<string> {
  const now = Date.now();
  // Some batches span several days, and so several partitions. A batch is the same under its key, however often it is sent.
  const isSpread = key === null && rows % 3 === 0;
  const items = Array.from({ length: rows }, (_, index) => ({
    level: 'info',
    message: `${name}#${index}/${rows}`,
    ...(isSpread && { timestamp: now - (index % 3) * 40 * dayMs }),
  }));
  try {
    const response = await fetch(`${target.url}/api/v3/logs`, {
      method: 'POST',
      headers: {
        authorization: target.token,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(items),
    });
    const text = await response.text();
    if (response.status === 200) return '200';
    return describeRefusal(response, (JSON.parse(text) as { code: string }).code); // every error has one
  } catch {
    return 'none';
  }
}

/** `503 unavailable`. A temporary refusal must say when to retry. */
export function describeRefusal({ status, headers }: Response, code: string): string {
  const isVague = status === 503 && !headers.has('retry-after');
  return `${status} ${code}${isVague ? ' without Retry-After' : ''}`;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

type Found = { entries: number; lost: string[]; doubled: string[]; split: string[] };

/** Reads everything back and compares it with what was acknowledged. Retries refused queries for a limited time. */
export async function compareFound(
  target: WriterTarget,
  acknowledged: ReadonlyMap<string, number>,
  patienceMs = 0,
): Promise<Found> {
  const batches = new Map<string, { rows: number; indexes: Set<number> }>();
  const found: Found = { entries: 0, lost: [], doubled: [], split: [] };
  const ask = () => fetch(`${target.url}/api/v3/logs/export`, { headers: { authorization: target.token } });
  let response = await ask();
  for (const deadline = performance.now() + patienceMs; response.status === 503; response = await ask()) {
    if (performance.now() > deadline) break;
    await response.arrayBuffer();
    await wait(retryPauseMs);
  }
  assert.ok(response.ok, `${response.status}: ${response.ok ? '' : await response.text()}`);
  for await (const body of readBodies(response)) {
    found.entries++;
    const [, name = '', index, rows] = /^(.*)#(\d+)\/(\d+)$/.exec(body) ?? [];
    const batch = batches.get(name) ?? { rows: Number(rows), indexes: new Set() };
    batches.set(name, batch);
    if (batch.indexes.has(Number(index))) found.doubled.push(body);
    batch.indexes.add(Number(index));
  }
  for (const [name, rows] of acknowledged) if (batches.get(name)?.rows !== rows) found.lost.push(name);
  for (const [name, { rows, indexes }] of batches) {
    if (indexes.size === rows) continue;
    (acknowledged.has(name) ? found.lost : found.split).push(name);
  }
  return found;
}

export function assertComplete({ lost, doubled, split }: Omit<Found, 'entries'>): void {
  assert.deepEqual({ lost, doubled, split }, { lost: [], doubled: [], split: [] });
}

/** Yields the body of each line of an NDJSON export. */
export async function* readBodies(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield (JSON.parse(line) as { body: string }).body; // an entry, by the contract
  }
  assert.equal(rest, '', 'the export ends with a whole line');
}

/** Returns the process id of a service's log engine, or null if it has none. */
export async function findEngineProcess(servicePid: number): Promise<number | null> {
  const tasks = await readdir(`/proc/${servicePid}/task`).catch(() => []);
  for (const task of tasks) {
    const children = await readFile(`/proc/${servicePid}/task/${task}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter(word => word !== '')) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('engine.xml')) return Number(child);
    }
  }
  return null;
}
