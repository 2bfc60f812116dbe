/** Composes Elasticsearch's responses to bulk requests and documents, in the media type that the client asked for. */
import { newId } from '@tapedeck/values/random-ids';
import { jsonType, type ProtocolAnswer, type ProtocolRequest, textType } from '../protocol.ts';
import type { BulkItem } from './bulk.ts';

/** A run of actions with the same result. `refusal` is null if they succeeded. */
export type DoneActions = Pick<BulkItem, 'action' | 'index' | 'id'> & {
  count: number;
  refusal: string | null;
};

/** Clients refuse a server that does not identify as Elasticsearch. Newer clients expect the media type that they asked for. */
export function answerAsProduct(
  { headers }: Pick<ProtocolRequest, 'headers'>,
  status: number,
  body: object | string,
): ProtocolAnswer {
  const isText = typeof body === 'string';
  return {
    status,
    type: isText ? textType : chooseType(headers.accept ?? ''),
    headers: { 'x-elastic-product': 'Elasticsearch' },
    body: isText ? body : JSON.stringify(body),
  };
}

function chooseType(accept: string): string {
  const [, version] =
    /application\/vnd\.elasticsearch\+(?:x-nd)?json; *compatible-with=(\d+)/.exec(accept) ?? [];
  return version === undefined ? jsonType : `application/vnd.elasticsearch+json;compatible-with=${version}`;
}

/** The items of an answer. The thread that reads the body writes them, because a hundred thousand items would block the main thread for too long. */
export type ShownItems = { items: string; hasErrors: boolean };

/** Reuses the text around the id for a run of equal items. `dataset` replaces an index that the client left out. */
export function writeItems(actions: readonly DoneActions[], dataset: string): ShownItems {
  const items: string[] = [];
  const ids = openIds();
  for (const { action, index, id, count, refusal } of actions) {
    const head = `{${JSON.stringify(action)}:{"_index":${JSON.stringify(index || dataset)},"_id":`;
    const end = refusal === null ? created : `,"status":400,"error":${describe(refusal)}}}`;
    const idText = id === null && refusal !== null ? 'null' : id !== null && JSON.stringify(id);
    for (let item = 0; item < count; item++) items.push(head + (idText || `"${ids()}"`) + end);
  }
  return { items: items.join(), hasErrors: actions.some(({ refusal }) => refusal !== null) };
}

export function answerBulk(
  request: Pick<ProtocolRequest, 'headers'>,
  { items, hasErrors }: ShownItems,
  elapsedMs: number,
): ProtocolAnswer {
  const body = `{"took":${Math.round(elapsedMs)},"errors":${hasErrors},"items":[${items}]}`;
  return { ...answerAsProduct(request, 200, {}), body };
}

const created = ',"_version":1,"result":"created","status":201}}';
const countedLength = 6; // digits of the largest number in a request

/** Generates ids for one answer: a random prefix and a counter. */
function openIds(): () => string {
  const chance = newId().slice(countedLength);
  let count = 0;
  return () => chance + (count++).toString(36).padStart(countedLength, '0');
}

function describe(reason: string): string {
  return JSON.stringify({ type: 'document_parsing_exception', reason });
}

export function describeDocument(index: string, id: string | null): object {
  return {
    _index: index,
    _id: id ?? newId(),
    _version: 1,
    result: 'created',
    _shards: { total: 1, successful: 1, failed: 0 },
    _seq_no: 0,
    _primary_term: 1,
  };
}
