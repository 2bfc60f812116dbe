/**
 * Runs clients of every kind at once until stopped: they store batches of entries, upload files and keep or delete them, create tokens and keep
 * or revoke them, and resume uploads. Each thing changes in one direction only, so that what was acknowledged stays true.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { startWriters, type WriterTarget } from '../support/logWriters.ts';
import { chunkType, resumableRoute, writeMetadata } from '../support/resuming.ts';
import { formOf, makeSound, mediaToken, uploadRoute } from '../support/uploading.ts';

export type LoadTarget = WriterTarget & { cookie: string };

type Sound = { filename: string; bytes: Buffer };

export type Acknowledged = {
  /** Names of batches with their number of entries. */
  batches: Map<string, number>;
  /** Files by path. */
  files: Map<string, Sound>;
  deletedFiles: Set<string>;
  /** Tokens by id. */
  tokens: Map<string, string>;
  revokedTokens: Map<string, string>;
  /** Uploads by path; `offset` is the number of bytes stored. */
  uploads: Map<string, Sound & { offset: number }>;
};

export type Load = Disposable & {
  acknowledged(): Acknowledged;
  /** Counts every response but successes; `none` counts requests without one. */
  refusals: ReadonlyMap<string, number>;
  stop(): Promise<void>;
};

type LoadOptions = {
  prefix: string;
  writers?: number;
  /** Pause of every other client after each action. */
  pauseMs?: number;
};

const rowsMax = 40;
const pauseMsUsual = 20;
const uploadSeconds = 30; // 240 kB of sound
const pieces = 3;
const tus = { authorization: mediaToken, 'tus-resumable': '1.0.0' };
const unfinishedMax = 200; // a project may have 1,000, and several loads run at once

export function noneAcknowledged(): Acknowledged {
  return {
    batches: new Map(),
    files: new Map(),
    deletedFiles: new Set(),
    tokens: new Map(),
    revokedTokens: new Map(),
    uploads: new Map(),
  };
}

export function addAcknowledged(to: Acknowledged, from: Acknowledged): void {
  for (const [name, rows] of from.batches) to.batches.set(name, rows);
  for (const [path, sound] of from.files) to.files.set(path, sound);
  for (const path of from.deletedFiles) to.deletedFiles.add(path);
  for (const [id, token] of from.tokens) to.tokens.set(id, token);
  for (const [id, token] of from.revokedTokens) to.revokedTokens.set(id, token);
  for (const [path, upload] of from.uploads) to.uploads.set(path, { ...upload });
}

export function startLoad(
  target: LoadTarget,
  { prefix, writers = 2, pauseMs = pauseMsUsual }: LoadOptions,
): Load {
  const entries = startWriters(target, { writers, rowsMax, prefix, pauseMs: 5 });
  const refusals = new Map<string, number>();
  const known = noneAcknowledged();
  let isStopped = false;
  const repeat = async (step: (number: number) => Promise<void>) => {
    for (let number = 0; !isStopped; number++) {
      await step(number).catch(error => {
        const words = error instanceof Refusal ? error.message : 'none';
        refusals.set(words, (refusals.get(words) ?? 0) + 1);
      });
      await wait(pauseMs);
    }
  };
  const client: LoadClient = { target, prefix, known };
  const running = Promise.all(
    [storeFile, makeToken, sendUpload].map(step => repeat(number => step(client, number))),
  );
  return {
    refusals,
    acknowledged: () => {
      const copy = noneAcknowledged();
      addAcknowledged(copy, { ...known, batches: entries.written.acknowledged });
      return copy;
    },
    stop: async () => {
      isStopped = true;
      const { refusals: ofEntries } = await entries.stop();
      await running;
      for (const [words, count] of ofEntries) refusals.set(words, (refusals.get(words) ?? 0) + count);
    },
    // Stops the clients when a test fails.
    [Symbol.dispose]: () => {
      isStopped = true;
      entries[Symbol.dispose]();
    },
  };
}

type LoadClient = { target: LoadTarget; prefix: string; known: Acknowledged };

class Refusal extends Error {}

