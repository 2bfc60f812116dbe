/** Port to the installation's records about its servers, which all nodes share. */

/** `since`: Unix milliseconds. `identity`: null until a node has seen the server. The URL holds no user and no password. */
export type ServerAddress = { url: string; since: number; identity: string | null };

export interface LogServers {
  readonly installationId: string;
  /** Tells the operator that the server with this title has the mark of another installation. */
  explainForeign(title: string, mark: string): string;
  /** Tells the operator that the server holds entries but has no mark. */
  explainUnknown(title: string): string;
  /** Lists the names of the marked servers, whether or not they are still there. */
  list(): Promise<ReadonlySet<string>>;
  add(names: readonly string[]): Promise<void>;
  /** Lists servers that any node was configured to write to, so that each node also queries those that others know. */
  listAddresses(): Promise<readonly ServerAddress[]>;
  /** Adds servers, and completes known ones; times already noted stay. */
  putAddresses(addresses: readonly ServerAddress[]): Promise<void>;
  /** Returns whether servers without a mark may hold entries, from before there were marks. */
  mayBeUnmarked(): Promise<boolean>;
  /** From now on, servers without a mark may hold no entries. */
  endUnmarked(): Promise<void>;
}
