/** A connection thread for tests. It crashes on one particular query. */
import process from 'node:process';
import { parentPort } from 'node:worker_threads';
import type { ThreadRequest } from '../src/sqlite/protocol.ts';

parentPort?.on('message', (requests: ThreadRequest[]) => {
  for (const request of requests) {
    if ('statement' in request && request.statement.sql === 'SELECT fault') process.exit(1);
  }
});
await import('../src/sqlite/connectionThread.worker.ts');