/** Throws a refusal for any response but a success. */
async function ask({ target }: LoadClient, path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(new URL(path, target.url), init);
  if (response.ok) return response;
  const body = await response.text();
  const code = body === '' ? 'without_body' : (JSON.parse(body) as { code: string }).code; // answers to HEAD have none
  throw new Refusal(`${response.status} ${code}`);
}

/** Stores a file, and deletes every fourth again. */
async function storeFile(client: LoadClient, number: number): Promise<void> {
  const sound = { filename: `${client.prefix}-${number}.wav`, bytes: makeSound({ tone: number % 256 }) };
  const headers = { authorization: mediaToken, 'idempotency-key': sound.filename };
  const body = formOf(sound.bytes, { metadata: JSON.stringify({ number }) }, sound.filename);
  const response = await ask(client, uploadRoute, { method: 'POST', headers, body });
  const { data } = (await response.json()) as { data: { id: string; url: string } }; // the contract's shape
  const path = new URL(data.url).pathname;
  if (number % 4 !== 3) return void client.known.files.set(path, sound);
  const deleted = await ask(client, `${uploadRoute}/${data.id}`, { method: 'DELETE', headers });
  await deleted.arrayBuffer();
  client.known.deletedFiles.add(path);
}

const tokensRoute = '/api/manage/projects/default/tokens';

/** Creates a token, and revokes every third again. */
async function makeToken(client: LoadClient, number: number): Promise<void> {
  const headers = { cookie: client.target.cookie, 'content-type': 'application/json' };
  const body = JSON.stringify({ kind: 'logs', name: `${client.prefix}-${number}` });
  const response = await ask(client, tokensRoute, { method: 'POST', headers, body });
  const { token, record } = (await response.json()) as { token: string; record: { id: string } }; // the contract's shape
  if (number % 3 !== 2) return void client.known.tokens.set(record.id, token);
  const { cookie } = headers;
  const revoked = await ask(client, `${tokensRoute}/${record.id}`, { method: 'DELETE', headers: { cookie } });
  await revoked.arrayBuffer();
  client.known.revokedTokens.set(record.id, token);
}

/**
 * Uploads in pieces, and leaves every other upload unfinished, as do crashes. Once many wait, it finishes the oldest instead of beginning
 * others, because a project may have only so many.
 */
async function sendUpload(client: LoadClient, number: number): Promise<void> {
  const waiting = [...client.known.uploads].filter(([, { offset, bytes }]) => offset < bytes.length);
  const oldest = waiting.length < unfinishedMax ? undefined : waiting[0];
  const [path, upload] = oldest ?? (await beginUpload(client, number));
  if (oldest !== undefined) {
    client.known.uploads.delete(path);
    client.known.uploads.set(path, upload); // now the newest, so that the next try takes another one
    const head = await ask(client, path, { method: 'HEAD', headers: tus });
    upload.offset = Number(head.headers.get('upload-offset'));
  }
  const pieceBytes = Math.ceil(upload.bytes.length / pieces);
  const isFinished = oldest !== undefined || number % 2 === 0;
  const end = isFinished ? upload.bytes.length : pieceBytes * (pieces - 1);
  while (upload.offset < end) {
    const headers = { ...tus, 'content-type': chunkType, 'upload-offset': String(upload.offset) };
    const body = new Uint8Array(upload.bytes.subarray(upload.offset, upload.offset + pieceBytes));
    const sent = await ask(client, path, { method: 'PATCH', headers, body });
    await sent.arrayBuffer();
    upload.offset = Number(sent.headers.get('upload-offset'));
  }
}

type BegunUpload = [path: string, upload: Sound & { offset: number }];

async function beginUpload(client: LoadClient, number: number): Promise<BegunUpload> {
  const bytes = makeSound({ seconds: uploadSeconds, tone: number % 256 });
  const upload = { filename: `${client.prefix}-${number}-in-pieces.wav`, bytes, offset: 0 };
  const made = await ask(client, resumableRoute, {
    method: 'POST',
    headers: {
      ...tus,
      'upload-length': String(bytes.length),
      'upload-metadata': writeMetadata({ filename: upload.filename }),
    },
  });
  const path = new URL(made.headers.get('location') ?? '').pathname;
  client.known.uploads.set(path, upload);
  return [path, upload];
}
