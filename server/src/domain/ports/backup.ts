/** The port to what a backup is made of: every store brings a part of its own. */

export type BackupPart = {
  /** Also the name of its folder in the backup. */
  name: string;
  /** Writes everything into the folder, synced, and counts it for the manifest. */
  save(folder: string): Promise<Readonly<Record<string, number>>>;
  /** Fills an empty store from the folder. A store that holds anything is an error. */
  restore(folder: string): Promise<void>;
};
