/** The rows of the metadata store in a backup: one JSON object a line, the same for every database. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { BackupPart } from '../../domain/ports/backup.ts';
import type { MetadataStore } from '../../domain/ports/metadata.ts';
import { writeChecked } from '../disk/checksums.ts';
import { requireUnchanged } from './damage.ts';

type Row = { table: string; row: Record<string, unknown> };

const fileName = 'rows.ndjson';

export function metadataPart(store: MetadataStore): BackupPart {
  return {
    name: 'metadata',
    save: async folder => {
      const counts: Record<string, number> = {};
      await writeChecked(path.join(folder, fileName), printRows(store.exportRows(), counts));
      return counts;
    },
    restore: async folder => {
      const file = path.join(folder, fileName);
      await requireUnchanged(file);
      await store.importRows(readRows(file));
    },
  };
}

async function* printRows(rows: AsyncIterable<Row>, counts: Record<string, number>): AsyncGenerator<string> {
  for await (const row of rows) {
    counts[row.table] = (counts[row.table] ?? 0) + 1;
    yield `${JSON.stringify(row)}\n`;
  }
}

async function* readRows(file: string): AsyncGenerator<Row> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  // Written by printRows.
  for await (const line of lines) if (line !== '') yield JSON.parse(line) as Row;
}
