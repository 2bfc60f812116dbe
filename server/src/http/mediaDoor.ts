/**
 * The short way to media: a file that was read a moment ago and is held in memory is answered before the router sees the
 * request. Whatever is not as plain as that goes on to the router, which answers the same, only slower.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readMedia } from '../contract/media.ts';
import type { AccessDirectory } from '../domain/access.ts';
import type { PublicFiles } from '../domain/files/publicFiles.ts';
import type { ByteRange } from '../domain/ports/blobs.ts';
import type { StoredFile } from '../domain/ports/files.ts';
import { usualHeaders } from './answerHeaders.ts';
import { otherSitesHeaders } from './cors.ts';
import { rewriteDomainUrl } from './domains.ts';
import { namesOneHost } from './hostHeader.ts';
import { composeHeaders, describeOriginal } from './mediaContent.ts';
import type { Served, ServingDeps } from './mediaServing.ts';
import type { Metrics } from './metrics.ts';
import { describeRange } from './ranges.ts';
import { planReading } from './reading.ts';
import { toRouterPath } from './registry.ts';
import { chooseRequestId } from './requestIds.ts';

export type MediaDoorDeps = ServingDeps & {
  access: AccessDirectory;
  publicFiles: PublicFiles;
  metrics: Metrics;
};

/** Whether it answered. */
export type MediaDoor = (request: IncomingMessage, response: ServerResponse) => boolean;

/** All that is the same for every request for a file. */
type Prepared = { served: Served; lines: readonly string[] };

const prefix = '/media/';
const route = toRouterPath(readMedia.path);

export function openMediaDoor(deps: MediaDoorDeps): MediaDoor {
  const prepared = new WeakMap<StoredFile, Prepared>();
  const prepare = (file: StoredFile) => {
    let made = prepared.get(file);
    if (made === undefined) {
      made = prepareAnswers(deps, file);
      prepared.set(file, made);
    }
    return made;
  };
  return (request, response) => {
    const { method } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !isPlain(request)) return false;
    const name = readName(rewriteDomainUrl(deps.access, request));
    const file = name === null ? null : deps.publicFiles.recall(name);
    if (file === null || deps.access.findProject(file.project) === null) return false;
    const startedAt = performance.now();
    const { served, lines } = prepare(file);
    const plan = planReading({ method, headers: request.headers }, served, deps.clock.now());
    if (plan.status === 412 || plan.status === 416) return false;
    if (plan.status === 206 && plan.ranges.length > 1) return false;
    const range = plan.status === 206 ? plan.ranges[0] : null;
    const bytes = method === 'HEAD' || plan.status === 304 ? null : deps.hotBytes.find(served.place);
    if (bytes === null && method === 'GET' && plan.status !== 304) return false;
    const head = [...lines, 'x-request-id', chooseRequestId(request)];
    if (plan.status !== 304) describeBody(head, served, range);
    response.writeHead(plan.status, head);
    response.end(bytes !== null && range !== null ? bytes.subarray(range.start, range.end) : bytes);
    deps.metrics.note({ method, route, status: plan.status }, performance.now() - startedAt);
    return true;
  };
}

function prepareAnswers(deps: MediaDoorDeps, file: StoredFile): Prepared {
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
  return { served: { ...content, headers }, lines: Object.entries(all).flat() };
}

function describeBody(head: string[], { mimeType, sizeBytes }: Served, range: ByteRange | null): void {
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  head.push('content-type', mimeType, 'content-length', String(end - start));
  if (range !== null) head.push('content-range', describeRange(range, sizeBytes));
}

/** HTTP/1.1 with one Host and no body. */
function isPlain(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  if (httpVersion !== '1.1' || 'content-length' in headers || 'transfer-encoding' in headers) return false;
  return namesOneHost(request);
}

/** `<project>/<key>`; null when the path says more than that, or cannot be read. */
function readName(url: string): string | null {
  if (!url.startsWith(prefix) || url.includes('?') || url.includes('#')) return null;
  if (!url.includes('%')) return url.slice(prefix.length);
  try {
    return decodeURIComponent(url.slice(prefix.length)).normalize('NFC');
  } catch {
    return null; // the router has a sentence for this
  }
}
