/** Defines Elasticsearch's protocol: bulk requests, single documents, and questions about the cluster. */
import {
  defineEntryRoute,
  type Protocol,
  type ProtocolAnswer,
  type ProtocolRequest,
  type QuestionRoute,
  type Refusal,
  unpacksLittle,
} from '../protocol.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';
import {
  answerAsProduct,
  answerBulk,
  type DoneActions,
  describeDocument,
  type ShownItems,
  writeItems,
} from './answers.ts';
import { type BulkItem, readBulk } from './bulk.ts';
import { answerCluster, formatClusterFailure, wrapDocument } from './cluster.ts';
import { writeBulk } from './directBulk.ts';

type BulkOptions = {
  /** The index in the URL; null: each line names its own. */
  index: string | null;
  /** Set for a body with a single document; null: the body is a bulk request. */
  document: { id: string | null } | null;
};

const bulkPlaces = [
  ['', 'bulk'],
  ['/elasticsearch', 'elasticsearch_bulk'],
] as const;
const refreshPath = '/{index}/_refresh';
const bulkSummary = "Elasticsearch's bulk requests: create and index.";
const documentSummary = "A document of Elasticsearch's alone.";
const clusterSummary =
  'Templates, policies and the like: answers 404 for those asked for, and acknowledges new ones.';

export const elasticsearch: Protocol<BulkOptions> = {
  name: 'elasticsearch',
  entryRoutes: bulkPlaces.flatMap(([prefix, id]) => [
    describeBulk(id, 'POST', `${prefix}/_bulk`),
    describeBulk(`${id}_put`, 'PUT', `${prefix}/_bulk`),
    describeBulk(`${id}_index`, 'POST', `${prefix}/{index}/_bulk`),
    describeBulk(`${id}_index_put`, 'PUT', `${prefix}/{index}/_bulk`),
    describeBulk(`${id}_typed`, 'POST', `${prefix}/{index}/{type}/_bulk`), // the form of earlier client versions
    describeAlone(id.replace('bulk', 'document'), 'POST', `${prefix}/{index}/_doc`),
    describeAlone(id.replace('bulk', 'document_doc'), 'PUT', `${prefix}/{index}/_doc/{id}`),
    describeAlone(id.replace('bulk', 'document_create'), 'PUT', `${prefix}/{index}/_create/{id}`),
  ]),
  questionRoutes: [
    describeGreeting('elasticsearch', '/elasticsearch', ''),
    describeGreeting('elasticsearch_slash', '/elasticsearch/', ''),
    describeGreeting('elasticsearch_license', '/elasticsearch/_license', '_license'),
    describeGreeting('license', '/_license', '_license'),
    // Answers all other requests of shippers. At the root, these are the cluster's paths, which begin with `_`.
    ...describeQuestions('cluster', '/_{path*}', ({ path }) => `_${path}`),
    ...describeQuestions('elasticsearch', '/elasticsearch/{path*}', ({ path }) => `${path}`),
    // Client libraries request it after sending. Below the prefix, the route above covers it.
    describeQuestion({ id: 'bulk_refresh', method: 'GET', path: refreshPath }, readRefresh),
    describeQuestion({ id: 'bulk_refresh_post', method: 'POST', path: refreshPath }, readRefresh),
  ],
  unpacksLarge: unpacksLittle,
  read(body, { index, document }, rules) {
    const whole = document === null ? body : wrapDocument(body, { index: index ?? '', ...document });
    const items = readBulk(whole, { ...rules, index });
    const entries = items.flatMap(item => ('entry' in item ? [item.entry] : []));
    const sentences = new Map<unknown, string>();
    const refuse = (at: number, { message }: Error) => void sentences.set(entries[at], message);
    const show = () => {
      const actions = items.map(item => describe(item, sentences));
      return document === null ? writeItems(actions, rules.usualDataset) : actions[0];
    };
    const refusals = { refuse, show };
    return { entries, refusals };
  },
  write(task, body, { levels, options: { index, document } }) {
    const written = document === null ? writeBulk(task, body, { levels, index }) : null;
    if (written === null) return null;
    const { traceId, runs } = written;
    const actions = runs.map(run => ({ ...run, refusal: null }));
    return { traceId, shown: writeItems(actions, task.usualDataset) };
  },
  refuse,
};

