/**
 * The supported revisions of the protocol. Older ones begin with a handshake, and a header names the agreed revision. In the newest each request
 * stands alone and carries the contents of the handshake in an envelope.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@tapedeck/values/json';
import { RpcFailure, type RpcMessage, type RpcParams, rpcCodes } from './messages.ts';

const envelopeRevision = '2026-07-28';
const handshakeRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
const [newestHandshake] = handshakeRevisions;
/** The protocol assumes this revision for clients that send no header. */
const assumedRevision = '2025-03-26';
/** Later revisions removed batches again. */
const batchRevision = '2025-03-26';

export const revisions: readonly string[] = [envelopeRevision, ...handshakeRevisions];

const revisionHeader = 'mcp-protocol-version';
const revisionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/** Returns the client's revision if it is known, else the newest. The client then decides whether to go on. */
export function agreeOnRevision({ protocolVersion }: RpcParams): string {
  return handshakeRevisions.find(known => known === protocolVersion) ?? newestHandshake;
}

/** Returns whether a message uses a revision without a handshake, as its header or its envelope says. */
export function isStateless(message: RpcMessage, headers: IncomingHttpHeaders): boolean {
  if (headers[revisionHeader] === envelopeRevision) return true;
  return message.kind !== 'response' && hasEnvelope(message.params);
}

export function hasEnvelope({ _meta: meta }: RpcParams): boolean {
  return isObject(meta) && Object.hasOwn(meta, revisionKey);
}

/** Throws if the header names an unsupported revision. Not for the handshake itself, which has none yet. */
export function requireRevision(headers: IncomingHttpHeaders): void {
  readRevision(headers);
}

/** Throws if the revision has no batches. */
export function requireBatches(headers: IncomingHttpHeaders): void {
  const revision = readRevision(headers);
  if (revision === batchRevision) return;
  throw new RpcFailure(
    rpcCodes.invalidRequest,
    `Revision ${revision} has no batches. Send each message in a separate request.`,
  );
}

function readRevision(headers: IncomingHttpHeaders): string {
  const revision = String(headers[revisionHeader] ?? assumedRevision).trim();
  if (revisions.includes(revision)) return revision;
  throw unsupportedRevision(revision);
}

function unsupportedRevision(requested: string): RpcFailure {
  return new RpcFailure(
    rpcCodes.revisionUnsupported,
    `Unsupported protocol version: this server speaks ${revisions.join(', ')}.`,
    { supported: revisions, requested: requested.slice(0, 100) },
  );
}

/** Throws unless the envelope is complete and the headers match the body. */
export function requireEnvelope(
  { method, params }: { method: string; params: RpcParams },
  headers: IncomingHttpHeaders,
): void {
  const { _meta: meta } = params;
  const envelope = isObject(meta) ? meta : {};
  const missing = [revisionKey, capabilitiesKey].filter(key => !Object.hasOwn(envelope, key));
  if (missing.length > 0)
    throw new RpcFailure(rpcCodes.invalidParams, `params._meta lacks ${missing.join(' and ')}.`);
  const { [revisionKey]: revision, [capabilitiesKey]: capabilities } = envelope;
  if (typeof revision !== 'string' || !isObject(capabilities))
    throw new RpcFailure(
      rpcCodes.invalidParams,
      `In params._meta ${revisionKey} must be a string and ${capabilitiesKey} an object.`,
    );
  requireSame(headers, revisionHeader, revision);
  if (revision !== envelopeRevision) throw unsupportedRevision(revision);
  requireSame(headers, 'mcp-method', method);
  if (method === 'tools/call' && typeof params.name === 'string')
    requireSame(headers, 'mcp-name', params.name);
}

function requireSame(headers: IncomingHttpHeaders, name: string, expected: string): void {
  const value = headers[name];
  if (value !== undefined && decodeHeader(String(value).trim()) === expected) return;
  throw new RpcFailure(
    rpcCodes.headerMismatch,
    `The header ${name} ${value === undefined ? 'is missing' : 'is not the same as in the body'}: send ${JSON.stringify(expected.slice(0, 100))}.`,
  );
}

/** Decodes base64, which clients use for texts that no header can hold; null: invalid base64. */
function decodeHeader(text: string): string | null {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(text) ?? [];
  if (encoded === undefined) return text;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null;
}
