/** File searches, answered by hand as CONTRACT.md says, without the parser and its matchers. */
import assert from 'node:assert/strict';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { fileSorts } from '@tapedeck/domain/vocabulary';
import { everything, parseFileQuery } from '@tapedeck/log-query-language';
import type { ConformanceCase } from './cases.ts';
import { insertFiles, whole } from './fileSearchCases.ts';
import { speakQuery } from './randomFileQueries.ts';
import { answerByHand, makeChance } from './randomFiles.ts';

const questionsCount = 400;

async function compareSpoken(store: MetadataStore, seed: number): Promise<void> {
  const chance = makeChance(seed);
  const files = await insertFiles(store, chance);
  let distinguishing = 0;
  for (let index = 0; index < questionsCount; index++) {
    const { text, isMeant } = speakQuery(chance, files);
    const sort = { by: chance.pick(fileSorts), order: chance.pick(['asc', 'desc'] as const) };
    const expected = answerByHand(files.filter(isMeant), everything, sort);
    const found = await store.files.search('default', { ...whole, query: parseFileQuery(text), sort });
    const ids = found.files.map(({ id }) => id);
    const description = `${text} by ${sort.by} ${sort.order}`;
    assert.deepEqual({ ids, total: found.total }, { ids: expected, total: expected.length }, description);
    if (expected.length > 0 && expected.length < files.length) distinguishing++;
  }
  assert.ok(distinguishing > questionsCount / 3, `only ${distinguishing} queries distinguish files`);
}

export const fileSearchRandomCases: readonly ConformanceCase[] = [
  { title: 'random queries of every kind', run: ({ store }) => compareSpoken(store, 47) },
];
