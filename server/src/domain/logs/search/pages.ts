/** Pages of matching entries: their length, their start, and the cursor of the next one. */
import { limits, ServiceError } from '../../../vocabulary.ts';
import type { FoundLogs, LogFilter, LogOrder, LogPage } from '../../ports/logQueries.ts';
import type { CursorSigner } from './cursor.ts';
import type { LogSearchDeps } from './question.ts';

export type PageRequest = {
  /** Absent: newest first. */
  order: string | undefined;
  limit: number | undefined;
  /** Behind so many matches, or where another page ended. */
  begin: { offset: number } | { cursor: string };
  includeTotal: boolean;
};

type FoundPage = FoundLogs &
  Pick<LogPage, 'limit' | 'offset'> & {
    /** 0 when it was not asked for. */
    total: number;
    nextCursor: string | null;
  };

export async function findPage(
  { logQueries, cursorSeal }: LogSearchDeps,
  { filter, asked }: { filter: LogFilter; asked: PageRequest },
  signal: AbortSignal,
): Promise<FoundPage> {
  const page = layOutPage(asked, cursorSeal);
  const [{ entries, hasMore }, total] = await Promise.all([
    logQueries.findEntries(filter, page, signal),
    asked.includeTotal ? logQueries.countEntries(filter, signal) : 0,
  ]);
  const last = entries.at(-1);
  const nextCursor = hasMore && last !== undefined ? cursorSeal.encode(last.traceId) : null;
  return { entries, hasMore, limit: page.limit, offset: page.offset, total, nextCursor };
}

export function layOutPage({ order, limit, begin }: PageRequest, cursorSeal: CursorSigner): LogPage {
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
  throw new ServiceError('cursor_invalid', 'cursor is none that this service gave out; start without it.', {
    field: 'cursor',
  });
}
