/** Port to the installation's own records, and to the ids that mark its stores. */
export type { MarkedStore } from '@tapedeck/blob-stores';

export type { LogServers, ServerAddress } from '@tapedeck/log-store';

/** Texts by name. Backups leave them out, because a restored copy is a separate installation. */
export interface InstallationFacts {
  find(name: string): Promise<string | null>;
  /** Stores the value unless the name has one. Returns the value that is now stored. */
  keep(name: string, value: string): Promise<string>;
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}
