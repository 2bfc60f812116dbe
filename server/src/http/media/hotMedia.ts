/** Composes answers to requests for files that lie in memory. All other requests for media go to the router. */
import type { IncomingMessage } from 'node:http';
import { readMedia } from '../../contract/media.ts';
import type { AccessDirectory } from '../../domain/access.ts';
import type { PublicFiles } from '../../domain/files/publicFiles.ts';
import type { BlobPlace } from '../../domain/ports/blobs.ts';
import type { StoredFile } from '../../domain/ports/files.ts';
import { joinLines, usualHeaders } from '../answerHeaders.ts';
import { otherSitesHeaders } from '../cors.ts';
import { rewriteDomainUrl } from '../domains.ts';
import type { Metrics } from '../metrics.ts';
import { toRouterPath } from '../registry.ts';
import { chooseRequestId } from '../requestIds.ts';
import { composeHeaders, describeOriginal } from './mediaContent.ts';
import type { Served, ServingDeps } from './mediaServing.ts';
import { describeRange } from './ranges.ts';
import { planReading } from './reading.ts';
import { type Release, warmedFileBytesMax } from './wholeReads.ts';

export type HotMediaDeps = ServingDeps & {
  access: AccessDirectory;
  publicFiles: PublicFiles;
  metrics: Metrics;
};

export type ReadingRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export type HotAnswer = {
  status: 200 | 206 | 304;
  /** The headers that every answer for the file has. */
  usual: Head;
  /** The other headers, names and values in turn. */
  more: readonly string[];
  body: Buffer | null;
  /** To be called when the body has been sent or given up. */
  onSent?: Release;
};

export type HotMedia = {
  /** Answers from memory, or null. The caller must send the answer, because it is counted in the metrics. */
  answer(request: ReadingRequest): HotAnswer | null;
  /** Looks for the file first, and reads a small file into memory when the answer needs its bytes. */
  answerSoon(request: ReadingRequest): Promise<HotAnswer | null> | null;
};

/** Headers as names and values in turn, and the same headers as text. */
type Head = { lines: readonly string[]; text: string };
type Prepared = { served: Served; head: Head };

const prefix = '/media/';
export const mediaRoute = toRouterPath(readMedia.path);

export function openHotMedia(deps: HotMediaDeps): HotMedia {
  const prepared = new WeakMap<StoredFile, Prepared>();
  const prepare = (file: StoredFile) => {
    let made = prepared.get(file);
    if (made === undefined) {
      made = prepareAnswers(deps, file);
      prepared.set(file, made);
    }
    return made;
  };
  const answer = (request: ReadingRequest) => {
    const startedAt = performance.now();
    const name = readName(deps.access, request);
    const file = name === null ? null : deps.publicFiles.recall(name);
    if (file === null || deps.access.findProject(file.project) === null) return null;
    const composed = composeAnswer(deps, request, prepare(file));
    if (composed === null) return null;
    const { method = 'GET' } = request;
    deps.metrics.note({ method, route: mediaRoute, status: composed.status }, performance.now() - startedAt);
    return composed;
  };
  const readOnce = shareReads(deps);
  const answerFile = async (request: ReadingRequest, name: string) => {
    const slash = name.indexOf('/');
    const project = name.slice(0, slash);
    if (deps.access.findProject(project) === null) return null;
    const file = await deps.publicFiles.find(project, name.slice(slash + 1));
    if (file === null) return null;
    const known = answer(request); // a condition, or a HEAD, is answered without the bytes
    if (known !== null || file.sizeBytes > warmedFileBytesMax) return known;
    return (await readOnce(describeOriginal(deps.blobs, file))) ? answer(request) : null;
  };
  return {
    answer,
    answerSoon: request => {
      const name = readName(deps.access, request);
      return name === null ? null : answerFile(request, name);
    },
  };
}

function composeAnswer(
  deps: HotMediaDeps,
  request: ReadingRequest,
  { served, head: usual }: Prepared,
): HotAnswer | null {
  const { method = 'GET', headers } = request;
  const plan = planReading({ method, headers }, served, deps.clock.now());
  if (plan.status === 412 || plan.status === 416) return null;
  if (plan.status === 206 && plan.ranges.length > 1) return null;
  const more = ['x-request-id', chooseRequestId(request)];
  if (plan.status === 304) return { status: 304, usual, more, body: null };
  const range = plan.status === 206 ? plan.ranges[0] : null;
  const { start, end } = range ?? { start: 0, end: served.sizeBytes };
  more.push('content-type', served.mimeType, 'content-length', String(end - start));
  if (range !== null) more.push('content-range', describeRange(range, served.sizeBytes));
  if (method === 'HEAD') return { status: plan.status, usual, more, body: null };
  const bytes = deps.hotBytes.find(served.place);
  const onSent = bytes && deps.wholeReads.hold(bytes);
  if (bytes === null || onSent === null) return null;
  const body = range === null ? bytes : bytes.subarray(start, end);
  return { status: plan.status, usual, more, body, onSent };
}

function prepareAnswers(deps: HotMediaDeps, file: StoredFile): Prepared {
  const content = describeOriginal(deps.blobs, file);
  const headers = composeHeaders(file, content.mimeType, false);
  const all = {
    ...usualHeaders,
    ...otherSitesHeaders,
    ...headers,
    etag: content.etag,
    'last-modified': new Date(content.lastModifiedAt).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const lines = Object.entries(all).flat();
  return { served: { ...content, headers }, head: { lines, text: joinLines(lines) } };
}

/** Makes simultaneous requests for the same bytes share one read, which resolves to whether there is such a blob. */
function shareReads({ blobs, hotBytes }: HotMediaDeps) {
  const pending = new Map<BlobPlace, Promise<boolean>>();
  return (content: { place: BlobPlace; sizeBytes: number }): Promise<boolean> => {
    const { place, sizeBytes } = content;
    const others = pending.get(place);
    if (others !== undefined) return others;
    const reading = blobs
      .readBytes(place, { start: 0, end: sizeBytes })
      .then(bytes => {
        if (bytes !== null) hotBytes.offer(place, bytes);
        return bytes !== null;
      })
      .finally(() => pending.delete(place));
    pending.set(place, reading);
    return reading;
  };
}

/** `<project>/<key>`; null when the path says more than that, or cannot be read. */
function readName(access: AccessDirectory, request: ReadingRequest): string | null {
  const url = rewriteDomainUrl(access, request);
  if (!url.startsWith(prefix) || url.includes('?') || url.includes('#')) return null;
  if (!url.includes('%')) return url.slice(prefix.length);
  try {
    return decodeURIComponent(url.slice(prefix.length)).normalize('NFC');
  } catch {
    return null; // the router has a sentence for this
  }
}
