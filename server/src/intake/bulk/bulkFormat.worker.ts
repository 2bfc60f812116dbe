/** The format of bulk requests. The answer has an item for each action. */
import { extname } from 'node:path';
import { type BulkItem, readBulk, writeBulk } from '@tapedeck/log-protocols';
import { type EntryFormat, readTranslatedHere } from '../entryFormat.ts';
import { findSent, type Places, wording } from '../protocol/judge.ts';

type BulkOptions = Places & { index: string | null };

/** So many actions that were alike, and why they were not done; null: they were. */
export type DoneActions = Pick<BulkItem, 'action' | 'index' | 'id'> & {
  count: number;
  refusal: string | null;
};

export const format: EntryFormat<BulkOptions> = {
  module: new URL(`./bulkFormat.worker${extname(import.meta.url)}`, import.meta.url).href,
  readHere: readTranslatedHere,
  plain: null,
  plainSent: {
    write(task, body, { index, dataset }) {
      const written = writeBulk(task, body, { ...wording, index });
      if (written === null) return null;
      const { traceId, runs } = written;
      const shown = runs.map(run => ({ ...run, index: run.index || dataset, refusal: null }));
      return { traceId, shown: shown satisfies DoneActions[] };
    },
  },
  read(body, options, rules) {
    const items = readBulk(body, { ...wording, index: options.index });
    const entries = items.flatMap(item => ('entry' in item ? [item.entry] : []));
    const sentences = new Map<unknown, string>();
    return findSent(
      { entries, places: options, rules },
      {
        refuse: (index, { message }) => void sentences.set(entries[index], message),
        show: () => items.map(item => describe(item, options, sentences)),
      },
    );
  },
};

function describe(
  item: BulkItem,
  { dataset }: BulkOptions,
  sentences: ReadonlyMap<unknown, string>,
): DoneActions {
  const { action, id, index } = item;
  const refusal = 'entry' in item ? (sentences.get(item.entry) ?? null) : item.refusal.message;
  return { action, id, index: index === '' ? dataset : index, count: 1, refusal };
}
