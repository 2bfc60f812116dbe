/** The engine folds letter case as `foldCase` does, for every character, even where lower case depends on its neighbours. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { foldCase } from '@tapedeck/values/case-folding';
import { startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { foldToAscii } from '../../queries/textConditions.ts';
import { queryRows } from '../engine/statements.ts';
import { foldColumn } from './folding.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());

const charactersEach = 8_192;
const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

async function fold(texts: readonly string[], format = foldColumn): Promise<unknown[]> {
  const list = texts.map(text => `'${text.replaceAll(/[\\']/g, '\\$&').replaceAll('\0', '\\0')}'`);
  const sql = `SELECT ${format('text')} FROM (SELECT arrayJoin([${list.join()}]) AS text)`;
  return (await queryRows(store.shards[0], { sql })).map(([folded]) => folded);
}

test('folds every character alike', async () => {
  for (let first = 1; first < 0x20000; first += charactersEach) {
    const codes = Array.from({ length: charactersEach }, (_, index) => first + index);
    const text = String.fromCodePoint(...codes.filter(code => !isSurrogate(code)));
    assert.deepEqual(await fold([text]), [foldCase(text)], `from ${first}`);
    assert.deepEqual(await fold([text], foldToAscii), [foldWhatIsAscii(text)], `from ${first}`);
  }
});

/** Folds each character that folds to ASCII. */
function foldWhatIsAscii(text: string): string {
  return [...text].map(each => (foldCase(each) < '\x80' ? foldCase(each) : each)).join('');
}

test('folds letters whose lower case depends on context or has two characters', async () => {
  const texts = ['ΟΔΥΣΣΕΥΣ', 'Σ', 'ΑΣ ΑΣΑ', 'İI', 'I\u0307', 'ſİſ', 'LÍ\u0300', 'ǅ', 'STRAẞE'];
  assert.deepEqual(await fold(texts), texts.map(foldCase));
});
