/** The catalogue as a whole: what every tool has, and how it is found. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findGuide, guides, placeholderOf, scopesOf, searchGuides } from './index.ts';

const connection = {
  address: 'https://tape.example.org',
  token: 'T0ken',
  dataset: 'game',
  folder: "a b/it's",
};

describe('every tool', () => {
  for (const guide of guides) {
    it(guide.title, () => {
      assert.match(guide.id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      assert.equal(findGuide(guide.id), guide, 'its id is its own');
      assert.match(guide.about, /^[^.]+(?:\.\w[^.]*)*\.$/, 'one sentence');
      const texts = guide.snippets.map(snippet => snippet.write(connection));
      assert.ok(texts.length > 0);
      assert.ok(texts.join('').includes(connection.address.replace('https://', '')), 'says where');
      assert.ok(texts.join('').includes(connection.token), 'holds the token');
      assert.ok(!texts.join('').includes('undefined'));
      assert.ok(scopesOf(guide, connection).length > 0, 'asks for less than everything');
      assert.match(placeholderOf(guide), /^YOUR_(?:LOGS|MEDIA|WEBHOOK)_TOKEN$/);
    });
  }
});

describe('tools are found', () => {
  const rows: readonly (readonly [asked: string, first: string])[] = [
    ['winston', 'winston-loki'],
    ['OTEL', 'opentelemetry-environment'],
    ['screenshot windows', 'sharex'],
    ['curl', 'curl-logs'],
  ];
  for (const [asked, first] of rows) {
    it(asked, () => assert.equal(searchGuides(asked)[0]?.id, first));
  }

  it('nothing asked: all of them', () => assert.equal(searchGuides(' '), guides));
  it('nothing that fits: none', () => assert.deepEqual(searchGuides('winston zzz'), []));
});
