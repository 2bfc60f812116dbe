/** Queries a restarted service for everything it acknowledged before, and reports what is lost, doubled or partial. */
import { setTimeout as wait } from 'node:timers/promises';
import { compareFound } from '../support/logWriters.ts';
import { chunkType } from '../support/resuming.ts';
import { formOf, mediaToken, uploadRoute } from '../support/uploading.ts';
import type { Acknowledged, LoadTarget } from './load.ts';

type Checked = {
  entries: number;
  files: number;
  tokens: number;
  uploads: number;
  /** One sentence per fault. */
  faults: string[];
};

const patienceMs = 60_000; // an engine killed in its first second restarts after a delay
const pageSize = 100; // SERVICE.md, Limits

/** `keptKeys`: the store still has the Idempotency-Keys of files. A restored one lacks them, since backups leave them out. */
type LossOptions = { keptKeys: boolean };

/** No other client may write meanwhile. Finishes the uploads and moves them to the files in `known`. */
export async function findLosses(
  target: LoadTarget,
  known: Acknowledged,
  options: LossOptions,
): Promise<Checked> {
  const faults: string[] = [];
  const entries = await checkEntries({ target, known, faults });
  const others = await findLossesOfOthers(target, known, options);
  return { entries, ...others, faults: [...faults, ...others.faults] };
}

/** Finds losses of everything but entries, as above. */
export async function findLossesOfOthers(
  target: LoadTarget,
  known: Acknowledged,
  { keptKeys }: LossOptions = { keptKeys: true },
): Promise<Omit<Checked, 'entries'>> {
  const faults: string[] = [];
  const check: Check = { target, known, faults };
  const uploads = known.uploads.size;
  await finishUploads(check);
  await checkFiles(check);
  if (keptKeys) await repeatNewest(check);
  await checkTokens(check);
  const tokens = known.tokens.size + known.revokedTokens.size;
  return { files: known.files.size, tokens, uploads, faults };
}

type Check = { target: LoadTarget; known: Acknowledged; faults: string[] };

function expect({ faults }: Check, isSo: boolean, words: string): void {
  if (!isSo) faults.push(words);
}

type Asked = RequestInit & { headers?: Record<string, string> };

function ask({ target }: Check, path: string, init: Asked = {}): Promise<Response> {
  return fetch(new URL(path, target.url), init);
}

/** Returns the body of a 200. */
async function read<T>(check: Check, path: string, headers: Record<string, string>): Promise<T> {
  for (const deadline = performance.now() + patienceMs; ; await wait(50)) {
    const response = await ask(check, path, { headers });
    const body = await response.text();
    if (response.status === 200) return JSON.parse(body) as T; // the caller names the contract's shape
    if (response.status !== 503 || performance.now() > deadline)
      throw new Error(`${path} returns ${response.status}: ${body}`);
  }
}

async function checkEntries(check: Check): Promise<number> {
  const { target, known } = check;
  const { entries, lost, doubled, split } = await compareFound(target, known.batches, patienceMs);
  for (const [name, rows] of known.batches)
    if (lost.includes(name)) expect(check, false, `lost: ${rows} of ${name}`);
  for (const body of doubled) expect(check, false, `duplicated: ${body}`);
  for (const name of split) expect(check, false, `partly stored: ${name}`);
  type Answer = { pagination: { total: number } };
  const headers = { authorization: target.token };
  const { pagination } = await read<Answer>(check, '/api/v3/logs?limit=1&includeTotal=true', headers);
  expect(
    check,
    pagination.total === entries,
    `${entries} entries were exported, and ${pagination.total} counted`,
  );
  return entries;
}

async function finishUploads(check: Check): Promise<void> {
  const { known } = check;
  const tus = { authorization: mediaToken, 'tus-resumable': '1.0.0' };
  for (const [path, { offset, bytes, filename }] of known.uploads) {
    known.uploads.delete(path);
    const head = await ask(check, path, { method: 'HEAD', headers: tus });
    const kept = Number(head.headers.get('upload-offset') ?? Number.NaN);
    expect(
      check,
      kept >= offset,
      `lost: ${head.status}, ${kept} of ${offset} bytes of the upload ${filename}`,
    );
    if (!(kept >= offset)) continue;
    if (kept < bytes.length) {
      const headers = { ...tus, 'content-type': chunkType, 'upload-offset': String(kept) };
      const body = new Uint8Array(bytes.subarray(kept));
      const sent = await ask(check, path, { method: 'PATCH', headers, body });
      expect(check, sent.ok, `${filename} cannot be completed: ${sent.status} ${await sent.text()}`);
    }
    const result = await ask(check, `${path}/result`, { headers: tus });
    const text = await result.text();
    expect(check, result.ok, `${filename} has no result: ${result.status} ${text}`);
    if (!result.ok) continue;
    const { data } = JSON.parse(text) as { data: { url: string } }; // the contract's shape
    known.files.set(new URL(data.url).pathname, { filename, bytes });
  }
}

