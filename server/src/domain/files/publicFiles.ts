/**
 * Finds the file behind a public URL and caches it briefly, because links are read many times. While the database is away, cached
 * files stay available: nobody can delete anything meanwhile.
 */

import type { SingleStoreHealth } from '../operations/storeHealth.ts';
import type { FileRecords, StoredFile } from '../ports/files.ts';

export type PublicFiles = {
  find(project: string, key: string): Promise<StoredFile | null>;
  /** The file `<project>/<key>` from memory; null when it was not looked up lately, also when there is none. */
  recall(name: string): StoredFile | null;
  /** Forgets a file that this node deletes. */
  forget(file: StoredFile): void;
};

const rememberedMsMax = 900; // other nodes see a deletion within a second, as they see a revocation
const rememberedMax = 20_000; // records, of about a kilobyte

export function openPublicFiles(files: Pick<FileRecords, 'find'>, database: SingleStoreHealth): PublicFiles {
  const remembered = new Map<string, { file: StoredFile; at: number }>();
  /** Simultaneous questions for the same file share one query. */
  const pending = new Map<string, Promise<StoredFile | null>>();
  let forgottenCount = 0;
  const recall = (name: string) => {
    const known = remembered.get(name);
    if (known === undefined) return null;
    return performance.now() - known.at < rememberedMsMax || database.isAway() ? known.file : null;
  };
  /** A database that went away a moment ago is found out by the first who asks it. */
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
    // An id is not a public name.
    if (file === null || file.key !== key) return null;
    // What was deleted while it was looked up must not be remembered.
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
