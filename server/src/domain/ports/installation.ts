/** Port to the installation's own records, and to the ids that mark its stores. */
export type { MarkedStore } from '@tapedeck/blob-stores';

export type { LogServers, ServerAddress } from '@tapedeck/log-store';

/** Texts by name. They stay behind in a backup: what is restored is another installation. */
export interface InstallationFacts {
  find(name: string): Promise<string | null>;
  /** The value that stands, which is the one that was first. */
  keep(name: string, value: string): Promise<string>;
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}
