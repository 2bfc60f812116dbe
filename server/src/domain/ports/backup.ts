/** The port to what a backup is made of: every store brings a part of its own. */

/** By its path in the folder of the part. */
type NoteFile = (file: string, sizeBytes: number) => Promise<void>;

export type BackupPart = {
  /** Also the name of its folder in the backup. */
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
