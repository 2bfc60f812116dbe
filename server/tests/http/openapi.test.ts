/** The API's description: every route and error, each shape once under a name, and nothing of other programs' protocols. */
import assert from 'node:assert/strict';
import { after, describe, it, test } from 'node:test';
import { errorsOf, type Route } from '@tapedeck/contract';
import { getState } from '@tapedeck/contract/accounts';
import { errorStatuses } from '@tapedeck/domain/vocabulary';
import { readCommittedApi } from '../../../scripts/openapi.ts';
import { routes } from '../../src/http/routes.ts';
import { version } from '../../src/version.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());

const fileBytesMax = 500_000; // generators and the pages that show it read it whole
const inlineTimesMax = 2;
const inlineCharactersMax = 100; // a few lines

type Reference = { $ref: string };
type Parameter = { name: string; description?: string; schema: { enum?: string[] } };
type Answer = { description: string; content?: Record<string, { schema: Shape }> };
type Shape = { [keyword: string]: unknown };
type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, { schema: Shape }> };
  responses: Record<string, Answer | Reference>;
};
type OpenApi = {
  openapi: string;
  info: { version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

const text = await (await service.fetch('/openapi.json')).text();
// Our code writes it; the assertions below check what matters.
const api = JSON.parse(text) as OpenApi;
const operations = Object.values(api.paths).flatMap(path => Object.values(path));
const described = routes.filter(({ isForeign }) => !isForeign);

function findOperation(route: Pick<Route, 'path' | 'method'>): Operation | undefined {
  return api.paths[route.path.replace('*}', '}')]?.[route.method.toLowerCase()];
}

/** Resolves a reference, or returns the part itself. */
function resolve<T extends object>(part: T | Reference): T {
  if (!('$ref' in part)) return part;
  const [, components, kind = '', name = ''] = part.$ref.split('/');
  assert.equal(components, 'components');
  const found = api.components[kind]?.[name];
  assert.ok(found, part.$ref);
  return found as T;
}

function listParameters(operation: Operation | undefined): Parameter[] {
  return (operation?.parameters ?? []).map(parameter => resolve(parameter));
}

test('the served document is the committed one', async () => {
  assert.deepEqual(api, JSON.parse(await readCommittedApi()));
});

test('it is short enough to be read whole', async () => {
  const bytes = Buffer.byteLength(await readCommittedApi());
  assert.ok(bytes <= fileBytesMax, `${bytes} bytes of at most ${fileBytesMax}`);
});

test('it has its own version; that of the product is elsewhere', async () => {
  assert.equal(api.info.version, '1.0');
  const state = await readAs(getState.answer, await service.fetch('/api/manage/state'));
  assert.equal(state.version, version);
});

test('it has every route with every error', () => {
  assert.match(api.openapi, /^3\.1\./);
  for (const route of described) {
    const operation = findOperation(route);
    assert.equal(operation?.operationId, route.id);
    const expected = new Map<string, string[]>();
    for (const code of new Set([...errorsOf(route), 'headers_too_large' as const])) {
      const status = String(errorStatuses[code]);
      expected.set(status, [...(expected.get(status) ?? []), code]);
    }
    const listed = Object.entries(operation!.responses).filter(([status]) => /^[45]/.test(status));
    assert.deepEqual(listed.map(([status]) => status).sort(), [...expected.keys()].sort(), route.id);
    for (const [status, answer] of listed) {
      const error = resolve(answer);
      const codes = [...error.description.matchAll(/`(\w+)`/g)].map(([, code]) => code!);
      assert.deepEqual(codes, expected.get(status)!.sort(), `${route.id} ${status}`);
      assert.deepEqual(error.content?.['application/json']?.schema, { $ref: '#/components/schemas/Error' });
    }
  }
  const ids = routes.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
});

test('responses are listed by status, without a body where there is none', () => {
  const success = (id: string) => {
    const { responses } = operations.find(({ operationId }) => operationId === id)!;
    return Object.keys(responses).filter(status => /^2/.test(status));
  };
  assert.deepEqual(success('createResumable'), ['201']);
  assert.deepEqual(success('continueResumable'), ['204']);
  assert.deepEqual(success('sendWebhook'), ['200', '204']);
  assert.deepEqual(success('lookAtResumable'), ['200']);
  const look = operations.find(({ operationId }) => operationId === 'lookAtResumable');
  assert.equal(resolve(look!.responses['200']!).content, undefined);
});

test("omits routes of other programs' protocols, and names their guide", () => {
  for (const { path, method, id } of routes.filter(({ isForeign }) => isForeign)) {
    assert.equal(findOperation({ path, method }), undefined, id);
    assert.ok(!operations.some(({ operationId }) => operationId === id), id);
  }
  for (const path of ['/loki/api/v1/push', '/v1/logs', '/_bulk', '/services/collector', '/api/v2/logs'])
    assert.ok(!(path in api.paths) && routes.some(route => route.path === path), path);
  assert.ok(!operations.some(({ tags }) => tags.includes('doors')));
  assert.match(api.info.description, /Loki.*answer as those programs expect.*\(\/docs\/connect\)/);
  const lines = findOperation({ path: '/api/v3/logs/lines', method: 'POST' });
  assert.deepEqual(lines?.tags, ['Logs'], 'our own line format is described');
});

describe('components', () => {
  const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);

  it('exist wherever a reference points to one, and each is referenced', () => {
    for (const reference of references) resolve({ $ref: reference });
    const used = new Set(references);
    for (const kind of ['schemas', 'parameters', 'responses'])
      for (const name of Object.keys(api.components[kind]!)) {
        assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
        assert.match(name, /^[\w.-]+$/);
      }
  });

  it('name the main objects', () => {
    const names = Object.keys(api.components.schemas!);
    for (const name of ['Error', 'LogEntry', 'LogItem', 'FileRecord', 'RuleRecord', 'QueryLogsAnswer'])
      assert.ok(names.includes(name), name);
    const list = findOperation({ path: '/api/v3/logs/{traceId}/children', method: 'GET' });
    const { content } = resolve(list!.responses['200']!);
    const { properties } = resolve(content!['application/json']!.schema) as { properties: { data: Shape } };
    assert.deepEqual(properties.data.items, { $ref: '#/components/schemas/LogEntry' });
  });

  it('contain every request and response object', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const contents = [requestBody?.content, ...Object.values(responses).map(each => resolve(each).content)];
      for (const { schema } of contents.flatMap(content => Object.values(content ?? {})))
        assert.ok(!('properties' in schema), `${operationId} has an object without a name`);
    }
    for (const { operationId, parameters, responses } of operations) {
      for (const parameter of parameters ?? []) assert.ok('$ref' in parameter, operationId);
      for (const [status, answer] of Object.entries(responses))
        assert.ok('$ref' in answer || /^[23]/.test(status), `${operationId} ${status}`);
    }
  });

  it('contain what occurs more than twice and takes more than a few lines', () => {
    const times = new Map<string, number>();
    const count = (part: unknown): void => {
      if (typeof part !== 'object' || part === null) return;
      if ('type' in part || 'anyOf' in part) {
        const shape = JSON.stringify(part);
        times.set(shape, (times.get(shape) ?? 0) + 1);
      }
      for (const inner of Object.values(part)) count(inner);
    };
    count(api);
    const advice = 'export it from its file in contract/, and it goes by that name';
    for (const [shape, number] of times) {
      const isFine = number <= inlineTimesMax || shape.length <= inlineCharactersMax;
      assert.ok(isFine, `${number} times ${shape}: ${advice}`);
    }
  });
});

