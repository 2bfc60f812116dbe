/** File searches, answered by hand as CONTRACT.md says, without the parser and its matchers. */
import assert from 'node:assert/strict';
import { everything, parseFileQuery } from '@tapedeck/log-query-language';
import type { MetadataStore } from '../../../src/domain/ports/metadata.ts';
import { fileSorts } from '../../../src/vocabulary.ts';
import { answerByHand, makeChance } from '../../support/randomFiles.ts';
import { speakQuery } from '../../support/spokenFileQueries.ts';
import type { ConformanceCase } from '../conformance.ts';
import { insertFiles, whole } from './fileSearchCases.ts';

const questionsCount = 400;

async function compareSpoken(store: MetadataStore, seed: number): Promise<void> {
  const chance = makeChance(seed);
  const files = await insertFiles(store, chance);
  let telling = 0;
  for (let index = 0; index < questionsCount; index++) {
    const { text, isMeant } = speakQuery(chance, files);
    const sort = { by: chance.pick(fileSorts), order: chance.pick(['asc', 'desc'] as const) };
    const expected = answerByHand(files.filter(isMeant), everything, sort);
    const found = await store.files.search('default', { ...whole, query: parseFileQuery(text), sort });
    const ids = found.files.map(({ id }) => id);
    const told = `${text} by ${sort.by} ${sort.order}`;
    assert.deepEqual({ ids, total: found.total }, { ids: expected, total: expected.length }, told);
    if (expected.length > 0 && expected.length < files.length) telling++;
  }
  assert.ok(telling > questionsCount / 3, `only ${telling} questions tell files apart`);
}

export const spokenFileCases: readonly ConformanceCase[] = [
  { title: 'random questions of every kind', run: ({ store }) => compareSpoken(store, 47) },
];
