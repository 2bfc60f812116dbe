/** Tests the reference of a small API: samples in each language, fields, forms, and search. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { type ApiDocument, openReference } from '../src/reference/index.ts';

const form = { schema: { type: 'object', properties: { file: { type: 'string' } } } };
const sendOne = {
  summary: 'Send one file.',
  tags: ['Old <things>'],
  security: [{ token: [] }],
  requestBody: { content: { 'multipart/form-data': form, '*/*': { schema: { type: 'string' } } } },
  responses: { 200: { description: 'Success.' } },
};

const document: ApiDocument = {
  info: { title: 'Shelf', description: 'Keeps **things**.' },
  tags: [{ name: 'Things' }, { name: 'Old <things>' }],
  'x-tagGroups': [
    { name: 'First', tags: ['Things'] },
    { name: 'Later', tags: ['Old <things>'] },
  ],
  paths: {
    '/things/{thing}': {
      delete: {
        operationId: 'deleteThing',
        tags: ['Things'],
        summary: 'Delete a thing.',
        security: [{ token: [] }],
        parameters: [{ name: 'thing', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 204: { description: 'Gone.' } },
      },
    },
    '/things': {
      get: {
        operationId: 'listThings',
        tags: ['Things'],
        summary: 'List things.',
        parameters: [{ $ref: '#/components/parameters/limit' }],
        responses: { 200: { description: 'Success.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Things' } } } } },
      },
      post: {
        operationId: 'addThing',
        tags: ['Things'],
        summary: 'Add a thing, `<b>`.',
        security: [{ token: [] }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
        responses: { 200: { description: 'Success.' }, 400: { description: 'Codes: `bad`.' } },
      },
    },
    '/files': {
      post: {
        operationId: 'sendFile',
        tags: ['Old <things>'],
        summary: 'Send a file.',
        security: [{ token: [] }],
        requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: { file: { type: 'string' } } } } } },
        responses: { 200: { description: 'Success.' } },
      },
    },
    '/files/image': { post: { ...sendOne, operationId: 'sendImage' }, put: { ...sendOne, operationId: 'putImage' } },
    '/files/audio': { post: { ...sendOne, operationId: 'sendSound' } },
  },
  components: {
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100, default: 50 } } },
    schemas: {
      Thing: {
        type: 'object',
        required: ['message', 'level', 'part'],
        properties: {
          message: { type: 'string', description: 'What it says.' },
          level: { type: 'string', enum: ['debug', 'info'] },
          part: { $ref: '#/components/schemas/Thing' },
          note: { type: 'string' },
        },
      },
      Things: { type: 'object', properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } },
    },
  },
}; // biome-ignore format: a document

const reference = openReference(document, '/docs/api');
const page = reference.writeArea('things', 'https://shelf.example.org', {});

describe('an area shows', () => {
  const rows: [string, RegExp][] = [
    ['each operation under its id', /<h2 id="addThing"><span class="method post">POST<\/span> <code>\/things<\/code>/],
    ['its sentence, escaped', /Add a thing, <code>&lt;b&gt;<\/code>\./],
    ['the required token', /Needs a token in <code>Authorization<\/code>\./],
    ['that no token is required', /Needs no token\./],
    ['a parameter with its limit and default', /<code>limit<\/code><\/td><td>integer<\/td><td>At most 100\. Default: <code>50<\/code>\./],
    ['a required field with its description', /<code>level<\/code> <span class="required">required<\/span><\/td><td>&quot;debug&quot; \| &quot;info&quot;/],
    ['errors', /<td>400<\/td><td>Codes: <code>bad<\/code>\./],
    ['a form to try it', /<form data-method="POST" data-path="\/things">/],
  ]; // biome-ignore format: a table
  for (const [name, pattern] of rows) it(name, () => assert.match(page, pattern));

  it('lists operations in order: additions, lists, single things', () => {
    const ids = [...page.matchAll(/<h2 id="(\w+)">/g)].map(([, id]) => id);
    assert.deepEqual(ids, ['addThing', 'listThings', 'deleteThing']);
  });
});

describe('a sample in', () => {
  const rows: [string, RegExp][] = [
    ['curl', /curl 'https:\/\/shelf\.example\.org\/things' \\\n {2}-H &quot;Authorization: \$TOKEN&quot; \\\n {2}-H 'Content-Type: application\/json' \\\n {2}-d '\{\n {2}&quot;message&quot;: &quot;player joined&quot;/],
    ['JavaScript', /await fetch\('https:\/\/shelf\.example\.org\/things', \{\n {2}method: 'POST',/],
    ['Python', /requests\.request\(\n {4}'POST',\n {4}'https:\/\/shelf\.example\.org\/things',/],
    ['Lua', /json\.encode\(\{\n {2}message = &quot;player joined&quot;,\n {2}level = &quot;info&quot;/],
    ['C#', /new HttpRequestMessage\(HttpMethod\.Post, &quot;https:\/\/shelf\.example\.org\/things&quot;\)/],
  ]; // biome-ignore format: a table
  for (const [name, pattern] of rows) it(name, () => assert.match(page, pattern));

  const old = reference.writeArea('old-things', 'https://shelf.example.org', {});
  it('omits Lua for forms, which it cannot send', () => {
    const [form = ''] = old.split('<h2 id=').filter(part => part.startsWith('"sendFile"'));
    assert.match(form, /-F file=@clip\.mp4/);
    assert.doesNotMatch(form, /PerformHttpRequest/);
  });

  const files: [string, RegExp][] = [
    ['an image', /files\/image' \\\n {2}-H &quot;Authorization: \$TOKEN&quot; \\\n {2}-F file=@photo\.png/],
    ['a sound', /open\('voice\.mp3', 'rb'\)/],
    ['PUT, which sends the bytes alone', /curl 'https:\/\/shelf\.example\.org\/files\/image' \\\n {2}-H &quot;Authorization: \$TOKEN&quot; \\\n {2}-T photo\.png/],
  ]; // biome-ignore format: a table
  for (const [name, pattern] of files) it(`a language sends ${name}`, () => assert.match(old, pattern));
});

test('the overview links to every operation in the search index', () => {
  const overview = reference.writeOverview({ site: 'Shelf' });
  assert.match(overview, /<title>API · Shelf<\/title>/);
  assert.match(overview, /Keeps <strong>things<\/strong>\./);
  for (const { url, title } of reference.entries) assert.ok(overview.includes(`href="${url}"`), title);
  assert.equal(reference.entries.length, 7);
});

test('rejects an unknown area', () => {
  assert.throws(() => reference.writeArea('nope', '', {}), /no area nope/);
});
