/** Stopping the service while a sender is in the middle of a line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '../../../scripts/engines/freePorts.ts';
import { findEntries, open } from '../support/listenerSenders.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-stops-0123456789';

test('a line of syslog under way is stored by a stop', async () => {
  const port = await findFreePort();
  await using directory = await makeDirectory();
  const environment = {
    TAPEDECK_LOGS_TOKEN: token,
    TAPEDECK_SYSLOG: `tcp://127.0.0.1:${port}`,
    TAPEDECK_DATA_DIR: directory.path,
  };
  const find = ({ url }: { url: string }, count: number) =>
    findEntries(
      { fetch: (path, options) => fetch(`${url}${path}`, options) },
      { token, query: 'resource:app', count },
    );
  {
    await using service = await startProcess(environment);
    const socket = await open(port);
    socket.on('error', () => {}); // the service may end it by a reset
    socket.write('<14>1 - h app - - - whole\0<14>1 - h app - - - half');
    await find(service, 1); // it has then read both; NUL says that no line break ends the second
    service.child.kill('SIGTERM');
    await service.exit;
    socket.destroy();
  }
  await using service = await startProcess(environment);
  const bodies = (await find(service, 2)).map(({ body }) => body);
  assert.deepEqual(bodies.toSorted(), ['half', 'whole']);
});
