/** Tests the Markdown of chats, and that all other characters stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMarkdown } from './markdown.ts';

function describe(text: string): string {
  const { plain, runs, links } = readMarkdown(text);
  let at = 0;
  const parts = runs.map(({ start, end, look }) => {
    const before = plain.slice(at, start);
    at = end;
    const words = Object.entries(look).flatMap(([name, value]) =>
      value === true ? [name.slice(2).toLowerCase()] : [],
    );
    return `${before}[${words.join(' ')}|${plain.slice(start, end)}]`;
  });
  const ends = links.map(({ start, end, value }) => ` (${plain.slice(start, end)} ${value})`);
  return `${parts.join('')}${plain.slice(at)}${ends.join('')}`;
}

for (const [text, expected] of [
  ['**Team red** won, *well* played', '[bold|Team red] won, [italic|well] played'],
  ['__a__ ~~b~~ _c_', '[underlined|a] [struck|b] [italic|c]'],
  ['***both***', '[bold italic|both]'],
  ['**a *b* c**', '[bold|a ][bold italic|b][bold| c]'],
  ['in `a*b*c`', 'in [code|a*b*c]'],
  ['```lua\nlocal a = 1\n```', '[code|local a = 1]'],
  ['[Standings](https://a.example/s)!', 'Standings! (Standings https://a.example/s)'],
  ['[**bold**](https://a.example)', '[bold|bold] (bold https://a.example)'],
  ['[odd](javascript:alert)', '[odd](javascript:alert)'],
  ['snake_case_name 2*3*4 a * b', 'snake_case_name 2[italic|3]4 a * b'],
  ['** not closed', '** not closed'],
  ['', ''],
] as const) {
  test(JSON.stringify(text), () => assert.equal(describe(text), expected));
}