test('it lists the common errors, and the allowed words', async () => {
  for (const { operationId, responses } of operations)
    for (const status of ['431', 'default']) assert.ok(status in responses, operationId);
  const parameters = listParameters(findOperation({ path: '/api/sdk/report', method: 'POST' }));
  const words = parameters.find(({ name }) => name === 'sdkType')?.schema.enum;
  assert.deepEqual(words, ['server_a', 'server_b', 'fivem', 'roblox']);
  for (const long of ['a'.repeat(5_000), 'a%00b']) {
    const sent = [compose(`POST /api/v3/file/presigned-url/${long}`, { 'Content-Length': 0 })];
    const { answers } = await talk(service.url, sent, { answersMax: 1 });
    assert.equal(describeAnswer(answers[0]!), '404 not_found');
  }
});

test('the document and the errors state the limit of terms and conditions in a log query', async () => {
  const ends = ['', '/histogram', '/series', '/facets', '/fields', '/values', '/tail', '/export'];
  for (const path of [...ends, '/{traceId}/context']) {
    const operation = findOperation({ path: `/api/v3/logs${path}`, method: 'GET' });
    assert.match(operation!.summary, /metadata\.<path>=value .*at most 64/, path);
    const parameters = listParameters(operation);
    for (const name of ['body', 'q'])
      assert.match(parameters.find(one => one.name === name)?.description ?? '', /at most 64/, path);
  }
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
  const request = async (query: string) =>
    (await service.fetch(`/api/v3/logs?${query}`, { headers: { authorization: token } })).text();
  const words = Array.from({ length: 65 }, (_, index) => `w${index}`);
  assert.match(
    await request(`body=${words.join('+')}`),
    /body may hold at most 64 different terms; send fewer/,
  );
  const conditions = words.map(word => `metadata.${word}=x`).join('&');
  assert.match(await request(conditions), /at most 64 conditions metadata\.<path>=value; send fewer/);
});
