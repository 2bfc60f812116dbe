/** Tests guides as pages: each mark, and text that must not become one. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { renderBlocks } from './blocks.ts';
import { readSections, writeMarkdownPage } from './pages.ts';

const findLink = (target: string) => ({ 'other.md': '/docs/other', 'b.svg': '/docs/b.svg' })[target] ?? null;

describe('Markdown becomes', () => {
  const rows: [string, string, string][] = [
    ['a heading with an anchor', '## What a webhook is “sent”', '<h2 id="what-a-webhook-is-sent">What a webhook is “sent”</h2>'],
    ['headings with the same name', '# A\n# A', '<h1 id="a">A</h1>\n<h1 id="a-1">A</h1>'],
    ['a paragraph', 'one\ntwo', '<p>one\ntwo</p>'],
    ['code', '```js\nif (a < b) `c`;\n\n# d\n```', '<pre tabindex="0"><code>if (a &lt; b) `c`;\n\n# d</code></pre>'],
    ['inline code', 'a `<b>` c', '<p>a <code>&lt;b&gt;</code> c</p>'],
    ['weight', '**all** of `**it**`', '<p><strong>all</strong> of <code>**it**</code></p>'],
    ['links', '[a](other.md) [b](#c) [d](../x.ts) [e](https://e.org/?f&g)', '<p><a href="/docs/other">a</a> <a href="#c">b</a> d <a href="https://e.org/?f&amp;g">e</a></p>'],
    ['no link with a script', '[a](javascript:alert(1))', '<p>a)</p>'],
    ['no HTML', '<img src=x onerror="y">', '<p>&lt;img src=x onerror=&quot;y&quot;&gt;</p>'],
    ['an empty anchor, the only HTML that stays', '- <a id="b-1"></a>[a](#c)', '<ul><li><a id="b-1"></a><a href="#c">a</a></li></ul>'],
    ['no other anchor', '<a id="b" href="c"></a>', '<p>&lt;a id=&quot;b&quot; href=&quot;c&quot;&gt;&lt;/a&gt;</p>'],
    ['a list', '- one\n  more\n- two', '<ul><li>one\nmore</li><li>two</li></ul>'],
    ['a numbered list', '1. one\n2. two\n\nbehind', '<ol><li>one</li><li>two</li></ol>\n<p>behind</p>'],
    ['a table', '| a | |\n|---|---|\n| `b\\|c` | d |', '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th></th></tr></thead><tbody><tr><td><code>b|c</code></td><td>d</td></tr></tbody></table></div>'],
    ['a picture', '![A "chart"](b.svg)', '<p><img src="/docs/b.svg" alt="A &quot;chart&quot;"></p>'],
    ['a picture as text', '![A chart](a.svg)', '<p>A chart</p>'],
    ['nothing for a comment', '<!-- for us -->\n', ''],
  ]; // biome-ignore format: a table
  for (const [name, markdown, html] of rows) {
    it(name, () => assert.equal(renderBlocks(markdown, findLink).html, html));
  }
});

test('a page has the title of its first heading and links above its content', () => {
  const page = writeMarkdownPage('# A `b`\n\nc', { findLink, site: 'D', links: [{ title: 'E', url: '/e' }] });
  assert.match(page, /<title>A b · D<\/title>/);
  assert.match(page, /<nav aria-label="Documents"><a href="\/e">E<\/a><\/nav>/);
});

test('reads the words of each section', () => {
  const markdown = '# Title\n\nFirst **words**.\n\n## Next `one`\n\n- a < b\n- c\n\n### Below\n\nLast.\n';
  assert.deepEqual(readSections(markdown), [
    { title: 'Title', id: 'title', text: 'First words.' },
    { title: 'Next one', id: 'next-one', text: 'a < b c Below Last.' },
  ]);
});
