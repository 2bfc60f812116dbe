/** A move killed at any of its steps continues when run again, repairs what was damaged meanwhile, and never serves partial data. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { openS3Blobs, S3Client } from '@tapedeck/blob-stores';
import { localTable, runCommand } from '@tapedeck/log-store/testing';
import pg from 'pg';
import { startSharedStores } from '../logs/sharedJournal.ts';
import { closeGate } from '../support/databaseGate.ts';
import { assertComplete, compareFound, startWriters } from '../support/logWriters.ts';
import { beginMove, stopNow } from '../support/moveProcess.ts';
import { refusalOf, resultOf, speakTus } from '../support/resuming.ts';
import { makeDirectory } from '../support/service.ts';
import { runTapedeck, type ServiceProcess, startProcess } from '../support/tapedeck.ts';
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
};
const withTargets = { ...before, ...targets };
const bucket = {
  bucket: targets.TAPEDECK_S3_BUCKET!,
  endpoint: stores.s3Endpoint,
  region: 'us-east-1',
  accessKeyId: targets.TAPEDECK_S3_ACCESS_KEY_ID!,
  secretAccessKey: targets.TAPEDECK_S3_SECRET_ACCESS_KEY!,
  forcePathStyle: true,
};
const sumOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const sums = new Map<string, string>();
const written = new Map<string, number>();
let service: ServiceProcess;

async function upload(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const bytes = makeSound({ seconds: 2, tone: sums.size });
    const headers = { authorization: mediaToken };
    const sent = await fetch(service.url + uploadRoute, { method: 'POST', headers, body: formOf(bytes) });
    sums.set(new URL((await readUploaded(sent)).url).pathname, sumOf(bytes));
  }
}

const speak = () => speakTus({ url: service.url, fetch: (at, init) => fetch(service.url + at, init) });
const begun = Buffer.concat([makeSound(), Buffer.alloc(60_000, 9)]);
const begunBytes = 20_000;
const uploads: string[] = [];

async function beginUploads(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const at = await speak().begin(begun.length);
    await speak().append(at, 0, begun.subarray(0, begunBytes));
    uploads.push(at);
  }
}

/** Uploads a file into a folder and returns how to delete it. */
async function uploadAndDeleteLater(): Promise<() => Promise<void>> {
  const headers = { authorization: mediaToken };
  const body = formOf(makeSound({ tone: 99 }));
  body.append('path', 'clips/old');
  const { id } = await readUploaded(
    await fetch(service.url + uploadRoute, { method: 'POST', headers, body }),
  );
  return async () => {
    const deleted = await fetch(`${service.url}${uploadRoute}/${id}`, { method: 'DELETE', headers });
    assert.equal(deleted.status, 200);
  };
}

async function write(prefix: string): Promise<void> {
  const target = { url: service.url, token: stores.token };
  using writers = startWriters(target, { writers: 2, rowsMax: 20, prefix });
  while (writers.written.acknowledged.size < 20) await wait(5);
  for (const [name, rows] of (await writers.stop()).acknowledged) written.set(name, rows);
}

/** Runs until a line matches, then kills the move. */
async function moveUntil(pattern: RegExp): Promise<void> {
  await using move = beginMove(withTargets);
  await move.says(pattern);
}

