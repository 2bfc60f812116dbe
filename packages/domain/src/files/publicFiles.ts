/**
 * Finds the file behind a public URL and caches it briefly, because links are read many times. While the database is away, cached files stay
 * available, because nothing can be deleted meanwhile.
 */

import type { SingleStoreHealth } from '../operations/storeHealth.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';

export type PublicFiles = {
  find(project: string, key: string): Promise<StoredFile | null>;
  /** Returns the file `<project>/<key>` from the cache; null if it is not cached. */
  recall(name: string): StoredFile | null;
  /** Drops a file from the cache when this node deletes or moves it. */
  forget(file: StoredFile): void;
};

const rememberedMsMax = 900; // other nodes must see a deletion within a second, like a revocation
const rememberedMax = 20_000; // records of about a kilobyte each

export function openPublicFiles(files: Pick<FileRecords, 'find'>, database: SingleStoreHealth): PublicFiles {
  const remembered = new Map<string, { file: StoredFile; at: number }>();
  /** Concurrent requests for the same file share one query. */
  const pending = new Map<string, Promise<StoredFile | null>>();
  let forgottenCount = 0;
  const recall = (name: string) => {
    const known = remembered.get(name);
    if (known === undefined) return null;
    return performance.now() - known.at < rememberedMsMax || database.isUnavailable() ? known.file : null;
  };
  /** The first failed query may reveal that the database is away; the cache then answers. */
  const findBelieving = async (name: string, find: () => Promise<StoredFile | null>) => {
    try {
      return await find();
    } catch (error) {
      const known = remembered.get(name);
      if (known !== undefined && (await database.look())) return known.file;
      throw error;
    }
  };
  const look = async (project: string, key: string) => {
    const now = performance.now();
    const forgottenBefore = forgottenCount;
    const file = await findBelieving(`${project}/${key}`, () => files.find(project, key));
    // Ids are not public names.
    if (file === null || file.key !== key) return null;
    // A file deleted during the lookup must not be cached.
    if (forgottenCount !== forgottenBefore) return file;
    const name = `${project}/${key}`;
    remembered.delete(name);
    remembered.set(name, { file, at: now });
    if (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value ?? '');
    return file;
  };
  return {
    recall,
    find: async (project, key) => {
      const name = `${project}/${key}`;
      const known = recall(name);
      if (known !== null) return known;
      const others = pending.get(name);
      if (others !== undefined) return await others;
      const looked = look(project, key).finally(() => {
        if (pending.get(name) === looked) pending.delete(name);
      });
      pending.set(name, looked);
      return await looked;
    },
    forget: ({ project, key }) => {
      const name = `${project}/${key}`;
      forgottenCount += 1;
      remembered.delete(name);
      pending.delete(name);
    },
  };
}