function describe(item: BulkItem, sentences: ReadonlyMap<unknown, string>): DoneActions {
  const { action, id, index } = item;
  const refusal = 'entry' in item ? (sentences.get(item.entry) ?? null) : item.refusal.message;
  return { action, id, index, count: 1, refusal };
}

function describeBulk(id: string, method: 'POST' | 'PUT', path: string) {
  return defineEntryRoute<BulkOptions>({
    id,
    method,
    path,
    summary: bulkSummary,
    readOptions: ({ params }) => ({ index: params.index ?? null, document: null }),
    // `read` and `write` return this form.
    answer: ({ request, shown, elapsedMs }) => answerBulk(request, shown as ShownItems, elapsedMs),
  });
}

function describeAlone(id: string, method: 'POST' | 'PUT', path: string) {
  return defineEntryRoute<BulkOptions>({
    id,
    method,
    path,
    summary: documentSummary,
    readOptions: ({ params }) => ({ index: params.index ?? null, document: { id: params.id ?? null } }),
    answer: ({ request, shown }) => {
      const done = shown as DoneActions | undefined; // `read` returns this form
      if (done === undefined || done.refusal !== null)
        throw new ProtocolFailure('invalid_field', done?.refusal ?? 'The body must be one JSON object.');
      return answerAsProduct(request, 201, describeDocument(done.index, request.params.id ?? null));
    },
  });
}

function describeGreeting(id: string, path: string, asked: string): QuestionRoute {
  const isLicense = asked !== '';
  return {
    id,
    method: 'GET',
    path,
    summary: isLicense
      ? 'Answers what shippers ask before they send.'
      : 'Greets clients as Elasticsearch does.',
    needsToken: false,
    answer: (request, _body, { host }) => answer(request, asked, host),
  };
}

type Params = ProtocolRequest['params'];

function readRefresh({ index }: Params): string {
  return `${index}/_refresh`;
}

function describeQuestions(
  name: string,
  path: string,
  readPath: (params: Params) => string,
): QuestionRoute[] {
  return (['GET', 'DELETE', 'PUT', 'POST'] as const).map(method =>
    describeQuestion({ id: `${name}_${method.toLowerCase()}`, method, path }, readPath),
  );
}

function describeQuestion(
  place: Pick<QuestionRoute, 'id' | 'method' | 'path'>,
  readPath: (params: Params) => string,
): QuestionRoute {
  return {
    ...place,
    summary: clusterSummary,
    needsToken: true,
    answer: (request, _body, { host }) => answer(request, readPath(request.params), host),
  };
}

function answer(request: ProtocolRequest, path: string, host: string): ProtocolAnswer {
  const { method, headers } = request;
  const question = { method, path, accept: headers.accept ?? '', userAgent: headers['user-agent'] ?? '' };
  const answered = answerCluster(question, host);
  if (answered !== null) return answerAsProduct(request, answered.status, answered.body);
  if (method === 'DELETE')
    throw new ProtocolFailure(
      'method_not_allowed',
      'Entries cannot be deleted here. Retention deletes them.',
    );
  throw new ProtocolFailure(
    'not_found',
    'This path is not supported. Send entries to _bulk or _doc, and read them at /api/v3/logs.',
  );
}

const types: Readonly<Record<number, string>> = {
  401: 'security_exception',
  403: 'security_exception',
  404: 'resource_not_found_exception',
  413: 'content_too_long_exception',
  429: 'circuit_breaking_exception',
  503: 'unavailable_shards_exception',
};

/** Clients retry after 429, 502, 503 and 504. */
function refuse({ status: given, sentence }: Refusal, request: ProtocolRequest): ProtocolAnswer {
  const status = given >= 500 ? 503 : given;
  const failure = formatClusterFailure(types[status] ?? 'illegal_argument_exception', sentence, status);
  const told = answerAsProduct(request, status, failure);
  return status === 405 ? { ...told, headers: { ...told.headers, allow: 'GET, HEAD, PUT, POST' } } : told;
}
