/** Tests that the values of samples read like real ones, and that their shapes allow them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiDocument, openReference } from '../src/reference/index.ts';

const [text, integer] = [{ type: 'string' }, { type: 'integer' }];

for (const [name, schema, value] of [
  ['size', integer, 1_482_752],
  ['size', { ...integer, maximum: 500 }, 12],
  ['bytesMax', integer, 53_687_091_200],
  ['width', integer, 1920],
  ['width', text, '…'],
  ['files', integer, 128],
  ['parts', integer, 12],
  ['parts', { ...integer, minimum: 40 }, 40],
  ['parts', { ...integer, maximum: 3 }, 3],
  ['durationSeconds', { type: 'number' }, 12.5],
  ['createdAt', text, '2026-01-02T03:04:05.678Z'],
  ['moment', { ...text, format: 'date-time' }, '2026-01-02T03:04:05.678Z'],
  ['id', text, '7Kq2mVx9TzB4nRw1LcYd'],
  ['rule', { ...text, pattern: '^[0-9A-Za-z]{20}$' }, '7Kq2mVx9TzB4nRw1LcYd'],
  ['id', { ...text, pattern: '^[0-9a-f]{16}$' }, '3f9a0c7be51d2846'],
  ['originalUrl', text, 'https://example.org/'],
  ['createdBy', { anyOf: [{ type: 'null' }, text] }, 'Vera'],
  ['metadata', { type: 'object', additionalProperties: text }, { 'player.id': '7', 'player.name': 'Vera' }],
  ['level', { enum: ['debug', 'error'] }, 'debug'],
] as const)
  test(`a sample of ${name}, ${JSON.stringify(schema)}`, () => {
    const shape = { type: 'object', required: [name], properties: { [name]: schema } };
    assert.deepEqual(readSample(shape), { [name]: value });
  });

/** Reads the body that the form of an operation suggests for the shape. */
function readSample(schema: object): unknown {
  const document: ApiDocument = {
    info: { title: 'Shelf', description: '' },
    tags: [{ name: 'Things' }],
    'x-tagGroups': [{ name: 'First', tags: ['Things'] }],
    paths: {
      '/things': {
        post: {
          operationId: 'addThing',
          tags: ['Things'],
          summary: 'Add a thing.',
          requestBody: { content: { 'application/json': { schema } } },
          responses: { 200: { description: 'Success.' } },
        },
      },
    },
    components: { parameters: {}, schemas: {} },
  };
  const page = openReference(document, '/docs/api').writeArea('things', 'https://shelf.example.org', {});
  const [, sample = ''] = /<textarea[^>]*>([^<]*)</.exec(page) ?? [];
  return JSON.parse(sample.replaceAll('&quot;', '"'));
}
