/** Reads entries and writes them out, until there are no more or the output closes. */

import { type Reading, readEntries } from './entryReader.ts';
import { type EntryLook, formatEntry, type TerminalEntry } from './entryText.ts';
import type { Output } from './output.ts';
import type { EntrySource } from './source.ts';

type Shown = {
  reading: Reading;
  /** null: one JSON value per line. */
  look: EntryLook | null;
  output: Output;
  /** The note if there are more entries than the limit; null if the user set the limit. */
  moreNote: string | null;
};

/** Resolves to the number of entries shown. */
export async function showEntries(
  source: EntrySource,
  { reading, look, output, moreNote }: Shown,
): Promise<number> {
  let count = 0;
  let hasMore = false;
  output.progress = 'Searching …';
  const events = {
    onProgress: (entries: number) => {
      output.progress = `Searching … ${entries} entries so far`;
    },
    onMore: () => {
      hasMore = true;
    },
    onBreak: (error: Error | null) =>
      output.printNote(error ? `${error.message} Reconnecting; nothing is lost.` : 'Following again.'),
  };
  for await (const entry of readEntries(source, reading, events)) {
    if (output.closed.aborted) break;
    await output.write(look ? formatEntry(entry, look) : writeJson(entry));
    count++;
    output.progress = `${count} entries`;
  }
  output.progress = '';
  if (hasMore && moreNote !== null) output.printNote(moreNote);
  return count;
}

function writeJson(entry: TerminalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
