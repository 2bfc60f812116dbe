/** Creates directories for tests, and removes them afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export async function makeDirectory(): Promise<AsyncDisposable & { path: string }> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-logs-'));
  return {
    path: directory,
    // A killed engine writes for a moment longer.
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 20 }),
  };
}
