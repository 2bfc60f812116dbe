/** The service's pages: guides, pages for trying out the API, and the dashboard's location. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, it, test } from 'node:test';
import { placeholderOf } from '@tapedeck/guides';
import { repositoryRoot } from '../../../scripts/repository.ts';
import { describeRefusal } from '../support/client.ts';
import { guides } from '../support/connectGuides.ts';
import { startQuietService } from '../support/service.ts';

const service = await startQuietService();
after(() => service[Symbol.asyncDispose]());

const guideFiles = (await readdir(path.join(repositoryRoot, 'docs'), { recursive: true }))
  .filter(file => file.endsWith('.md'))
  .map(file => file.replace(/\.md$/, ''));

/** Every page links to every other, so each is read only once. */
const pages = new Map<string, Promise<string>>();
const readPage = (place: string): Promise<string> => {
  const page = pages.get(place) ?? fetchPage(place);
  pages.set(place, page);
  return page;
};

async function fetchPage(place: string): Promise<string> {
  const response = await service.fetch(place, { redirect: 'follow' });
  assert.ok(response.ok, place);
  return response.text();
}

describe('each guide is a page with the address of the service and valid links', () => {
  for (const guide of guideFiles) {
    it(`/docs/${guide}`, async () => {
      const response = await service.fetch(`/docs/${guide}`);
      assert.equal(response.status, 200);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      const page = await response.text();
      assert.doesNotMatch(page, /media\.example\.org|localhost:8787/);
      for (const [, file = '', place] of page.matchAll(/ href="(\/docs[^"#]*)?(?:#([^"]*))?"/g)) {
        const text = file === '' ? page : await readPage(file);
        assert.ok(place === undefined || text.includes(` id="${place}"`), `${file}#${place}`);
      }
    });
  }

  it('the index links to all of them', async () => {
    const index = await (await service.fetch('/docs/index')).text();
    for (const guide of guideFiles.filter(each => each !== 'index' && !each.startsWith('connect/')))
      assert.ok(index.includes(`href="/docs/${guide}"`), guide);
  });
});

test('a guide has its title and the address of the service', async () => {
  const page = await (await service.fetch('/docs/notifications')).text();
  assert.match(page, /<title>Notifications · Tapedeck<\/title>/);
  const { port } = new URL(service.url);
  assert.ok(page.includes(`http://localhost:${port}/api/manage/projects/default/channels`));
});

for (const place of ['/docs/connect/nothing', '/docs/nothing', '/docs/api/nothing']) {
  test(`${place}: a browser gets a page with links, a program the error`, async () => {
    const response = await service.fetch(place, { headers: { accept: 'text/html,*/*;q=0.8' } });
    assert.equal(response.status, 404);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    const page = await response.text();
    assert.match(page, /<h1[^>]*>Page not found</);
    assert.ok(page.includes('href="/docs/index"'));
    assert.equal(await describeRefusal(await service.fetch(place)), '404 not_found');
  });
}

test('a guide is also available as Markdown, with the address of the service', async () => {
  const response = await service.fetch('/docs/notifications.md');
  assert.equal(response.headers.get('content-type'), 'text/markdown; charset=utf-8');
  const text = await response.text();
  assert.match(text, /^# Notifications\n/);
  assert.equal(text.includes('{{address}}'), false);
  assert.equal((await service.fetch('/docs/nothing.md')).status, 404);
});

test('serves the pictures of guides', async () => {
  const page = await (await service.fetch('/docs/scaling')).text();
  const sources = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, source]) => source!);
  assert.ok(sources.length > 0);
  for (const source of sources) {
    const picture = await service.fetch(source);
    assert.equal(picture.headers.get('content-type'), 'image/svg+xml');
    assert.match(await picture.text(), /^<svg/);
  }
});

test('the list of tools links to a page for each, and old addresses of guides still work', async () => {
  const page = await (await service.fetch('/docs/connect')).text();
  for (const { id, title } of guides)
    assert.ok(page.includes(`<li><a id="${id}"></a><a href="/docs/connect/${id}">`), title);
});

describe('a tool has a page with its settings for this service', () => {
  const { port } = new URL(service.url);
  for (const guide of guides)
    it(guide.title, async () => {
      const page = await (await service.fetch(`/docs/connect/${guide.id}`)).text();
      const read = (text: string) =>
        text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&lt;')
          .replaceAll('>', '&gt;')
          .replaceAll('"', '&quot;');
      assert.ok(page.includes(`<title>${read(guide.title)} · Tapedeck</title>`));
      assert.ok(
        page.includes(`Replace <code>${placeholderOf(guide)}</code> with a ${guide.token.kind} token`),
      );
      const connection = {
        address: `http://localhost:${port}`,
        token: placeholderOf(guide),
        dataset: 'default',
        folder: '',
      };
      for (const { write } of [...guide.snippets, guide.test])
        assert.ok(page.includes(`<code>${read(write(connection).trimEnd())}</code>`), write(connection));
    });
});

test('the playground pages load everything from the service itself', async () => {
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

describe('the dashboard route', () => {
  const html = { accept: 'text/html,application/xhtml+xml' };
  for (const [route, headers] of [
    ['/api/nope', html],
    ['/media/nope', html],
    ['/nope', { accept: 'application/json' }],
    ['/nope', {}],
  ] as const) {
    it(`does not replace ${route} for ${JSON.stringify(headers)}`, async () => {
      assert.match(await describeRefusal(await service.fetch(route, { headers })), /^404 /);
    });
  }

  it('accepts no data', async () => {
    const response = await service.fetch('/', { method: 'POST', headers: html });
    assert.equal(await describeRefusal(response), '405 method_not_allowed');
  });
});

test('the search has the words of guides and operations, compressed', async () => {
  const response = await service.fetch('/docs/search.json');
  assert.equal(response.headers.get('content-encoding'), 'gzip');
  const text = await response.text();
  // `SearchEntry` is the shape of these.
  const entries = JSON.parse(text) as { title: string; url: string; text: string }[];
  const find = (url: string) => entries.find(entry => entry.url === url)?.text ?? '';
  assert.match(find('/docs/configuration'), /TAPEDECK_RATE_LIMIT off Requests per minute/);
  assert.match(find('/docs/api/files#uploadFile'), /^POST \/api\/v3\/file /);
  assert.equal(text.includes('{{address}}'), false);
});
