/** The door of Elasticsearch's bulk requests: an item a document. Clients send again what 429, 502, 503 and 504 answered. */
import { newId } from '@tapedeck/random-ids';
import { type DoneAction, format } from '../../intake/bulk/bulkFormat.worker.ts';
import type { SentDeps } from '../../intake/sent/takeSent.ts';
import { type HandledRoute, handle } from '../registry.ts';
import { bulkRoutes } from './contract.ts';
import { sayProduct, spellElasticsearchFailure } from './elasticsearchDoor.ts';
import { takeDoor } from './requests.ts';

export function handleBulk(deps: SentDeps): HandledRoute[] {
  return bulkRoutes.map(route => {
    const handled = handle(route, async call => {
      const startedAt = performance.now();
      const { index = null } = call.params as { index?: string }; // of the paths that have one
      const actions = (await takeDoor(deps, call, { format, options: { index } })) as DoneAction[]; // as the format says it
      sayProduct(call);
      return call.reply
        .serializer(JSON.stringify)
        .send(writeAnswer(actions, Math.round(performance.now() - startedAt)));
    });
    return { ...handled, spellFailure: spellElasticsearchFailure };
  });
}

function writeAnswer(actions: readonly DoneAction[], took: number): object {
  const items = actions.map(({ action, index, id, refusal }) => {
    if (refusal !== null)
      return { [action]: { _index: index, _id: id, status: 400, error: describe(refusal) } };
    return { [action]: { _index: index, _id: id ?? newId(), _version: 1, result: 'created', status: 201 } };
  });
  return { took, errors: actions.some(({ refusal }) => refusal !== null), items };
}

function describe(reason: string): { type: string; reason: string } {
  return { type: 'document_parsing_exception', reason };
}
