/** Kills the service under senders of every protocol: acknowledged entries are found afterwards, once, and no request is found in part. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { makeEntry } from '../../../bench/logEntries.ts';
import { type ProtocolForm, protocolForms } from '../../../bench/protocolRequests.ts';
import { findEngineProcess, readBodies } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';

const token = 'logs-token-of-the-killed-doors-0';
const entriesMax = 300; // batches of more than 200 are read in the thread
const answersBeforeKill = 8; // for each sender
const engineMsMax = 30_000; // on a busy machine
const marker = /<(.+)\|(\d+)\/(\d+)>/;

type Target = { url: string; isOver: boolean };

/** Names of the requests acknowledged as stored. */
type Sender = { form: ProtocolForm; acknowledged: Set<string>; refused: string[]; ended: Promise<void> };

function startSender(form: ProtocolForm, target: Target): Sender {
  const acknowledged = new Set<string>();
  const refused: string[] = [];
  const run = async () => {
    for (let number = 0; !target.isOver; number++) {
      const name = `${form.title} ${number}`;
      const status = await sendBatch(
        { form, url: target.url },
        name,
        number % 4 === 0 ? entriesMax : 1 + (number % 7),
      );
      if (status === null) await wait(20);
      else if (status < 300) acknowledged.add(name);
      else refused.push(`${name}: ${status}`);
    }
  };
  return { form, acknowledged, refused, ended: run() };
}

/** Returns null without a response. */
async function sendBatch(
  { form, url }: { form: ProtocolForm; url: string },
  name: string,
  count: number,
): Promise<number | null> {
  const entries = Array.from({ length: count }, (_, index) => ({
    ...makeEntry(index),
    message: `<${name}|${index}/${count}>`,
    timestamp: Date.now(),
  }));
  const written = form.write(entries);
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, 'content-type': form.type };
  if (form.encoding !== undefined) headers['content-encoding'] = form.encoding;
  const body = form.encoding === undefined ? Buffer.from(written) : gzipSync(written);
  try {
    const response = await fetch(`${url}${form.path}`, { method: 'POST', headers, body });
    await response.text();
    return response.status;
  } catch {
    return null;
  }
}

/** Returns how often each entry of each request is found. */
async function readFound(url: string): Promise<Map<string, number[]>> {
  const response = await askEngine(`${url}/api/v3/logs/export`);
  const found = new Map<string, number[]>();
  for await (const body of readBodies(response)) {
    const [, name = '', index = '', count = ''] = marker.exec(body) ?? [];
    const times = found.get(name) ?? Array.from({ length: Number(count) }, () => 0);
    times[Number(index)]!++;
    found.set(name, times);
  }
  return found;
}

/** Retries while the engine restarts. */
async function askEngine(url: string): Promise<Response> {
  for (const deadline = performance.now() + engineMsMax; ; await wait(100)) {
    const response = await fetch(url, { headers: { authorization: token } });
    if (response.status === 503 && performance.now() < deadline) continue;
    assert.equal(response.status, 200);
    return response;
  }
}

test('every ingest route keeps what it acknowledged', async () => {
  await using directory = await makeDirectory();
  const environment = { TAPEDECK_DATA_DIR: directory.path, TAPEDECK_LOGS_TOKEN: token };
  const target: Target = { url: '', isOver: false };
  const senders: Sender[] = [];
  {
    await using service = await startProcess(environment);
    target.url = service.url;
    senders.push(...protocolForms.map(form => startSender(form, target)));
    while (senders.some(({ acknowledged }) => acknowledged.size < answersBeforeKill)) await wait(10);
    const engine = await findEngineProcess(service.child.pid!);
    service.child.kill('SIGKILL');
    if (engine !== null) process.kill(engine, 'SIGKILL');
    await service.exit;
  }
  target.isOver = true;
  await Promise.all(senders.map(({ ended }) => ended));
  await using service = await startProcess(environment);
  const found = await readFound(service.url);
  for (const { acknowledged, refused } of senders) {
    assert.deepEqual(refused, []);
    for (const name of acknowledged) assert.ok(found.has(name), `${name} was acknowledged, and is not found`);
  }
  for (const [name, times] of found)
    assert.ok(
      times.every(each => each === 1),
      `${name} is found in part, or twice: ${times.join(' ')}`,
    );
});
