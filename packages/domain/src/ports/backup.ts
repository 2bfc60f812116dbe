/** Port to the parts of a backup, one per store. */
import type { Readable } from 'node:stream';

/** Notes a file by its path within the part's folder. */
type NoteFile = (file: string, sizeBytes: number) => Promise<void>;

export type BackupPart = {
  /** The name of the part and of its folder in the backup. */
  name: string;
  /** True if files in the part never change: all backups share one folder, and each adds only new files. Other parts get a new folder each time. */
  isShared: boolean;
  /**
   * Writes everything into the folder, synced, and returns counts for the manifest. A shared part notes each file of this backup, even if an
   * earlier backup wrote it.
   */
  save(folder: string, note: NoteFile): Promise<Readonly<Record<string, number>>>;
  /** Fills an empty store from the folder. Fails if the store is not empty. */
  restore(folder: string): Promise<void>;
};

/** Port to the bytes of files in a backup. Names contain slashes. */
export interface BackupFiles {
  /** null if there is no such file. */
  sizeOf(name: string): Promise<number | null>;
  /** Returns false and stores nothing if the bytes do not match the hash. May call `open` again. */
  write(
    name: string,
    content: { sizeBytes: number; sha256: string; open(): Promise<Readable> },
  ): Promise<boolean>;
  /** null if there is no such file. */
  read(name: string): Promise<Readable | null>;
  /** Resolves once all writes survive a power cut. */
  finish(): Promise<void>;
}
