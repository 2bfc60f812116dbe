/** A service whose main thread hangs restarts by itself, as the same process, and loses nothing that it acknowledged. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDirectory } from '../support/service.ts';
import { type BegunProcess, beginProcess, startProcess } from '../support/tapedeck.ts';

const token = 'a-logs-token-of-thirty-two-chars';
const headers = { authorization: token, 'content-type': 'application/json' };
const lookMs = 50;
const restartMsMax = 60_000; // ten seconds and a start, on a busy machine

/** Runs code in the main thread through the inspector, which answers nothing else meanwhile. */
async function evaluate(inspector: string, expression: string): Promise<void> {
  const socket = new WebSocket(inspector);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
}

async function waitFor<T>(find: () => T | undefined): Promise<T> {
  for (const deadline = performance.now() + restartMsMax; performance.now() < deadline; await wait(lookMs)) {
    const found = find();
    if (found !== undefined) return found;
  }
  throw new Error('It did not happen.');
}

const findLine =
  ({ lines }: BegunProcess, words: RegExp) =>
  () =>
    lines.find(line => words.test(line));

async function countEntries(url: string): Promise<number> {
  const answer = await fetch(`${url}/api/v3/logs?body=kept`, { headers });
  // The contract's shape of this response.
  const { data = [] } = (await answer.json()) as { data?: unknown[] };
  return data.length;
}

test('a hung main thread reports its stack, and serves again under the same process id', async () => {
  await using directory = await makeDirectory();
  await using service = beginProcess({
    TAPEDECK_DATA_DIR: directory.path,
    TAPEDECK_LOGS_TOKEN: token,
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
  });
  let output = '';
  service.child.stderr!.on('data', (text: Buffer | string) => {
    output += text;
  });
  const inspector = await waitFor(() => /ws:\S+/.exec(output)?.[0]);
  const body = JSON.stringify([{ level: 'info', message: 'kept' }]);
  const sent = await fetch(`${await service.ready}/api/v3/logs`, { method: 'POST', headers, body });
  assert.equal(sent.status, 200);
  await evaluate(inspector, 'setTimeout(function spinForGood() { for (;;); })');
  const line = await waitFor(findLine(service, /did not answer/));
  const { level, stack } = JSON.parse(line) as { level: string; stack: string }; // the watchdog writes this shape
  assert.equal(level, 'fatal');
  assert.match(stack, /spinForGood/);
  const [, second] = await waitFor(() => {
    const ready = service.lines.filter(each => each.includes('"ready"'));
    return ready.length > 1 ? ready : undefined;
  });
  const { url } = JSON.parse(second!) as { url: string }; // the service writes this shape
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal(service.child.exitCode, null);
  const deadline = performance.now() + restartMsMax;
  while ((await countEntries(url)) === 0 && performance.now() < deadline) await wait(lookMs);
  assert.equal(await countEntries(url), 1);
  service.child.kill('SIGTERM');
  assert.equal((await service.exit).exitCode, 0);
});

/** Preloaded: on a signal the main thread blocks in a system call, where JavaScript cannot run, until the test writes to the pipe. */
const blockAtSignal = (pipe: string) => `
  import { openSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) process.on('SIGUSR2', () => openSync(${JSON.stringify(pipe)}, 'r'));
`;

test('a main thread that hangs in native code ends by SIGKILL, reports it, and has lost nothing', async () => {
  await using directory = await makeDirectory();
  const pipe = path.join(directory.path, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const environment = { TAPEDECK_DATA_DIR: path.join(directory.path, 'data'), TAPEDECK_LOGS_TOKEN: token };
  const preload = `data:text/javascript,${encodeURIComponent(blockAtSignal(pipe))}`;
  await using service = beginProcess({ ...environment, NODE_OPTIONS: `--import=${preload}` });
  const body = JSON.stringify([{ level: 'info', message: 'kept' }]);
  const sent = await fetch(`${await service.ready}/api/v3/logs`, { method: 'POST', headers, body });
  assert.equal(sent.status, 200);
  service.child.kill('SIGUSR2');
  const line = await waitFor(findLine(service, /did not answer/));
  const { level, msg } = JSON.parse(line) as { level: string; msg: string }; // the watchdog writes this shape
  assert.deepEqual([level, /in native code/.test(msg)], ['fatal', true]);
  await service.exit;
  assert.equal(service.child.signalCode, 'SIGKILL');
  await using next = await startProcess(environment);
  const deadline = performance.now() + restartMsMax;
  while ((await countEntries(next.url)) === 0 && performance.now() < deadline) await wait(lookMs);
  assert.equal(await countEntries(next.url), 1);
});

test('a process that was paused for a while continues', async () => {
  await using directory = await makeDirectory();
  await using service = await startProcess({ TAPEDECK_DATA_DIR: directory.path });
  service.child.kill('SIGSTOP');
  const stoppedUntil = performance.now() + 12_000; // longer than the main thread may be silent
  while (performance.now() < stoppedUntil) await wait(lookMs);
  service.child.kill('SIGCONT');
  const watchedUntil = performance.now() + 3_000; // the watchdog checks every second
  while (performance.now() < watchedUntil) {
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    assert.equal(findLine(service, /did not answer/)(), undefined);
    await wait(lookMs);
  }
});
