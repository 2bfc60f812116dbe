/** The door of Elasticsearch's bulk requests: an item a document. Clients send again what 429, 502, 503 and 504 answered. */
import type { FastifyReply } from 'fastify';
import { type DoneAction, format } from '../../intake/bulk/bulkFormat.worker.ts';
import type { SentDeps } from '../../intake/sent/takeSent.ts';
import { type HandledRoute, handle, type SpellFailure } from '../registry.ts';
import { bulkRoutes, elasticsearchRoutes } from './contract.ts';
import { takeDoor } from './requests.ts';

/** Clients refuse a server that does not say that it is the product. */
function sayProduct(reply: FastifyReply): void {
  reply.header('x-elastic-product', 'Elasticsearch');
}

export function handleBulk(deps: SentDeps): HandledRoute[] {
  const bulk = bulkRoutes.map(route => {
    const handled = handle(route, async call => {
      const startedAt = performance.now();
      sayProduct(call.reply);
      const { index = null } = call.params as { index?: string }; // of the paths that have one
      const actions = (await takeDoor(deps, call, { format, options: { index } })) as DoneAction[]; // as the format says it
      return writeAnswer(actions, Math.round(performance.now() - startedAt));
    });
    return { ...handled, spellFailure };
  });
  const { license, rootLicense, root, rootSlash } = elasticsearchRoutes;
  return [
    ...bulk,
    ...[root, rootSlash].map(route =>
      handle(route, async ({ reply }) => {
        sayProduct(reply);
        return greeting;
      }),
    ),
    ...[license, rootLicense].map(route =>
      handle(route, async ({ reply }) => {
        sayProduct(reply);
        return { license: { status: 'active', type: 'basic', mode: 'basic', uid: 'tapedeck' } };
      }),
    ),
  ];
}

const greeting = {
  ...{ name: 'tapedeck', cluster_name: 'tapedeck', cluster_uuid: 'tapedeck' },
  version: { number: '8.17.0', build_flavor: 'default', minimum_wire_compatibility_version: '7.17.0' },
  tagline: 'You Know, for Search',
};

function writeAnswer(actions: readonly DoneAction[], took: number): object {
  const items = actions.map(({ action, index, id, refusal }) => {
    const place = { _index: index, _id: id };
    if (refusal !== null) return { [action]: { ...place, status: 400, error: describe(refusal) } };
    return { [action]: { ...place, _version: 1, result: 'created', status: 201 } };
  });
  return { took, errors: actions.some(({ refusal }) => refusal !== null), items };
}

function describe(reason: string): { type: string; reason: string } {
  return { type: 'document_parsing_exception', reason };
}

const types: Readonly<Record<number, string>> = {
  ...{ 401: 'security_exception', 403: 'security_exception', 413: 'content_too_long_exception' },
  ...{ 429: 'circuit_breaking_exception', 503: 'unavailable_shards_exception' },
};

const spellFailure: SpellFailure = ({ status: given, body }, { reply }) => {
  sayProduct(reply);
  const status = given >= 500 ? 503 : given;
  reply.code(status);
  const error = { type: types[status] ?? 'illegal_argument_exception', reason: body.error };
  return JSON.stringify({ error: { root_cause: [error], ...error }, status });
};
