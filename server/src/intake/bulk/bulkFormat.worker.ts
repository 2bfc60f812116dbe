/** The format of bulk requests. The answer has an item for each action. */
import { extname } from 'node:path';
import { type BulkItem, readBulk } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findAll, judgeEach, type Places, wording } from '../sent/sentEntries.ts';

type BulkOptions = Places & { index: string | null };

/** An action, and why it was not done; null: it was. */
export type DoneAction = Pick<BulkItem, 'action' | 'index' | 'id'> & { refusal: string | null };

export const format: EntryFormat<BulkOptions> = {
  module: new URL(`./bulkFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  read(body, options, rules) {
    const items = readBulk(body, { ...wording, index: options.index });
    const documents = items.flatMap(item => ('entry' in item ? [item.entry] : []));
    const { entries, refusals } = judgeEach(documents, options, rules);
    const sentences = new Map(refusals.map(({ index, sentence }) => [documents[index], sentence]));
    const done = items.map(item => describe(item, options, sentences));
    return findAll(entries, options, done);
  },
};

function describe(
  item: BulkItem,
  { dataset }: BulkOptions,
  sentences: ReadonlyMap<unknown, string>,
): DoneAction {
  const { action, id, index } = item;
  const refusal = 'entry' in item ? (sentences.get(item.entry) ?? null) : item.refusal.message;
  return { action, id, index: index === '' ? dataset : index, refusal };
}
