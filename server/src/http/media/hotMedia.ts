/**
 * The fast path for media: cached files, and small ones, which it caches. The route handles all other requests, by the same plan and with the
 * same headers.
 */

import { readMedia } from '@tapedeck/contract/media';
import { isPrivate } from '@tapedeck/domain/files/librarySettings';
import type { PublicFiles } from '@tapedeck/domain/files/publicFiles';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import type { BlobPlace } from '@tapedeck/domain/ports/blobs';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { Project } from '@tapedeck/domain/ports/metadata';
import type { ProjectCounts } from '@tapedeck/domain/projects/projectCounts';
import { type FastPath, type PlainAnswer, type PlainRequest, writeHeaders } from '@tapedeck/fast-http';
import { Failure } from '@tapedeck/values/failure';
import { chooseRequestId } from '@tapedeck/values/random-ids';
import type { Logger } from 'pino';
import { openJsonResponses } from '../connection/rawResponses.ts';
import type { Metrics } from '../metrics.ts';
import { headersAt } from '../responseHeaders.ts';
import { toRouterPath } from '../routing.ts';
import type { OriginalDescriber, Served } from './mediaContent.ts';
import { warmedFileBytesMax } from './mediaMemory.ts';
import type { ServingDeps } from './mediaServing.ts';
import { describePart, planReading } from './responsePlan.ts';

export type HotMediaDeps = ServingDeps & {
  access: AccessDirectory;
  publicFiles: PublicFiles;
  describeOriginal: OriginalDescriber;
  metrics: Metrics;
  counts: ProjectCounts;
  log: Logger;
};

/** `publicIn`: the project as it was when the file was found public in it; null: not found public. */
type Prepared = { served: Served; head: string; publicIn: Project | null };

const prefix = '/media/';
const route = toRouterPath(readMedia.path);

export function openHotMedia(deps: HotMediaDeps): FastPath['answer'] {
  const { access, publicFiles, metrics } = deps;
  const prepared = new WeakMap<StoredFile, Prepared>();
  const prepare = (file: StoredFile) => {
    let made = prepared.get(file);
    if (made === undefined) {
      made = prepareAnswers(deps.describeOriginal(file));
      prepared.set(file, made);
    }
    return made;
  };
  const recall = (name: string, request: PlainRequest) => {
    const startedAt = performance.now();
    const file = publicFiles.recall(name);
    const project = file && access.findProject(file.project);
    if (file === null || project === null) return null;
    const made = prepare(file);
    // Each change creates a new project object, so the rules for its folders are read once per change.
    if (made.publicIn !== project) made.publicIn = isPrivate(project, file) ? null : project;
    if (made.publicIn === null) return null; // the route checks the signatures of private files
    const answer = composeAnswer(deps, request, made);
    if (answer === null) return null;
    const { method } = request;
    metrics.requests.note({ method, route, status: answer.status }, performance.now() - startedAt);
    return answer;
  };
  const readOnce = shareReads(deps);
  const find = async (name: string, request: PlainRequest) => {
    const slash = name.indexOf('/');
    const project = access.findProject(name.slice(0, slash));
    if (project === null) return null;
    const file = await publicFiles.find(project.slug, name.slice(slash + 1));
    if (file === null || isPrivate(project, file)) return null;
    const known = recall(name, request); // conditions and HEAD need no bytes
    if (known !== null || file.sizeBytes > warmedFileBytesMax) return known;
    return (await readOnce(deps.describeOriginal(file))) ? recall(name, request) : null;
  };
  const findSoundly = refuseFailures(deps, find);
  return request => {
    const name = readName(access, request);
    return name === null ? null : (recall(name, request) ?? findSoundly(name, request));
  };
}

function prepareAnswers(served: Served): Prepared {
  const head = writeHeaders({ ...headersAt(readMedia.path), ...served.validators, ...served.headers });
  return { served, head, publicIn: null };
}

/** Returns null if the route must answer, or if the bytes are not in memory. */
function composeAnswer(
  { clock, mediaMemory }: HotMediaDeps,
  request: PlainRequest,
  { served, head }: Prepared,
): PlainAnswer | null {
  const plan = planReading(request, served, clock.now());
  if (plan.status === 412 || plan.status === 416) return null;
  if (plan.status === 206 && plan.ranges.length > 1) return null;
  const requestId = chooseRequestId(request.headers['x-request-id']);
  if (plan.status === 304) return { status: 304, head, headers: { 'x-request-id': requestId }, body: null };
  const range = plan.status === 206 ? plan.ranges[0] : null;
  const headers = { 'x-request-id': requestId, ...describePart(served, range) };
  if (request.method === 'HEAD') return { status: plan.status, head, headers, body: null };
  const bytes = mediaMemory.find(served.place);
  const onSent = bytes && mediaMemory.hold(bytes);
  if (bytes === null || onSent === null) return null;
  const body = range === null ? bytes : bytes.subarray(range.start, range.end);
  return { status: plan.status, head, headers, body, onSent };
}

type Find = (name: string, request: PlainRequest) => Promise<PlainAnswer | null>;

/** Answers a failed read with its error, so that the route does not try the same read again. */
function refuseFailures(deps: HotMediaDeps, find: Find): Find {
  const answers = openJsonResponses(route, deps);
  return async (name, request) => {
    const startedAt = performance.now();
    try {
      return await find(name, request);
    } catch (error) {
      const { method, headers } = request;
      if (method !== 'GET' || !(error instanceof Failure)) throw error;
      const id = chooseRequestId(headers['x-request-id']);
      const refusal = answers.refuse(error, { id, project: name.slice(0, name.indexOf('/')) });
      deps.metrics.requests.note({ method, route, status: refusal.status }, performance.now() - startedAt);
      return refusal;
    }
  };
}

/** Lets simultaneous requests for the same bytes share one read, which resolves to whether the blob exists. */
function shareReads({ blobs, mediaMemory }: HotMediaDeps) {
  const pending = new Map<BlobPlace, Promise<boolean>>();
  return (content: { place: BlobPlace; sizeBytes: number }): Promise<boolean> => {
    const { place, sizeBytes } = content;
    const others = pending.get(place);
    if (others !== undefined) return others;
    const reading = blobs
      .readBytes(place, { start: 0, end: sizeBytes })
      .then(bytes => {
        if (bytes !== null) mediaMemory.offer(place, bytes);
        return bytes !== null;
      })
      .finally(() => pending.delete(place));
    pending.set(place, reading);
    return reading;
  };
}

/** Returns `<project>/<key>`; null: the path is unreadable or holds more than that. */
function readName(access: AccessDirectory, { url, headers }: PlainRequest): string | null {
  const path = access.rewritePath(url, headers.host);
  if (!path.startsWith(prefix) || path.includes('?') || path.includes('#')) return null;
  const name = path.slice(prefix.length);
  if (!name.includes('%')) return name;
  const slash = name.indexOf('/');
  try {
    const project = decodeURIComponent(name.slice(0, slash));
    // An encoded slash does not separate: the project is one segment, as for the router.
    if (slash < 0 || project.includes('/')) return null;
    return `${project}/${decodeURIComponent(name.slice(slash + 1)).normalize('NFC')}`;
  } catch {
    return null; // the router's error explains it
  }
}
