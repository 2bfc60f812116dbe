/** The door of Elasticsearch's bulk requests: an item a document. Clients send again what 429, 502, 503 and 504 answered. */
import { newId } from '@tapedeck/values/random-ids';
import { type DoneActions, format } from '../../intake/bulk/bulkFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { type HandledRoute, handle } from '../routing.ts';
import { bulkRoutes } from './contract.ts';
import { sayProduct, spellElasticsearchFailure } from './elasticsearch.ts';
import { ingestRequest } from './requests.ts';

export function handleBulk(deps: SentDeps): HandledRoute[] {
  return bulkRoutes.map(route => {
    const handled = handle(route, async call => {
      const startedAt = performance.now();
      const { index = null } = call.params as { index?: string }; // of the paths that have one
      const actions = (await ingestRequest(deps, call, { format, options: { index } })) as DoneActions[]; // as the format says it
      sayProduct(call);
      const answer = writeAnswer(actions, Math.round(performance.now() - startedAt));
      return call.reply.serializer(asItIs).send(answer);
    });
    return { ...handled, spellFailure: spellElasticsearchFailure };
  });
}

function asItIs(answer: string): string {
  return answer;
}

/** A thousand items that differ in their ids alone are not put together one by one. */
function writeAnswer(all: readonly DoneActions[], took: number): string {
  const items: string[] = [];
  const ids = openIds();
  for (const { action, index, id, count, refusal } of all) {
    const head = `{${JSON.stringify(action)}:{"_index":${JSON.stringify(index)},"_id":`;
    const end = refusal === null ? created : `,"status":400,"error":${describe(refusal)}}}`;
    const idText = id === null && refusal !== null ? 'null' : id !== null && JSON.stringify(id);
    for (let item = 0; item < count; item++) items.push(head + (idText || `"${ids()}"`) + end);
  }
  const errors = all.some(({ refusal }) => refusal !== null);
  return `{"took":${took},"errors":${errors},"items":[${items.join()}]}`;
}

const created = ',"_version":1,"result":"created","status":201}}';
const countedLength = 6; // of as many as a request may hold

/** Ids of one answer: chance, and a number behind it. */
function openIds(): () => string {
  const chance = newId().slice(countedLength);
  let count = 0;
  return () => chance + (count++).toString(36).padStart(countedLength, '0');
}

function describe(reason: string): string {
  return JSON.stringify({ type: 'document_parsing_exception', reason });
}
