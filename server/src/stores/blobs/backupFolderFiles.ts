/** Reads and writes the bytes of files in a backup on disk. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { BackupFiles } from '@tapedeck/domain/ports/backup';
import { makeDirectory, syncDirectory, writeSyncedFile } from '@tapedeck/durable-files';

export function openBackupFolderFiles(folder: string): BackupFiles {
  /** Folders of all files in the backup. A killed backup may have left files whose names were not synced. */
  const folders = new Set<string>();
  const placeOf = (name: string) => path.join(folder, name);
  return {
    sizeOf: async name => {
      const found = await stat(placeOf(name)).catch(() => null);
      if (found !== null) folders.add(path.dirname(placeOf(name)));
      return found?.size ?? null;
    },
    async write(name, { sha256, open }) {
      const place = placeOf(name);
      if (!folders.has(path.dirname(place))) await makeDirectory(path.dirname(place));
      folders.add(path.dirname(place));
      const hash = createHash('sha256');
      const bytes = await open();
      const hashed = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of bytes) {
          hash.update(chunk);
          yield chunk;
        }
      };
      const draft = `${place}.draft`;
      await rm(draft, { force: true }); // left by a killed backup
      await writeSyncedFile(draft, hashed());
      const isComplete = hash.digest('hex') === sha256;
      await (isComplete ? rename(draft, place) : rm(draft));
      return isComplete;
    },
    read: async name => (existsSync(placeOf(name)) ? createReadStream(placeOf(name)) : null),
    finish: async () => {
      for (const each of folders) await syncDirectory(each);
    },
  };
}
