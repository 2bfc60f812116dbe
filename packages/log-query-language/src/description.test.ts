/** Tests that the language's description matches the parser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageDescription, languageExamples } from './description.ts';
import { parseQuery, printQuery } from './index.ts';

for (const [text] of languageExamples) {
  test(text, () => {
    const query = parseQuery(text);
    assert.ok(query);
    assert.deepEqual(parseQuery(printQuery(query)), query);
    assert.ok(languageDescription.includes(`\`${text}\``));
  });
}
