/** A real disk on which tests intercept each step: they watch it, make it fail, cut it short, or end the process there. */
import type { JournalDisk, JournalFile } from '../src/journal/disk/disk.ts';

export type DiskStep = {
  name: 'create' | 'open' | 'write' | 'sync' | 'truncate' | 'rename' | 'remove' | 'syncDirectory';
  path: string;
};

/** Throws to make the step fail. For a write, may return the number of bytes to write before it fails with `error`. */
export type Intercept = (step: DiskStep) => void | Promise<void> | { writtenBytes: number; error: Error };

export function interceptDisk(disk: JournalDisk, intercept: Intercept): JournalDisk {
  const pass = async (name: DiskStep['name'], path: string) => {
    await intercept({ name, path });
  };
  return {
    ...disk,
    async create(path) {
      await pass('create', path);
      return interceptFile(await disk.create(path), path, intercept);
    },
    async open(path) {
      await pass('open', path);
      return interceptFile(await disk.open(path), path, intercept);
    },
    async rename(from, to) {
      await pass('rename', from);
      await disk.rename(from, to);
    },
    async remove(path) {
      await pass('remove', path);
      await disk.remove(path);
    },
    async syncDirectory(path) {
      await pass('syncDirectory', path);
      await disk.syncDirectory(path);
    },
  };
}

function interceptFile(file: JournalFile, path: string, intercept: Intercept): JournalFile {
  return {
    ...file,
    async write(pieces, position) {
      const outcome = await intercept({ name: 'write', path });
      if (!outcome) return file.write(pieces, position);
      await file.write([Buffer.concat(pieces).subarray(0, outcome.writtenBytes)], position);
      throw outcome.error;
    },
    async sync() {
      await intercept({ name: 'sync', path });
      await file.sync();
    },
    async truncate(length) {
      await intercept({ name: 'truncate', path });
      await file.truncate(length);
    },
  };
}

/** Creates an error like those of the file system. */
export function diskError(code: 'ENOSPC' | 'EIO'): Error {
  return Object.assign(new Error(`${code}: made by the test`), { code });
}