test('resumes after a kill, whatever was added, removed or damaged in between', async () => {
  service = await startProcess(before);
  await upload(6);
  await beginUploads(2);
  const deleteLater = await uploadAndDeleteLater();
  await write('one');
  await moveUntil(/^Files: .* copied/);
  await upload(3);
  await moveUntil(/^Log entries: .* copied/);
  await write('two');
  await moveUntil(stopNow);
  await deleteLater(); // its rows have been copied, and their keys hold numbers
  await moveUntil(stopNow);
  await rm(`${directory.path}/media/partial/${uploads[1]!.split('/').at(-1)}`);

  await using blobs = openS3Blobs(bucket);
  const [copied] = await Array.fromAsync(blobs.list());
  const client = new S3Client(bucket);
  const bytes = Buffer.alloc(copied!.sizeBytes, 7);
  const open = async () => Readable.from([bytes]);
  const payload = { sizeBytes: bytes.length, sha256: sumOf(bytes), open };
  await client.call({ method: 'PUT', key: copied!.place, headers: {}, payload });
  client.close();
  await runCommand(stores.shards.engines[1]!, `DELETE FROM ${localTable} WHERE identity % 4 = 1`);
  await query("update files set filename = 'damaged'");
  await query('delete from file_counts');

  // The service dies too, and restarts on its old stores.
  await service[Symbol.asyncDispose]();
  service = await startProcess(before);
  await upload(2);
  await write('three');
});

async function query(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: targets.TAPEDECK_DATABASE_URL });
  await client.connect();
  await client.query(text);
  await client.end();
}

const gates = {
  'in the last copy of the rows': 'trigger gate before insert on installation_facts for each row',
  'between the two final notes': `trigger gate before insert on installation_facts for each row
    when (new.name = 'move' and new.value like '{"copying":{}%')`,
} as const;

async function dieAt(step: keyof typeof gates): Promise<void> {
  const place = { table: 'installation_facts', trigger: gates[step] };
  await using gate = await closeGate(targets.TAPEDECK_DATABASE_URL!, place);
  await using move = beginMove(withTargets);
  await gate.reached();
  move.child.kill('SIGKILL');
  await move.exit;
  await gate.forget();
  await gate.open();
}

test('killed in the last copy of the rows, it starts with its old settings, not with the new ones', async () => {
  await service[Symbol.asyncDispose]();
  await dieAt('in the last copy of the rows');
  const secret = (await readFile(`${directory.path}/secret`, 'utf8')).trim();
  await assert.rejects(startProcess({ ...withTargets, TAPEDECK_SECRET: secret }), {
    message:
      /The database of this installation is still being copied there: run `tapedeck migrate-to` to its end/,
  });
  service = await startProcess(before);
  await upload(1);
  await write('four');
  await service[Symbol.asyncDispose]();
});

test('killed between the two final notes, it starts with neither, and the next run completes it', async () => {
  await dieAt('between the two final notes');
  const secret = (await readFile(`${directory.path}/secret`, 'utf8')).trim();
  const after = { ...withTargets, TAPEDECK_SECRET: secret };
  await assert.rejects(startProcess(before), { message: /has moved the database of this installation to/ });
  await assert.rejects(startProcess(after), { message: /is still being copied there/ });
  const elsewhere = { ...withTargets, TAPEDECK_DATABASE_URL: stores.postgres.urlOf('template1') };
  const astray = await runTapedeck(['migrate-to'], elsewhere);
  assert.match(
    astray.complained,
    /^The database of this installation was moved to PostgreSQL at .*\/postgres: name that/,
  );
  const { exitCode, printed } = await runTapedeck(['migrate-to'], withTargets);
  assert.equal(exitCode, 0);
  assert.match(
    printed,
    /^Everything is already in the stores that the settings name\.\n {2}TAPEDECK_DATABASE_URL=/,
  );
  service = await startProcess(after);
  assertComplete(await compareFound({ url: service.url, token: stores.token }, written));
  for (const [place, sum] of sums) {
    const response = await fetch(service.url + place);
    assert.equal(sumOf(new Uint8Array(await response.arrayBuffer())), sum, place);
  }
  const rest = begun.subarray(begunBytes);
  const { url } = await resultOf(await speak().append(uploads[0]!, begunBytes, rest));
  const read = await fetch(service.url + new URL(url).pathname);
  assert.equal(sumOf(new Uint8Array(await read.arrayBuffer())), sumOf(begun));
  const lost = await speak().append(uploads[1]!, begunBytes, rest);
  assert.equal(await refusalOf(lost), '404 not_found');
  await service[Symbol.asyncDispose]();
});
