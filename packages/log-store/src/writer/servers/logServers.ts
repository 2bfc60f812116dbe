/** Port to the installation's records about its servers, which all nodes share. */

/** `since`: Unix milliseconds. `identity`: null until a node has seen the server. The URL holds no user and no password. */
export type ServerAddress = { url: string; since: number; identity: string | null };

/** Facts about the ClickHouse servers that hold an installation's log entries. */
export interface LogServers {
  readonly installationId: string;
  /** In sentences for the operator: that a server, by its title, bears the mark of another installation. */
  explainForeign(title: string, mark: string): string;
  /** That a server holds entries and bears no mark. */
  explainUnknown(title: string): string;
  /** The names of those that were marked, whether they are there or not. */
  list(): Promise<ReadonlySet<string>>;
  add(names: readonly string[]): Promise<void>;
  /** Servers that any node was told to store on, so that each node also asks those that others know. */
  listAddresses(): Promise<readonly ServerAddress[]>;
  /** Adds servers, and completes those that are known; times already noted stay. */
  putAddresses(addresses: readonly ServerAddress[]): Promise<void>;
  /** Whether servers may hold entries without a mark, for they were filled before there were any. */
  mayBeUnmarked(): Promise<boolean>;
  /** From now on they may not. */
  endUnmarked(): Promise<void>;
}
