/** A directory for tests, which goes with them. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

export async function makeDirectory(): Promise<AsyncDisposable & { path: string }> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-logs-'));
  return {
    path: directory,
    // An engine that was killed writes for a moment more.
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 20 }),
  };
}
