/**
 * Finds files that the service already has: same bytes, name and folder. Asks by name and size first, so that it hashes only files that may be equal.
 */
import { api } from '../api.ts';
import type { SentFile } from './interrupted.ts';
import { checkSignature } from './mediaSignatures.ts';

type Chosen = Pick<SentFile, 'project' | 'folder' | 'name' | 'size' | 'file'> & { id: number };

type Finding = {
  /** True while the result still matters. */
  isWanted(id: number): boolean;
  /** Maps each upload to its stored file's id; null if none. */
  onKnown(found: ReadonlyMap<number, string | null>): void;
};

const askedAtOnce = 500; // half of the service's limit
const reportIntervalMs = 200; // between two reports, for thousands of files

/** Rejects if the service cannot be reached. */
export async function findStored(chosen: readonly Chosen[], finding: Finding): Promise<void> {
  const worker = new Worker(new URL('./hashing.worker.ts', import.meta.url), { type: 'module' });
  try {
    for (const [project, all] of Map.groupBy(chosen, each => each.project))
      for (let start = 0; start < all.length; start += askedAtOnce)
        await findSome(worker, { project, some: all.slice(start, start + askedAtOnce), ...finding });
  } finally {
    worker.terminate();
  }
}

type Some = Finding & { project: string; some: readonly Chosen[] };

async function findSome(worker: Worker, { project, some, isWanted, onKnown }: Some): Promise<void> {
  const alike = await findAlike(project, await listMedia(some));
  let known = new Map<number, string | null>();
  let reportedAt = 0;
  const report = () => {
    onKnown(known);
    known = new Map();
    reportedAt = performance.now();
  };
  for (const { id } of some) if (!alike.has(id)) known.set(id, null);
  report();
  for (const { id, file } of some) {
    const hashes = alike.get(id);
    if (hashes && isWanted(id)) known.set(id, hashes.get((await hash(worker, file)) ?? '') ?? null);
    if (performance.now() - reportedAt > reportIntervalMs) report();
  }
  report();
}

/** Keeps only media. The service has no others, and refuses them when they are sent. */
async function listMedia(chosen: readonly Chosen[]): Promise<Chosen[]> {
  const reasons = await Promise.all(chosen.map(({ file }) => checkSignature(file)));
  return chosen.filter((_, index) => reasons[index] === null);
}

/** Maps each file that may be stored to the candidates' ids by hash. */
async function findAlike(
  project: string,
  chosen: readonly Chosen[],
): Promise<Map<number, Map<string, string>>> {
  if (chosen.length === 0) return new Map();
  const files = chosen.map(({ name, folder, size }) => ({ filename: name, path: folder, size }));
  const { data } = await api.matchProjectFiles({ params: { project }, body: { files } });
  const alike = new Map<number, Map<string, string>>();
  for (const { index, id, sha256 } of data) {
    const asked = chosen[index]?.id ?? -1;
    alike.set(asked, (alike.get(asked) ?? new Map<string, string>()).set(sha256, id));
  }
  return alike;
}

/** Hashes one file at a time; resolves to null if it is unreadable. */
function hash(worker: Worker, file: File): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  worker.onmessage = ({ data }: MessageEvent<string | null>) => resolve(data);
  worker.onerror = () => resolve(null);
  worker.postMessage(file);
  return promise;
}
