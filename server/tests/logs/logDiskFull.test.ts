/** A full disk: the service refuses entries and uploads, everything else works, and freed space is soon used. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { summariseAnswer } from '../support/jsonAnswers.ts';
import { assertComplete, compareFound } from '../support/logWriters.ts';
import { makeSmallDisk } from '../support/smallDisk.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';

const tokens = { logs: 'logs-token-of-the-full-disk-0000', media: 'media-token-of-the-full-disk-000' };
const megabytes = 160;
const resumeMsMax = 15_000; // CONTRACT.md, 4.5
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The request is `GET /healthz`. */
function send(service: ServiceProcess, request: string, body?: string): Promise<Response> {
  const [method = '', route = ''] = request.split(' ');
  const authorization = route.includes('/file') ? tokens.media : tokens.logs;
  return fetch(service.url + route, {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body }),
  });
}

async function upload(service: ServiceProcess): Promise<Response> {
  return send(service, 'POST /api/v3/file/base64', JSON.stringify({ base64: picture.toString('base64') }));
}

const acknowledged = new Map<string, number>();
let batches = 0;

/** Stores a batch of a tenth of a megabyte that hardly compresses. */
async function storeBatch(service: ServiceProcess): Promise<string> {
  const name = `batch/${batches++}`;
  const rows = 20;
  const items = Array.from({ length: rows }, (_, index) => ({
    level: 'info',
    message: `${name}#${index}/${rows}`,
    metadata: { noise: Buffer.from(crypto.getRandomValues(new Uint8Array(4_000))).toString('base64') },
  }));
  const answer = await summariseAnswer(await send(service, 'POST /api/v3/logs', JSON.stringify(items)));
  if (answer === '200') acknowledged.set(name, rows);
  return answer;
}

async function untilAnswer(
  expected: string,
  attempt: () => Promise<string>,
  timeMsMax: number,
): Promise<void> {
  const deadline = performance.now() + timeMsMax;
  for (let answer = await attempt(); answer !== expected; answer = await attempt()) {
    assert.ok(performance.now() < deadline, `still ${answer}, not ${expected}`);
    await wait(50);
  }
}

test('survives a full disk, and recovers once there is space', async () => {
  await using disk = await makeSmallDisk(megabytes);
  const environment = {
    TAPEDECK_DATA_DIR: disk.path,
    TAPEDECK_LOGS_TOKEN: tokens.logs,
    TAPEDECK_MEDIA_TOKEN: tokens.media,
  };
  await using service = await startProcess(environment, disk.launcher);
  const processId = service.child.pid!;
  for (let count = 0; count < 5; count++) assert.equal(await storeBatch(service), '200');
  const { data: file } = (await (await upload(service)).json()) as { data: { id: string; url: string } };
  const media = file.url.replace(/^https?:\/\/[^/]+/, service.url);

  const fillAndUpload = async () => {
    await disk.fill(processId);
    return summariseAnswer(await upload(service));
  };

  for (let round = 0; round < 2; round++) {
    await disk.fill(processId);
    await untilAnswer('507 disk_full', () => storeBatch(service), 5_000);
    // Acknowledged entries are stored in the space reserved for them; then that is used up too.
    assertComplete(await compareFound({ url: service.url, token: tokens.logs }, acknowledged));
    await disk.fill(processId);
    for (let count = 0; count < 20; count++) assert.equal(await storeBatch(service), '507 disk_full');
    // Small files fit into the logs' reserve until it is used up.
    await untilAnswer('507 disk_full', () => fillAndUpload(), 5_000);
    assert.equal((await send(service, 'GET /healthz')).status, 200);
    assert.equal((await fetch(media)).status, 200);
    assertComplete(await compareFound({ url: service.url, token: tokens.logs }, acknowledged));

    await disk.makeRoom(processId);
    await untilAnswer('200', () => storeBatch(service), resumeMsMax);
    await untilAnswer('200', async () => summariseAnswer(await upload(service)), resumeMsMax);
  }
  await disk.fill(processId);
  await untilAnswer('507 disk_full', () => storeBatch(service), 5_000);
  assert.equal((await send(service, `DELETE /api/v3/file/${file.id}`)).status, 200);
  assert.equal((await fetch(media)).status, 404);
  await disk.makeRoom(processId);
  await untilAnswer('200', () => storeBatch(service), resumeMsMax);
  assertComplete(await compareFound({ url: service.url, token: tokens.logs }, acknowledged));
});
