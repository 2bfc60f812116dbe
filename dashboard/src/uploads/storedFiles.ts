/**
 * Finds the files that the service has already: equal bytes by the same name in the same folder. The service is asked by name and size
 * first, so only files that may be equal are read and hashed.
 */
import { api } from '../api.ts';
import type { SentFile } from './interrupted.ts';
import { checkSignature } from './mediaSignatures.ts';

type Chosen = Pick<SentFile, 'project' | 'folder' | 'name' | 'size' | 'file'> & { id: number };

type Finding = {
  /** Whether it still matters. */
  isWanted(id: number): boolean;
  /** The id of the stored file of each; null: there is none. */
  onKnown(found: ReadonlyMap<number, string | null>): void;
};

const askedAtOnce = 500; // half of what the service takes
const tellingMs = 200; // between two tellings of thousands of files

/** Rejects when the service cannot be asked. */
export async function findStored(chosen: readonly Chosen[], { isWanted, onKnown }: Finding): Promise<void> {
  using hasher = startHasher();
  for (const [project, all] of Map.groupBy(chosen, each => each.project))
    for (let start = 0; start < all.length; start += askedAtOnce) {
      const some = all.slice(start, start + askedAtOnce);
      const alike = await findAlike(project, await listMedia(some));
      let known = new Map(
        some.filter(({ id }) => !alike.has(id)).map(({ id }) => [id, null as string | null]),
      );
      let toldAt = performance.now();
      onKnown(known);
      known = new Map();
      for (const { id, file } of some) {
        const hashes = alike.get(id);
        if (hashes === undefined || !isWanted(id)) continue;
        known.set(id, hashes.get((await hasher.hash(file)) ?? '') ?? null);
        if (performance.now() - toldAt < tellingMs) continue;
        onKnown(known);
        known = new Map();
        toldAt = performance.now();
      }
      onKnown(known);
    }
}

/** The service has none of the others: they are refused when their turn to be sent comes. */
async function listMedia(chosen: readonly Chosen[]): Promise<Chosen[]> {
  const reasons = await Promise.all(chosen.map(({ file }) => checkSignature(file)));
  return chosen.filter((_, index) => reasons[index] === null);
}

/** Of each that may be stored: the stored files by their hashes. */
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

type Hasher = Disposable & {
  /** One file at a time; null: it cannot be read. */
  hash(file: File): Promise<string | null>;
};

/** The worker starts with the first file. */
function startHasher(): Hasher {
  let worker: Worker | null = null;
  return {
    hash: file => {
      worker ??= new Worker(new URL('./hashing.worker.ts', import.meta.url), { type: 'module' });
      const { promise, resolve } = Promise.withResolvers<string | null>();
      worker.onmessage = ({ data }: MessageEvent<string | null>) => resolve(data);
      worker.onerror = () => resolve(null);
      worker.postMessage(file);
      return promise;
    },
    [Symbol.dispose]: () => worker?.terminate(),
  };
}
