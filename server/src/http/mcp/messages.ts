/** JSON-RPC 2.0 as the Model Context Protocol uses it: reads messages and writes responses. Knows no methods. */

import { isObject } from '@tapedeck/values/json';

/** The last two came with the revision 2026-07-28. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodUnknown: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  revisionUnsupported: -32022,
} as const;

type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];
type RpcId = string | number;
export type RpcParams = Readonly<Record<string, unknown>>;
export type RpcRequest = { kind: 'request'; id: RpcId; method: string; params: RpcParams };
export type RpcMessage =
  | RpcRequest
  | { kind: 'notification'; method: string; params: RpcParams }
  | { kind: 'response' };

/** A refused message: the error goes to the client, not to the assistant. */
export class RpcFailure extends Error {
  readonly code: RpcCode;
  readonly data: object | undefined;
  constructor(code: RpcCode, sentence: string, data?: object) {
    super(sentence);
    this.code = code;
    this.data = data;
  }
}

/** Throws if the value is no message. */
export function readMessage(value: unknown): RpcMessage {
  const message = isObject(value) && value.jsonrpc === '2.0' ? parseMessage(value) : null;
  if (message !== null) return message;
  throw new RpcFailure(
    rpcCodes.invalidRequest,
    'Send a JSON-RPC 2.0 message: an object with jsonrpc "2.0", a method, a string or an integer as id, and an object as params.',
  );
}

function parseMessage({ id, method, params: sent, ...rest }: Readonly<Record<string, unknown>>) {
  const params = sent ?? {}; // some clients write null for absent params
  if (method === undefined)
    return 'result' in rest || 'error' in rest ? ({ kind: 'response' } as const) : null;
  if (typeof method !== 'string' || !isObject(params)) return null;
  if (id === undefined) return { kind: 'notification', method, params } as const;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  // The line above lets only whole numbers and texts through.
  return { kind: 'request', id: id as RpcId, method, params } as const;
}

export function composeResult({ id }: Pick<RpcRequest, 'id'>, result: object): object {
  return { jsonrpc: '2.0', id, result };
}

/** `id`: null if the message has no readable id. */
export function composeError(id: RpcId | null, { code, message, data }: RpcFailure): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } };
}