async function checkFiles(check: Check): Promise<void> {
  const { known } = check;
  for (const [path, { filename, bytes }] of known.files) {
    const response = await ask(check, path);
    const stored = Buffer.from(await response.arrayBuffer());
    expect(check, response.status === 200, `lost: ${filename} returns ${response.status}`);
    expect(check, response.status !== 200 || stored.equals(bytes), `other bytes: ${filename}`);
  }
  for (const path of known.deletedFiles) {
    const { status, body } = await ask(check, path);
    await body?.cancel();
    expect(check, status === 404, `deleted, but returns ${status}: ${path}`);
  }
  await checkList(check);
}

/** Each file has a different name, so one listed twice was stored twice. */
async function checkList(check: Check): Promise<void> {
  type Answer = { data: { filename: string; url: string }[] };
  const listed = new Map<string, string>();
  for (let page = 1; ; page++) {
    const path = `${uploadRoute}?limit=${pageSize}&page=${page}`;
    const { data } = await read<Answer>(check, path, { authorization: mediaToken });
    for (const { filename, url } of data) {
      expect(check, !listed.has(filename), `listed twice: ${filename}`);
      listed.set(filename, new URL(url).pathname);
    }
    if (data.length < pageSize) break;
  }
  const paths = new Set(listed.values());
  for (const [path, { filename }] of check.known.files)
    expect(check, paths.has(path), `not listed: ${filename}`);
}

/** Resends a file under its key, as a client without a response does: the service returns the same file. */
async function repeatNewest(check: Check): Promise<void> {
  const newest = [...check.known.files].findLast(([, { filename }]) => !filename.includes('in-pieces'));
  if (newest === undefined) return;
  const [path, { filename, bytes }] = newest;
  const number = Number(/-(\d+)\.wav$/.exec(filename)?.[1]);
  const headers = { authorization: mediaToken, 'idempotency-key': filename };
  const body = formOf(bytes, { metadata: JSON.stringify({ number }) }, filename);
  const response = await ask(check, uploadRoute, { method: 'POST', headers, body });
  const text = await response.text();
  const url = response.ok ? (JSON.parse(text) as { data: { url: string } }).data.url : null; // the contract's shape
  const isSame = url !== null && new URL(url).pathname === path;
  expect(check, isSame, `${filename} differs when it is resent: ${response.status} ${text}`);
}

async function checkTokens(check: Check): Promise<void> {
  const { known, target } = check;
  const statusOf = async (token: string) => {
    const response = await ask(check, '/api/v3/token', { headers: { authorization: token } });
    await response.arrayBuffer();
    return response.status;
  };
  for (const [id, token] of known.tokens) {
    const status = await statusOf(token);
    expect(check, status === 200, `lost: the token ${id} returns ${status}`);
  }
  for (const [id, token] of known.revokedTokens) {
    const status = await statusOf(token);
    expect(check, status === 401, `revoked, but returns ${status}: the token ${id}`);
  }
  type Answer = { entries: { action: string; target: string }[]; nextBefore: string | null };
  const lines = new Map<string, number>();
  for (let before: string | null = ''; before !== null; ) {
    const page: Answer = await read(check, `/api/manage/audit?limit=${pageSize}${before}`, {
      cookie: target.cookie,
    });
    for (const { action, target: of } of page.entries)
      lines.set(`${action} ${of}`, (lines.get(`${action} ${of}`) ?? 0) + 1);
    before = page.nextBefore && `&before=${page.nextBefore}`;
  }
  for (const id of [...known.tokens.keys(), ...known.revokedTokens.keys()])
    expect(check, lines.get(`token.create ${id}`) === 1, `not once in the audit log: token.create ${id}`);
  for (const id of known.revokedTokens.keys())
    expect(check, lines.get(`token.revoke ${id}`) === 1, `not once in the audit log: token.revoke ${id}`);
}
