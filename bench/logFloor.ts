/** The baseline for the log intake: the same journal and engine behind a bare HTTP server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createKeyGate } from '@tapedeck/domain/logs/intake/idempotency';
import { systemClock } from '@tapedeck/domain/ports/clock';
import { createStamper, systemMicros } from '@tapedeck/log-entries';
import { openLogStore } from '@tapedeck/log-store';
import pino from 'pino';
import { format } from '../server/src/intake/batch/batchFormat.worker.ts';
import { type EntryIntakeDeps, takeEntries } from '../server/src/intake/entryIntake.ts';
import { openReadingThread } from '../server/src/intake/thread/readingThread.ts';

const [dataDir = ''] = process.argv.slice(2);
const log = pino({ level: 'warn' }, pino.destination(2));
const store = await openLogStore({ kind: 'embedded', directory: `${dataDir}/logs` }, { log, dataDir });
const reading = openReadingThread();
const deps: EntryIntakeDeps = {
  intake: store.intake,
  reading,
  clock: systemClock,
  stamper: createStamper(systemMicros),
  keyGate: createKeyGate(store.intake, null),
  counts: { countEntries() {} },
  levelSynonyms: null,
  readRetentionDays: () => null,
};
const ok = Buffer.from('{"status":"ok"}');
const target = { project: 'default', dataset: 'default', idempotencyKey: null };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const answer = (status: number, body: Buffer) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    takeEntries(deps, { ...target, body: Buffer.concat(chunks) }, { format, options: {} }).then(
      () => answer(200, ok),
      error => answer(503, Buffer.from(String(error))),
    );
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// The server listens on a port, not on a socket's path.
const { port } = server.address() as AddressInfo;
console.log(JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}` }));
await once(process, 'SIGTERM');
server.closeAllConnections();
server.close();
await reading[Symbol.asyncDispose]();
await store[Symbol.asyncDispose]();
