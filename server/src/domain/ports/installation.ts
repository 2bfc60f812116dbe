/** What an installation knows of itself, and the marks by which its stores tell whose they are. */
export type { MarkedStore } from '@tapedeck/blob-stores';

/** Texts by name. They stay behind in a backup: what is restored is another installation. */
export interface InstallationFacts {
  find(name: string): Promise<string | null>;
  /** The value that stands, which is the one that was first. */
  keep(name: string, value: string): Promise<string>;
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** What is known of the ClickHouse servers that hold the log entries of an installation. */
export interface LogServers {
  readonly installationId: string;
  /** In sentences for whoever runs the service: that a server, by its title, bears the mark of another installation. */
  explainForeign(title: string, mark: string): string;
  /** That a server holds entries and bears no mark. */
  explainUnknown(title: string): string;
  /** The names of those that were marked, whether they are there or not. */
  list(): Promise<ReadonlySet<string>>;
  add(names: readonly string[]): Promise<void>;
  /** Whether servers may hold entries without a mark, for they were filled before there were any. */
  mayBeUnmarked(): Promise<boolean>;
  /** From now on they may not. */
  endUnmarked(): Promise<void>;
}
