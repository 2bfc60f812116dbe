/** Files and logs of a deleted project are unreachable at once, and the next sweep removes them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { deleteProject } from '@tapedeck/contract/projects';
import { openAttachedLogStore } from '@tapedeck/log-store';
import { localTable, queryRows } from '@tapedeck/log-store/testing';
import pino from 'pino';
import { describeRefusal } from '../support/client.ts';
import { addPerson, addProject, addToken, type Person } from '../support/people.ts';
import { makeDirectory, startTestService, type TestService } from '../support/service.ts';
import {
  listTraces,
  makePicture,
  mediaEnvironment,
  pathOf,
  readUsage,
  uploadFile,
} from '../support/uploading.ts';

const directory = await makeDirectory();
after(() => directory[Symbol.asyncDispose]());
const picture = await makePicture(640, 400);

function start(): Promise<TestService> {
  return startTestService({ dataDir: directory.path, environment: mediaEnvironment });
}

/** CONTRACT.md, 2: within a second; at once on the node that deletes it. */
async function requireGone(service: TestService, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const response = await service.fetch(path);
    assert.equal(await describeRefusal(response), '404 not_found', path);
  }
}

/** Sends a form whose second half waits for the test. */
function sendSlowly(service: TestService, token: string) {
  const boundary = 'x';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const request = http.request(`${service.url}/api/v3/file`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': `multipart/form-data; boundary=${boundary}` },
  });
  request.write(body.subarray(0, 300));
  const finish = async (): Promise<number> => {
    request.end(body.subarray(300));
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  return { finish };
}

async function writeLogs(service: TestService, dataset: string, token: string): Promise<void> {
  const body = JSON.stringify(['one', 'two'].map(message => ({ level: 'info', message })));
  const headers = { authorization: token, 'content-type': 'application/json' };
  const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, { method: 'POST', headers, body });
  assert.equal(response.status, 200, await response.text());
}

/** Counts entries by project and dataset directly in the engine. */
async function countLogs({ config }: TestService): Promise<Record<string, number>> {
  const log = pino({ level: 'silent' });
  await using store = await openAttachedLogStore(config.logs, { log, dataDir: config.dataDir });
  await store.flush();
  const sql = `SELECT project || '/' || dataset AS place, count() FROM ${localTable} GROUP BY place ORDER BY place`;
  return Object.fromEntries(await queryRows(store.shards[0], { sql }));
}

describe('a deleted project', () => {
  it('loses its files, and no other project does', async () => {
    const kept: string[] = [];
    {
      await using service = await start();
      const owner: Person = await addPerson(service, { isOwner: true });
      await addProject(owner, 'arena');
      const { token } = await addToken(owner, { project: 'arena' });
      const files = [
        await uploadFile(service, picture, {}, { token }),
        await uploadFile(service, picture, { path: 'clips/today', retentionExempt: 'true' }, { token }),
      ];
      const paths = files.map(({ url }) => pathOf(url));
      assert.equal((await service.fetch(`${paths[0]}?w=320`)).status, 200);
      kept.push(pathOf((await uploadFile(service, picture)).url));
      const underWay = sendSlowly(service, token);
      for (const project of ['arena', 'default']) {
        const { token: logsToken } = await addToken(owner, { kind: 'logs', project });
        for (const dataset of ['game', 'chat']) await writeLogs(service, dataset, logsToken);
      }

      await owner.call(deleteProject, { params: { project: 'arena' } });
      await requireGone(service, [...paths, `${paths[0]}?w=320`, `${paths[0]}?w=640`]);
      const listed = await service.fetch('/api/v3/file', { headers: { authorization: token } });
      assert.equal(listed.status, 401);
      const late = await underWay.finish();
      assert.ok(late >= 400 && late < 500, String(late));
      assert.equal((await service.fetch(kept[0]!)).status, 200);
    }
    await using service = await start();
    const readBlobs = async () => (await listTraces(service)).blobs.filter(at => at.includes('/arena/'));
    for (let turn = 0; turn < 200 && (await readBlobs()).length > 0; turn++) await wait(25);
    assert.deepEqual(await readBlobs(), []);
    for (let turn = 0; turn < 200 && (await readUsage(service, 'arena')).files > 0; turn++) await wait(25);
    assert.deepEqual(await readUsage(service, 'arena'), { files: 0, bytes: 0 });
    assert.deepEqual(await readUsage(service), { files: 1, bytes: picture.length });
    assert.equal((await service.fetch(kept[0]!)).status, 200);
    const logsLeft = { 'default/chat': 2, 'default/game': 2 };
    for (let turn = 0; turn < 200 && !isDeepStrictEqual(await countLogs(service), logsLeft); turn++)
      await wait(25);
    assert.deepEqual(await countLogs(service), logsLeft);
  });
});
