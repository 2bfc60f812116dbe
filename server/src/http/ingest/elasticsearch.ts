/** What clients of Elasticsearch ask beside bulk requests: the cluster, templates and the like, and documents that come alone. */
import { answerCluster, spellClusterFailure, wrapDocument } from '@tapedeck/log-protocols';
import { newId } from '@tapedeck/values/random-ids';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UrlDeps } from '../../domain/files/naming.ts';
import { type DoneActions, format } from '../../intake/bulk/bulkFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { ServiceError } from '../../vocabulary.ts';
import { readBody } from '../logs/logRequests.ts';
import { jsonType } from '../responseHeaders.ts';
import { type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { clusterRoutes, documentRoutes, elasticsearchRoutes, refreshRoutes } from './contract.ts';
import { ingestRequest } from './requests.ts';

type ElasticsearchDeps = SentDeps & UrlDeps;

export function handleElasticsearch(deps: ElasticsearchDeps): HandledRoute[] {
  const { root, rootSlash, license, rootLicense } = elasticsearchRoutes;
  const answerAs = (path: string) => async (call: { request: FastifyRequest; reply: FastifyReply }) =>
    answer(deps, call, path);
  return [
    ...[root, rootSlash].map(route => handle(route, answerAs(''))),
    ...[license, rootLicense].map(route => handle(route, answerAs('_license'))),
    ...[...clusterRoutes, ...refreshRoutes].map(route => {
      const start = route.path.startsWith('/_') ? '_' : '';
      const handled = handle(route, async call => {
        if (route.stream) (await readBody(call.request))[Symbol.dispose](); // it changes nothing
        const { path, index } = call.params as { path?: string; index?: string }; // as the shapes of the routes have them
        return answer(deps, call, path === undefined ? `${index}/_refresh` : start + path);
      });
      return { ...handled, spellFailure: spellElasticsearchFailure };
    }),
    ...documentRoutes.map(route => {
      const handled = handle(route, async call => takeDocument(deps, call));
      return { ...handled, spellFailure: spellElasticsearchFailure };
    }),
  ];
}

/** Clients refuse a server that does not say that it is the product, and newer ones want the media type that they asked for. */
export function sayProduct({ request, reply }: { request: FastifyRequest; reply: FastifyReply }): void {
  reply.header('x-elastic-product', 'Elasticsearch');
  const [, version] =
    /application\/vnd\.elasticsearch\+(?:x-nd)?json; *compatible-with=(\d+)/.exec(
      request.headers.accept ?? '',
    ) ?? [];
  reply.type(
    version === undefined ? jsonType : `application/vnd.elasticsearch+json;compatible-with=${version}`,
  );
}

function answer(
  { address }: UrlDeps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  path: string,
): FastifyReply {
  const { method, headers } = request;
  const question = { method, path, accept: headers.accept ?? '', userAgent: headers['user-agent'] ?? '' };
  const answered = answerCluster(question, hostOf(address.publicUrl));
  if (answered === null) {
    if (method === 'DELETE')
      throw new ServiceError(
        'method_not_allowed',
        'Nothing is deleted by this way: what is stored ends with its retention.',
      );
    throw new ServiceError(
      'not_found',
      'Entries are taken here, by _bulk and _doc, and read at /api/v3/logs; nothing else is known.',
    );
  }
  sayProduct({ request, reply });
  reply.code(answered.status);
  if (typeof answered.body === 'string') return reply.type('text/plain; charset=utf-8').send(answered.body);
  return reply.serializer(JSON.stringify).send(answered.body);
}

/** With the port, which clients that look for nodes want in any case. */
function hostOf(publicUrl: string): string {
  const { hostname, port, protocol } = new URL(publicUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

async function takeDocument(
  deps: SentDeps,
  call: Parameters<typeof ingestRequest>[1] & { params: object; reply: FastifyReply },
): Promise<FastifyReply> {
  const { index, id = null } = call.params as { index: string; id?: string }; // as the shapes of the routes have it
  const unpack = (bytes: Buffer) => wrapDocument(bytes, { index, id });
  const [done] = (await ingestRequest(deps, call, { format, options: { index }, unpack })) as DoneActions[]; // as the format says it
  if (done?.refusal !== null)
    throw new ServiceError('invalid_field', done?.refusal ?? 'The body must be one JSON object.');
  sayProduct(call);
  const made = { _index: done.index, _id: id ?? newId(), _version: 1, result: 'created' };
  const shards = { _shards: { total: 1, successful: 1, failed: 0 }, _seq_no: 0, _primary_term: 1 };
  return call.reply
    .code(201)
    .serializer(JSON.stringify)
    .send({ ...made, ...shards });
}

const types: Readonly<Record<number, string>> = {
  ...{ 401: 'security_exception', 403: 'security_exception', 404: 'resource_not_found_exception' },
  ...{
    413: 'content_too_long_exception',
    429: 'circuit_breaking_exception',
    503: 'unavailable_shards_exception',
  },
};

export const spellElasticsearchFailure: SpellFailure = ({ status: given, body }, exchange) => {
  sayProduct(exchange);
  const status = given >= 500 ? 503 : given;
  exchange.reply.code(status);
  // A path that is known by itself has told its own methods.
  if (status === 405 && !exchange.reply.hasHeader('allow'))
    exchange.reply.header('allow', 'GET, HEAD, PUT, POST');
  return JSON.stringify(
    spellClusterFailure(types[status] ?? 'illegal_argument_exception', body.error, status),
  );
};
