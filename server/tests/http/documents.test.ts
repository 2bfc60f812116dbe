/** The API describes itself: the document, the pages on which people try it, and the dashboard's place. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { guides } from '@tapedeck/connection-guides';
import { readCommittedApi } from '../../../scripts/openapi.ts';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { getState } from '../../src/contract/accounts.ts';
import { errorsOf } from '../../src/contract/index.ts';
import { routes } from '../../src/http/routes.ts';
import { version } from '../../src/version.ts';
import { errorStatuses } from '../../src/vocabulary.ts';
import { describeRefusal } from '../support/client.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { addPerson, addToken } from '../support/people.ts';
import { compose, describeAnswer, talk } from '../support/rawHttp.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());

type Operation = {
  operationId: string;
  responses: Record<string, { description: string }>;
  parameters?: { name: string; schema: { enum?: string[] } }[];
};
type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: object };
};

const guideFiles = (await readdir(path.join(repositoryRoot, 'docs'), { recursive: true }))
  .filter(file => file.endsWith('.md'))
  .map(file => file.replace(/\.md$/, ''));

describe('each guide is a page with the address of the service, and its links lead somewhere', () => {
  for (const guide of guideFiles) {
    it(`/docs/${guide}`, async () => {
      const response = await service.fetch(`/docs/${guide}`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      const page = await response.text();
      assert.doesNotMatch(page, /media\.example\.org|localhost:8787/);
      for (const [, file = '', place] of page.matchAll(/ href="(\/docs[^"#]*)?(?:#([^"]*))?"/g)) {
        const target = file === '' ? null : await service.fetch(file, { redirect: 'follow' });
        assert.ok(target === null || target.ok, file);
        const text = target === null ? page : await target.text();
        assert.ok(place === undefined || text.includes(` id="${place}"`), `${file}#${place}`);
      }
    });
  }

  it('and the index links to all of them', async () => {
    const index = await (await service.fetch('/docs/index')).text();
    for (const guide of guideFiles.filter(each => each !== 'index'))
      assert.ok(index.includes(`href="/docs/${guide}"`), guide);
  });
});

test('a guide has its title and the address of the service', async () => {
  const page = await (await service.fetch('/docs/notifications')).text();
  assert.match(page, /<title>Notifications · Tapedeck<\/title>/);
  const { port } = new URL(service.url);
  assert.ok(page.includes(`http://localhost:${port}/api/manage/projects/default/channels`));
});

test('pictures of guides are shown', async () => {
  const page = await (await service.fetch('/docs/scaling')).text();
  const sources = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!);
  assert.ok(sources.length > 0);
  for (const source of sources) {
    const picture = await service.fetch(source);
    assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
    assert.match(await picture.text(), /^<svg/);
  }
});

test('the served document is the committed one', async () => {
  const served = await (await service.fetch('/openapi.json')).json();
  assert.deepEqual(served, JSON.parse(await readCommittedApi()));
});

test('it has a version of its own; that of the product stands elsewhere', async () => {
  const { info } = (await (await service.fetch('/openapi.json')).json()) as { info: { version: string } };
  assert.equal(info.version, '1.0');
  const state = await readAs(getState.answer, await service.fetch('/api/manage/state'));
  assert.equal(state.version, version);
});

test('it holds every route with every error, and refers to nothing that is not there', async () => {
  const text = await (await service.fetch('/openapi.json')).text();
  // Written by our own code; what matters of its form is asserted below.
  const document = JSON.parse(text) as OpenApi;
  assert.match(document.openapi, /^3\.1\./);
  for (const route of routes) {
    const operation = document.paths[route.path.replace('*}', '}')]?.[route.method.toLowerCase()];
    assert.equal(operation?.operationId, route.id);
    for (const code of errorsOf(route)) {
      const description: string = operation!.responses[errorStatuses[code]]!.description;
      assert.ok(description.includes(`\`${code}\``), `${route.id} tells of ${code}`);
    }
  }
  const ids = routes.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
  for (const [, name] of text.matchAll(/"\$ref":\s*"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(`${name}` in document.components.schemas, `${name}`);
  }
});

test('it tells what any request may get, and the words that are taken', async () => {
  const text = await (await service.fetch('/openapi.json')).text();
  const document = JSON.parse(text) as OpenApi; // as above
  for (const operation of Object.values(document.paths).flatMap(path => Object.values(path)))
    for (const status of ['431', 'default']) assert.ok(status in operation.responses, operation.operationId);
  const { parameters } = document.paths['/api/sdk/report']!.post!;
  const words = parameters?.find(({ name }) => name === 'sdkType')?.schema.enum;
  assert.deepEqual(words, ['server_a', 'server_b', 'fivem', 'roblox']);
  for (const long of ['a'.repeat(5_000), 'a%00b']) {
    const sent = [compose(`POST /api/v3/file/presigned-url/${long}`, { 'Content-Length': 0 })];
    const { answers } = await talk(service.url, sent, { answersMax: 1 });
    assert.equal(describeAnswer(answers[0]!), '404 not_found');
  }
});

test('settings of tools are served with the address of the service', async () => {
  const response = await service.fetch('/docs/connect');
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(response.headers.get('content-security-policy')!, /^default-src 'none';/);
  const page = await response.text();
  for (const { id, title } of guides) {
    assert.ok(page.includes(`<section id="${id}">`), title);
  }
  assert.ok(page.includes(`curl -fsS 'http://localhost:`) && !page.includes('media.example.org'));
});

test('the pages to try it load everything from the service itself', async () => {
  let response = await service.fetch('/docs');
  const location = response.headers.get('location');
  if (location !== null) response = await service.fetch(new URL(location, `${service.url}/docs`).pathname);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type')!, /^text\/html/);
  const policy = response.headers.get('content-security-policy')!;
  assert.match(policy, /default-src 'self'/);
  assert.doesNotMatch(policy, /upgrade-insecure/, 'over plain HTTP from another machine, too');
  const page = await response.text();
  const references = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => reference!);
  assert.ok(references.length > 3);
  for (const reference of references) {
    const url = new URL(reference, `${service.url}/docs/`);
    assert.equal(url.origin, new URL(service.url).origin, reference);
    assert.equal((await service.fetch(url.pathname)).status, 200, reference);
  }
});

describe('the place of the dashboard', () => {
  const html = { accept: 'text/html,application/xhtml+xml' };
  for (const [route, headers] of [
    ['/api/nope', html],
    ['/media/nope', html],
    ['/docs/nope', html],
    ['/nope', { accept: 'application/json' }],
    ['/nope', {}],
  ] as const) {
    it(`is not ${route} for ${JSON.stringify(headers)}`, async () => {
      assert.match(await describeRefusal(await service.fetch(route, { headers })), /^404 /);
    });
  }

  it('is no place to send something to', async () => {
    const response = await service.fetch('/', { method: 'POST', headers: html });
    assert.equal(await describeRefusal(response), '405 method_not_allowed');
  });
});

test('how many terms and conditions a question of the log may hold stands in the document and in the refusals', async () => {
  const document = JSON.parse(await readCommittedApi()) as {
    paths: Record<string, { get: { summary: string; parameters: { name: string; description?: string }[] } }>;
  };
  for (const path of [
    '',
    '/histogram',
    '/series',
    '/facets',
    '/fields',
    '/values',
    '/tail',
    '/export',
    '/{traceId}/context',
  ]) {
    const { summary, parameters } = document.paths[`/api/v3/logs${path}`]!.get;
    assert.match(summary, /metadata\.<path>=value .*at most 64/, path);
    for (const name of ['body', 'q'])
      assert.match(parameters.find(one => one.name === name)?.description ?? '', /at most 64/, path);
  }
  const { token } = await addToken(await addPerson(service, { isOwner: true }), { kind: 'logs' });
  const ask = async (query: string) =>
    (await service.fetch(`/api/v3/logs?${query}`, { headers: { authorization: token } })).text();
  const words = Array.from({ length: 65 }, (_, index) => `w${index}`);
  assert.match(await ask(`body=${words.join('+')}`), /body may hold at most 64 different terms; send fewer/);
  const conditions = words.map(word => `metadata.${word}=x`).join('&');
  assert.match(await ask(conditions), /at most 64 conditions metadata\.<path>=value; send fewer/);
});
