/** Syslog by TCP needs no token: whatever a stranger sends, it blocks the event loop no longer than CONTRACT.md, 14, allows. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { requireShortHolds } from '../support/eventLoop.ts';
import { findEntries, open } from '../support/listenerSenders.ts';
import { startTestService } from '../support/service.ts';

const token = 'logs-token-of-the-floods-0123456789012';
const port = await findFreePort();
const service = await startTestService({
  environment: { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_SYSLOG: `tcp://127.0.0.1:${port}` },
});
after(() => service[Symbol.asyncDispose]());

const connections = 10;
const sentBytes = 256 * 1024; // on each
const rows: readonly [title: string, start: string, piece: string][] = [
  ['line ends', '', '\n'],
  ['line ends of Windows', '', '\r\n'],
  ['NUL', '', '\0'],
  ['tiny lines', '', 'a\n'],
  ['tiny messages with their length', '', '1 <'],
  ['lines with a priority behind NUL', '\0', '\n<1>'],
  ['lines without one behind NUL', '\0', '\n<x'],
];

describe('many connections that send', () => {
  for (const [title, start, piece] of rows)
    it(title, () =>
      requireShortHolds(async () => {
        const bytes = Buffer.from(start + piece.repeat(sentBytes / piece.length));
        await Promise.all(Array.from({ length: connections }, () => flood(bytes)));
        assert.equal((await service.fetch('/healthz')).status, 200);
      }),
    );

  it('any of these keep no message from being stored', async () => {
    const socket = await open(port);
    socket.end(`${'\n'.repeat(100_000)}<14>1 - h behind - - - here\n`);
    const [entry] = await findEntries(service, { token, query: 'resource:behind', count: 1 });
    assert.equal(entry?.body, 'here');
  });
});

/** Resolves once the service has taken everything. */
async function flood(bytes: Buffer): Promise<void> {
  const socket = await open(port);
  socket.resume().end(bytes);
  await once(socket, 'close');
}
