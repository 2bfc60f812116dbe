/** Everything that differs between Node.js and a browser: reading files, spooling, and program exit. */
import type { Content } from './files/content.ts';
import type { BatchLimits, BatchStore } from './logs/batches.ts';

export type PostedBatch = {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
  /** The page is closing: the request must outlive it. */
  isLast?: boolean;
};

export interface Platform {
  /** Opens a file by path or `file:` URL. */
  openPath(path: string | URL): Promise<Content>;
  /** Opens a folder where entries survive the process. */
  openSpool(folder: string, limits: BatchLimits & { spoolBytesMax: number }): BatchStore;
  /** Resolves with any response. Does not keep an idle program alive. */
  post(batch: PostedBatch): Promise<Response>;
  /** Calls `flush` when the program ends by itself or the page closes. Returns a function that stops this. */
  onExit(actions: ExitActions): () => void;
}

export type ExitActions = {
  /** Resolves when everything was sent or time ran out. */
  flush(): Promise<unknown>;
  hasEntries(): boolean;
  /** Sends what it can now, without waiting for responses. */
  sendLast(): void;
};
