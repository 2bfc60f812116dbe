/** Downloads a file and hashes its bytes on the way. */
import { createHash } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { open } from 'node:fs/promises';
import { ApiError, persist } from '@tapedeck/client';
import { isPublicAddress } from '@tapedeck/outgoing/requests';
import type { SourceFile } from './sourceShapes.ts';

export type Download = { sizeBytes: number; sha256: string };

const silenceMsMax = 60_000;
const patience = { retryForMs: 600_000, requestTimeoutMs: silenceMsMax };
const repeatedMsMax = 60_000; // for errors other than requests to wait: a missing address stays missing
const redirectsMax = 5;
const tries = 3; // for a file whose bytes end early

/** Whether the importer may connect to private addresses: only if the source itself is private. */
export type Reach = { isPrivate: boolean };

export async function measureReach(baseUrl: string): Promise<Reach> {
  return { isPrivate: !(await isPublic(new URL(baseUrl))) };
}

type Wanted = { source: string; file: SourceFile; target: string; reach: Reach };

/** Tries the addresses of the file in order. Rejects with the last error. */
export async function downloadFile({ source, file, target, reach }: Wanted): Promise<Download> {
  let last: unknown = new Error('the source names no address of it.');
  for (const url of listAddresses(source, file)) {
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        return await fetchPatiently({ url, target, reach, sizeBytes: file.sizeBytes });
      } catch (error) {
        last = error;
        if (!(error instanceof ApiError) || error.status !== wrongSize) break;
      }
    }
  }
  throw last;
}

const wrongSize = 422; // not an HTTP error: the answer was complete

function fetchPatiently(fetched: Fetched): Promise<Download> {
  const startedAt = performance.now();
  const mayRepeat = ({ status }: ApiError) => {
    if (status === 429 || status === 503) return true;
    return (status === 0 || status >= 500) && performance.now() - startedAt < repeatedMsMax;
  };
  return persist(() => fetchInto(fetched), patience, mayRepeat);
}

/** If the source's URLs use another host name, also tries the host name that works. */
function listAddresses(source: string, { urls }: SourceFile): string[] {
  const here = new URL(source);
  const elsewhere = urls
    .filter(url => URL.canParse(url))
    .map(url => {
      const { pathname, search } = new URL(url);
      return new URL(pathname + search, here).href;
    });
  return [...new Set([...urls.filter(url => URL.canParse(url)), ...elsewhere])];
}

type Fetched = { url: string; target: string; reach: Reach; sizeBytes: number | null };

async function fetchInto({ url, target, reach, sizeBytes }: Fetched): Promise<Download> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMsMax);
  try {
    const response = await follow(url, reach, silence.signal);
    const hash = createHash('sha256');
    let bytes = 0;
    await using file = await open(target, 'w');
    for await (const chunk of response.body ?? []) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMsMax);
      hash.update(chunk);
      bytes += chunk.length;
      await file.write(chunk);
    }
    if (sizeBytes !== null && bytes !== sizeBytes)
      throw failure(wrongSize, `${url} has ${bytes} bytes, and not the ${sizeBytes} that the source names.`);
    return { sizeBytes: bytes, sha256: hash.digest('hex') };
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw failure(0, `${url} cannot be fetched: ${describe(cause)}.`, cause);
  } finally {
    clearTimeout(timer);
  }
}

function describe(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : String(inner);
}

async function follow(first: string, reach: Reach, signal: AbortSignal): Promise<Response> {
  let url = first;
  for (let hop = 0; hop <= redirectsMax; hop++) {
    const place = new URL(url);
    if (!/^https?:$/.test(place.protocol)) throw failure(400, `${url} is not the address of a file.`);
    if (!reach.isPrivate && !(await isPublic(place)))
      throw failure(400, `${url} is in a private network and is not fetched.`);
    const response = await fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('Location');
    if (response.status < 300 || response.status >= 400 || location === null)
      return requireFile(response, url);
    await response.body?.cancel();
    url = new URL(location, url).href;
  }
  throw failure(400, `${first} redirects more than ${redirectsMax} times.`);
}

async function requireFile(response: Response, url: string): Promise<Response> {
  if (response.ok) return response;
  await response.body?.cancel();
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : null;
  const code = 'source_unreadable';
  throw new ApiError(
    { status: response.status, code, retryAfterSeconds },
    `${url} answers ${response.status}.`,
  );
}

function failure(status: number, sentence: string, cause?: unknown): ApiError {
  return new ApiError({ status, code: 'source_unreadable' }, sentence, { cause });
}

async function isPublic({ hostname }: URL): Promise<boolean> {
  const name = hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => isPublicAddress(address));
}
