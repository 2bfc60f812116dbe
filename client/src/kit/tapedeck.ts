/** One object for a program: uploads, logs, and every call of the API. */
import type { Client } from '../api.ts';
import { createClient } from '../client.ts';
import type { UploadSource } from './files/content.ts';
import { uploadFile } from './files/upload.ts';
import type { UploadedFile, UploadOptions } from './files/uploadOptions.ts';
import type { LogOptions, Logs } from './logs/options.ts';
import { openLogs } from './logs/sender.ts';
import type { Platform } from './platform.ts';
import { makePatientFetch, type Patience } from './retries.ts';

export type TapedeckOptions = Partial<Patience> & {
  /** The service's address, such as `https://media.example.org`. */
  url: string;
  /** An API token; in a page of the service, the user's session applies instead. */
  token: string;
  logs?: LogOptions;
};

const retryForMsDefault = 60_000;
const requestTimeoutMsDefault = 30_000;

interface Files {
  /** Resolves once the file is stored. Rejects with a `TapedeckError`, or an `AbortError` on abort. */
  upload(source: UploadSource, options?: UploadOptions): Promise<UploadedFile>;
}

export class TapedeckCore {
  readonly files: Files;
  readonly logs: Logs;
  /** Every API call by operation name: `api.getFile({ params: { file } })`. */
  readonly api: Client;

  constructor(options: TapedeckOptions, platform: Platform) {
    const { retryForMs = retryForMsDefault, requestTimeoutMs = requestTimeoutMsDefault, token } = options;
    const url = String(options.url).replace(/\/+$/, '');
    const connection = { url, token, platform, retryForMs, requestTimeoutMs };
    this.files = { upload: (source, given) => uploadFile(connection, source, given) };
    this.api = createClient({ baseUrl: url, token, fetch: makePatientFetch(connection) });
    let logs: Logs | null = null;
    // A program that only uploads needs no queue.
    const open = () => (logs ??= openLogs(connection, options.logs));
    if (options.logs?.spool !== undefined) open(); // an earlier process may have left entries there
    this.logs = {
      write: (entry, callback) => open().write(entry, callback),
      ready: () => open().ready(),
      flush: given => open().flush(given),
      stats: () => open().stats(),
      close: () => open().close(),
    };
  }

  /** Sends the queued log entries. Resolves with true if all were stored. */
  close(): Promise<boolean> {
    return this.logs.close();
  }
}
