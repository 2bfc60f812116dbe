/** Reads requests of other programs' protocols: where their entries go, and their body, whatever type it declares. */
import { type DecodedBody, readContentType } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import type { TokenPrincipal } from '../../domain/identity/principals.ts';
import { usualDataset } from '../../domain/logs/datasetRules.ts';
import type { EntryFormat } from '../../intake/entryFormat.ts';
import { ingestSent, type SentDeps } from '../../intake/protocol/ingest.ts';
import type { Places } from '../../intake/protocol/judge.ts';
import { readDatasetHeader } from '../fieldAliases.ts';
import { readBody, readIdempotencyKey } from '../logs/logRequests.ts';

type DoorCall = { request: FastifyRequest; caller: TokenPrincipal };

type Spelling<Options extends object> = {
  format: EntryFormat<Options & Places>;
  options: Options;
  /** What becomes of the bytes before they are read. */
  unpack?: (bytes: Buffer) => Buffer;
  /** A Content-Encoding that is the format's own. */
  ownEncoding?: string | undefined;
};

/** Resolves to what the answer shows, once the entries are stored. */
export async function ingestRequest<Options extends object>(
  deps: SentDeps,
  call: DoorCall,
  { unpack = same, ownEncoding, ...spelling }: Spelling<Options>,
): Promise<unknown> {
  using body: DecodedBody = await readBody(call.request, ownEncoding);
  return takeBytes(deps, call, { ...spelling, bytes: unpack(body.bytes) });
}

type Spelled<Options extends object> = Omit<Spelling<Options>, 'unpack' | 'ownEncoding'> & { bytes: Buffer };

/** The same for a body that was read before. */
export async function takeBytes<Options extends object>(
  deps: SentDeps,
  { request, caller }: DoorCall,
  { format, options, bytes }: Spelled<Options>,
): Promise<unknown> {
  const target = { project: caller.project.slug, dataset: readDataset(request) };
  const idempotencyKey = readIdempotencyKey(request, caller, String(request.routeOptions.url));
  const sent = { ...target, body: bytes, idempotencyKey, datasets: caller.scopes.datasets };
  return ingestSent(deps, sent, { format, options });
}

/** That of entries that name none. Whether the token is for it is judged with those. */
function readDataset({ query, headers }: FastifyRequest): string {
  const { dataset } = query as { dataset?: unknown }; // texts, or lists of them
  const tenant = headers['x-scope-orgid']; // Loki's
  return String(dataset || readDatasetHeader(headers) || tenant || usualDataset);
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

export function isProtobuf({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /^application\/(?:x-|vnd\.google\.)?protobuf$/.test(readContentType(headers));
}

/** The texts that the address gives under these names. */
export function readDefaults(
  { query }: Pick<FastifyRequest, 'query'>,
  names: readonly string[],
): Record<string, string> {
  // The parser of queries makes texts, or lists of them where a name is repeated.
  const given = query as Record<string, unknown>;
  const found = names.flatMap(name =>
    typeof given[name] === 'string' ? [[name, given[name]] as const] : [],
  );
  return Object.fromEntries(found);
}
