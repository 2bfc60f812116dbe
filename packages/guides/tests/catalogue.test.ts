/** Tests the guides in docs/connect: each is complete, and search finds it. Also tests that broken guides are rejected. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readCatalogue } from '../src/files.ts';
import { openCatalogue, placeholderOf, scopesOf } from '../src/index.ts';

const { guides, findGuide, searchGuides } = readCatalogue(
  path.join(import.meta.dirname, '../../../docs/connect'),
);

const connection = {
  address: 'https://tape.example.org',
  token: 'T0ken',
  dataset: 'game',
  folder: "a b/it's",
};

/** Matches code and links to other guides. */
const shownMarks = /`[^`]+`|\[[^\]]+\]\([\w-]+\.md\)/g;

describe('every tool', () => {
  for (const guide of guides) {
    it(guide.title, () => {
      assert.match(guide.id, /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      assert.equal(findGuide(guide.id), guide);
      const rivals = guides.filter(({ group, order }) => group === guide.group && order === guide.order);
      assert.deepEqual(rivals, [guide], 'its order is its own');
      assert.match(guide.about, /^[^.]+(?:\.\w[^.]*)*\.$/, 'one sentence');
      const texts = guide.snippets.map(snippet => snippet.write(connection));
      guide.test.write(connection);
      assert.ok(texts.length > 0);
      assert.ok(texts.join('').includes(connection.address.replace('https://', '')), 'says where');
      assert.ok(texts.join('').includes(connection.token), 'holds the token');
      assert.ok(!texts.join('').includes('undefined'));
      assert.ok(scopesOf(guide, connection).length > 0, 'asks for less than everything');
      for (const { name, isFile } of guide.snippets)
        if (isFile) assert.match(name, /^[\w.-]+$/, 'it is saved under this name');
      for (const { means } of guide.notes)
        assert.doesNotMatch(
          means.replaceAll(shownMarks, ''),
          /[`*]|\]\(/,
          'the dashboard shows no other marks',
        );
      assert.match(placeholderOf(guide), /^YOUR_(?:LOGS|MEDIA|WEBHOOK)_TOKEN$/);
    });
  }
});

describe('finds tools', () => {
  const rows: readonly (readonly [asked: string, first: string])[] = [
    ['winston', 'winston-loki'],
    ['OTEL', 'opentelemetry-environment'],
    ['screenshot windows', 'sharex'],
    ['curl', 'curl-logs'],
    ['mcp', 'assistants'],
  ];
  for (const [asked, first] of rows) {
    it(asked, () => assert.equal(searchGuides(asked)[0]?.id, first));
  }

  it('returns all guides without a query', () => assert.equal(searchGuides(' '), guides));
  it('returns no guides for a query without matches', () =>
    assert.deepEqual(searchGuides('winston zzz'), []));
});

const whole = `---
group: Node.js
order: 10
sends: logs
protocol: loki
token: logs write
words: tool
---

# A tool

Sends logs.

## settings.json

\`\`\`json file
{ "url": {{address | quotes}}{{#folder}}, "folder": {{folder | quotes}}{{/folder}} }
\`\`\`

## Try it: Once

\`\`\`sh
tool '{{folder | shell}}'
\`\`\`

## If something goes wrong

- **Nothing arrives**: The token is wrong.
`;

const broken: readonly (readonly [what: string, from: string, to: string, sentence: RegExp])[] = [
  [
    'an unknown placeholder',
    '{{address | quotes}}',
    '{{adress}}',
    /placeholder {{adress}}, which does not exist/,
  ],
  [
    'an unknown filter',
    '| quotes}}{{#',
    '| xml}}{{#',
    /placeholder {{address \| xml}}, which does not exist/,
  ],
  [
    'an unknown section',
    /\{\{#folder\}\}([\s\S]*)\{\{\/folder\}\}/.exec(whole)![0],
    '{{#token}}x{{/token}}',
    /section {{#token}}/,
  ],
  ['a folder that nothing escapes', '{{folder | shell}}', '{{folder}}', /\{\{folder\}\} without a filter/],
  ['no front matter', '---\ngroup', 'group', /tool\.md lacks front matter/],
  ['an unknown field', 'words:', 'word:', /lacks one of group, .* where it says "word"/],
  ['an order that is not a number', 'order: 10', 'order: first', /lacks a number as its order/],
  ['no heading', '# A tool\n\n', '', /lacks a heading "# …"/],
  ['no sentence', '\n\nSends logs.', '', /lacks a heading "# …" with one line of text/],
  ['two paragraphs', 'Sends logs.', 'Sends\n\nlogs.', /lacks a heading "# …" with one line of text/],
  ['an unknown group', 'Node.js', 'Cobol', /lacks one of Command line, .* where it says "Cobol"/],
  ['an unknown scope', 'logs write', 'logs admin', /lacks one of read, write, delete where it says "admin"/],
  ['no test', '## Try it', '## Later', /lacks a section "## Try it: …"/],
  [
    'a heading without a code block',
    '\n\n```json',
    '\n\nx\n\n```json',
    /lacks a code block, and nothing else, under "settings.json"/,
  ],
  [
    'text beside a code block',
    '\n## Try it',
    'Then restart.\n\n## Try it',
    /lacks a code block, and nothing else, under "settings.json"/,
  ],
  ['a problem without a cause', '**: The', '** The', /lacks "\*\*problem\*\*: cause"/],
  ['text beside the list of problems', 'wrong\n\n- **', 'wrong\n\nWell:\n\n- **', /lacks a list alone/],
];

describe('rejects a guide with a mistake', () => {
  for (const [what, from, to, sentence] of broken)
    it(what, () => {
      assert.notEqual(whole.replace(from, to), whole);
      assert.throws(() => {
        const { guides } = openCatalogue({ tool: whole.replace(from, to) });
        for (const { write } of [...guides[0]!.snippets, guides[0]!.test]) write(connection);
      }, sentence);
    });
});

it('escapes values for their place', () => {
  const [guide] = openCatalogue({ tool: whole }).guides;
  assert.equal(
    guide!.snippets[0]!.write({ ...connection, folder: 'a "b"' }),
    '{ "url": "https://tape.example.org", "folder": "a \\"b\\"" }\n',
  );
  assert.equal(guide!.test.write(connection), `tool 'a b/it'\\''s'`);
  assert.equal(
    guide!.snippets[0]!.write({ ...connection, folder: '' }),
    '{ "url": "https://tape.example.org" }\n',
  );
});
