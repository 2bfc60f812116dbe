/** Everything that differs between Node.js and a browser: reading files, spooling, and the end of the program. */
import type { Content } from './files/content.ts';
import type { BatchLimits, BatchStore } from './logs/batches.ts';

export type PostedBatch = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
  /** The page is being left: the request must outlive it. */
  isLast?: boolean;
};

export interface Platform {
  /** Opens a file by its path or its `file:` URL. */
  openPath(path: string | URL): Promise<Content>;
  /** Opens a folder for entries that survive the process. */
  openSpool(folder: string, limits: BatchLimits & { spoolBytesMax: number }): BatchStore;
  /** Resolves with any response. Does not keep a program alive that has nothing else to do. */
  post(batch: PostedBatch): Promise<Response>;
  /** Calls `flush` when the program ends by itself, or when the page is left. Returns how to stop doing so. */
  onExit(actions: ExitActions): () => void;
}

export type ExitActions = {
  /** Resolves when everything was sent, or the time is over. */
  flush(): Promise<unknown>;
  hasEntries(): boolean;
  /** Sends what it can at once, without waiting for answers. */
  sendLast(): void;
};
