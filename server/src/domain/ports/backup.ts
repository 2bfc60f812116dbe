/** Port to the parts of a backup, one for each store. */
import type { Readable } from 'node:stream';

/** Notes a file by its path in the folder of the part. */
type NoteFile = (file: string, sizeBytes: number) => Promise<void>;

export type BackupPart = {
  /** The part's name, and that of its folder in the backup. */
  name: string;
  /** Files in it never change, so that the next backup adds to the same folder what is new. The folders of others are written anew. */
  isShared: boolean;
  /**
   * Writes everything into the folder, synced, and counts it for the manifest. One that is shared notes each file that belongs to this
   * backup, whether it was there before or not.
   */
  save(folder: string, note: NoteFile): Promise<Readonly<Record<string, number>>>;
  /** Fills an empty store from the folder. A store that holds anything is an error. */
  restore(folder: string): Promise<void>;
};

/** Port to the bytes of files in a backup, by names with slashes. */
export interface BackupFiles {
  /** null when there is none. */
  sizeOf(name: string): Promise<number | null>;
  /** Returns false, and leaves nothing, if the bytes do not match the hash. `open` may be called again. */
  write(
    name: string,
    content: { sizeBytes: number; sha256: string; open(): Promise<Readable> },
  ): Promise<boolean>;
  /** null when there is none. */
  read(name: string): Promise<Readable | null>;
  /** Resolves once all that was written survives a power cut. */
  finish(): Promise<void>;
}
