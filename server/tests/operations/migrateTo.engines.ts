/**
 * Moves an installation from its data directory to PostgreSQL, S3 and two ClickHouse shards while entries and files arrive: everything
 * acknowledged is there afterwards, once, and users notice only a pause.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { localTable, queryRows } from '@tapedeck/log-store/testing';
import { startSharedStores } from '../logs/sharedJournal.ts';
import { assertComplete, compareFound, startWriters, type WriterTarget } from '../support/logWriters.ts';
import { beginMove, stopNow } from '../support/moveProcess.ts';
import { resultOf, speakTus } from '../support/resuming.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck, type ServiceProcess, startProcess, tapedeck } from '../support/tapedeck.ts';
import {
  formOf,
  makeSound,
  mediaEnvironment,
  mediaToken,
  readUploaded,
  uploadRoute,
} from '../support/uploading.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(2));
const directory = opened.use(await makeDirectory());
const running = opened.move();
after(() => running.disposeAsync());

const { TAPEDECK_JOURNAL: _, TAPEDECK_SECRET: __, TAPEDECK_LOGS_TOKEN: ___, ...targets } = stores.settings();
const before = {
  ...mediaEnvironment,
  TAPEDECK_LOGS_TOKEN: stores.token,
  TAPEDECK_DATA_DIR: directory.path,
  TAPEDECK_PUBLIC_URL: 'http://clips.example',
};
const withTargets = { ...before, ...targets };
const answersMsMax = 60_000;

type Files = { sums: Map<string, string>; deleted: Set<string>; stop(): Promise<void> };

const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const pauseMs = 400; // faster uploads would outrun the copying and use up the move's passes

/** Uploads files in sequence and deletes every fifth again. */
function startUploads(target: { url: string }): Files {
  const [sums, deleted] = [new Map<string, string>(), new Set<string>()];
  let isStopped = false;
  const work = async () => {
    for (let number = 0; !isStopped; number++, await wait(pauseMs)) {
      const bytes = Buffer.concat([makeSound({ seconds: 3 }), randomBytes(200)]);
      try {
        const headers = { authorization: mediaToken };
        const sent = await fetch(target.url + uploadRoute, { method: 'POST', headers, body: formOf(bytes) });
        const { id, url } = await readUploaded(sent);
        const place = new URL(url).pathname;
        sums.set(place, sumOf(bytes));
        if (number % 5 !== 0) continue;
        const deletion = await fetch(`${target.url}${uploadRoute}/${id}`, { method: 'DELETE', headers });
        if (deletion.ok) deleted.add(place);
      } catch {
        await wait(50); // the service is away for a moment
      }
    }
  };
  const working = work();
  return {
    sums,
    deleted,
    stop: async () => {
      isStopped = true;
      await working;
    },
  };
}

async function requireFiles({ url }: { url: string }, { sums, deleted }: Files): Promise<void> {
  for (const [place, sum] of sums) {
    const response = await fetch(url + place);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (deleted.has(place)) assert.equal(response.status, 404, place);
    else assert.equal(sumOf(bytes), sum, place);
  }
}

const speak = ({ url }: { url: string }) => speakTus({ url, fetch: (path, init) => fetch(url + path, init) });

test('everything moves under load, and nothing is lost, duplicated, or undeleted', async () => {
  let service: ServiceProcess = await startProcess(before);
  const target: WriterTarget = { url: service.url, token: stores.token };
  const made = await tapedeck(['token', 'create', '--kind', 'media', '--name', 'made before'], before);
  using writers = startWriters(target, { writers: 3, rowsMax: 30, pauseMs: 100 });
  const files = startUploads(target);
  const sound = Buffer.concat([makeSound(), randomBytes(5_000_000)]);
  const cut = 2_000_000;
  const upload = await speak(service).begin(sound.length);
  assert.equal((await speak(service).append(upload, 0, sound.subarray(0, cut))).status, 204);
  const deadline = performance.now() + answersMsMax;
  while (files.deleted.size < 3 || writers.written.acknowledged.size < 50) {
    assert.ok(performance.now() < deadline, 'there is something to move');
    await wait(50);
  }

  await using move = beginMove(withTargets);
  await move.says(stopNow);
  const seen = files.sums.size;
  while (files.sums.size < seen + 3) await wait(50); // the move copies none of these before it is told to
  service.child.kill('SIGTERM');
  assert.equal((await service.exit).exitCode, 0);
  const { exitCode, printed } = await move.exit;
  assert.equal(exitCode, 0, move.said.join('\n'));
  const report = JSON.parse(printed);
  assert.ok(report.entries > 0 && report.files > 0 && report.rows > 0 && report.stoppedMs > 0, printed);
  assert.ok(report.settings.includes(`TAPEDECK_S3_BUCKET=${targets.TAPEDECK_S3_BUCKET}`));

  const secret = (await readFile(`${directory.path}/secret`, 'utf8')).trim();
  service = await startProcess({ ...withTargets, TAPEDECK_SECRET: secret });
  target.url = service.url;
  const later = files.sums.size + 3;
  while (files.sums.size < later) await wait(50);
  await files.stop();
  const written = await writers.stop();
  assertComplete(await compareFound(target, written.acknowledged));
  await requireFiles(target, files);
  const rest = await speak(service).append(upload, cut, sound.subarray(cut));
  const read = await fetch(service.url + new URL((await resultOf(rest)).url).pathname);
  assert.equal(sumOf(new Uint8Array(await read.arrayBuffer())), sumOf(sound));
  const listed = await fetch(`${service.url}/api/v3/files`, { headers: { authorization: made.trim() } });
  assert.notEqual(listed.status, 401);
  for (const access of stores.shards.engines) {
    const [row] = await queryRows(access, { sql: `SELECT count() FROM ${localTable}` });
    assert.ok(Number(row?.[0]) > report.entries / 4, `a shard has ${row} of ${report.entries}`);
  }

  await service[Symbol.asyncDispose]();
  const verified = JSON.parse(
    await tapedeck(['verify', '--json'], { ...withTargets, TAPEDECK_SECRET: secret }),
  );
  assert.deepEqual(verified.findings, []);
  await assert.rejects(startProcess(before), {
    message:
      /has moved the database of this installation to PostgreSQL at 127\.0\.0\.1:\d+\/postgres: start with TAPEDECK_DATABASE_URL/,
  });
  const again = await runTapedeck(['migrate-to'], { ...withTargets, TAPEDECK_SECRET: secret });
  assert.match(again.printed, /^Everything is already in the stores that the settings name\./);
});
