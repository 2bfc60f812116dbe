/** Pages of matching entries: their size, their start, and the next page's signed cursor. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { decodeBase64url } from '@tapedeck/values/random-ids';
import type { Arrival, FoundLogs, LogFilter, LogOrder, LogPage, LogQueries } from '../../ports/logQueries.ts';
import { limits, ServiceError } from '../../vocabulary.ts';

export type PageRequest = {
  /** Absent: newest first. */
  order: string | undefined;
  limit: number | undefined;
  /** Skips a number of matches, or continues after another page. */
  begin: { offset: number } | { cursor: string };
  includeTotal: boolean;
};

type FoundPage = FoundLogs &
  Pick<LogPage, 'limit' | 'offset'> & {
    /** 0 unless requested. */
    total: number;
    nextCursor: string | null;
  };

type PageDeps = {
  logQueries: Pick<LogQueries, 'findEntries' | 'findCountedEntries'>;
  cursorSeal: CursorSigner;
};

export async function findPage(
  { logQueries, cursorSeal }: PageDeps,
  { filter, asked: request }: { filter: LogFilter; asked: PageRequest },
  signal: AbortSignal,
): Promise<FoundPage> {
  const page = readPageRequest(request, cursorSeal);
  const { entries, unread, hasMore, total } = request.includeTotal
    ? await logQueries.findCountedEntries(filter, page, signal)
    : { ...(await logQueries.findEntries(filter, page, signal)), total: 0 };
  const last = unread.at(-1) ?? entries.at(-1);
  const nextCursor = hasMore && last !== undefined ? cursorSeal.encode(last.traceId) : null;
  return { entries, unread, hasMore, limit: page.limit, offset: page.offset, total, nextCursor };
}

export function readPageRequest({ order, limit, begin }: PageRequest, cursorSeal: CursorSigner): LogPage {
  return {
    order: readOrder(order),
    limit: Math.min(limit ?? limits.pageSizeDefault, limits.pageSizeMax),
    offset: 'offset' in begin ? begin.offset : 0,
    after: 'cursor' in begin ? readCursor(begin.cursor, cursorSeal) : null,
  };
}

export function readOrder(text: string | undefined): LogOrder {
  const order = text?.toLowerCase() ?? 'desc';
  if (order === 'asc' || order === 'desc') return order;
  throw new ServiceError('invalid_field', 'order must be asc or desc.', { field: 'order' });
}

function readCursor(cursor: string, seal: CursorSigner): string {
  const traceId = seal.decode(cursor);
  if (traceId !== null) return traceId;
  throw new ServiceError(
    'cursor_invalid',
    'cursor is not one that this service returned; omit it to start from the first page.',
    {
      field: 'cursor',
    },
  );
}

export type CursorSigner = {
  encode(traceId: string): string;
  /** Returns the traceId of a cursor, including a tail's; null if it was not sealed here. */
  decode(cursor: string): string | null;
  encodeArrival(arrival: Arrival): string;
  /** Returns the position in a tail; null if it was not sealed here. */
  decodeArrival(cursor: string): Arrival | null;
};

const traceIdBytes = 16;
const microsBytes = 8;
const sealBytes = 8; // enough, because a forged cursor reveals nothing that its sender may not read

/** Nodes with the same secret read each other's cursors, even from earlier runs. */
export function createCursorSigner(secret: string): CursorSigner {
  const key = createHmac('sha256', secret).update('log cursor').digest();
  const seal = (bytes: Buffer) => createHmac('sha256', key).update(bytes).digest().subarray(0, sealBytes);
  const encodeBytes = (bytes: Buffer) => Buffer.concat([bytes, seal(bytes)]).toString('base64url');
  /** Returns the sealed bytes; null if their length or seal is wrong. */
  const open = (cursor: string, length: number): Buffer | null => {
    const all = decodeBase64url(cursor);
    if (all?.length !== length + sealBytes) return null;
    const bytes = all.subarray(0, length);
    return timingSafeEqual(all.subarray(length), seal(bytes)) ? bytes : null;
  };
  const decodeArrival = (cursor: string): Arrival | null => {
    const bytes = open(cursor, traceIdBytes + microsBytes);
    if (bytes === null) return null;
    return { micros: Number(bytes.readBigUInt64BE()), traceId: bytes.toString('hex', microsBytes) };
  };
  return {
    encode: traceId => encodeBytes(Buffer.from(traceId, 'hex')),
    decode: cursor => open(cursor, traceIdBytes)?.toString('hex') ?? decodeArrival(cursor)?.traceId ?? null,
    encodeArrival({ micros, traceId }) {
      const bytes = Buffer.alloc(microsBytes + traceIdBytes);
      bytes.writeBigUInt64BE(BigInt(micros));
      bytes.write(traceId, microsBytes, 'hex');
      return encodeBytes(bytes);
    },
    decodeArrival,
  };
}
