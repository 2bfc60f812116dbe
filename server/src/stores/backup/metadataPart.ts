/** The metadata store's part of a backup: one JSON object a line, the same for every database. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { writeChecked } from '@tapedeck/durable-files';
import type { ExportedRow } from '@tapedeck/metadata-database';
import type { BackupPart } from '../../domain/ports/backup.ts';
import type { StoredFile } from '../../domain/ports/files.ts';
import type { MetadataStore } from '../../domain/ports/metadata.ts';
import { requireUnchanged } from '../backupDamage.ts';
import { type RowSelection, selectRows } from './rowSelection.ts';

const fileName = 'rows.ndjson';

export type MetadataPart = BackupPart & {
  /** The records of files among the rows that were just saved: bytes of others would come back without a record. */
  listFiles(): AsyncIterable<StoredFile>;
};

/** With a selection only those rows come back. */
export function metadataPart(store: MetadataStore, selection: RowSelection | null = null): MetadataPart {
  let savedFile: string | null = null;
  return {
    name: 'metadata',
    async *listFiles() {
      assert(savedFile !== null);
      for await (const row of readRows(savedFile)) {
        const file = store.readExportedFile(row);
        if (file !== null) yield file;
      }
    },
    isShared: false,
    save: async folder => {
      const counts: Record<string, number> = {};
      await writeChecked(path.join(folder, fileName), printRows(store.exportRows(), counts));
      savedFile = path.join(folder, fileName);
      return counts;
    },
    restore: async folder => {
      const file = path.join(folder, fileName);
      await requireUnchanged(file);
      const rows = readRows(file);
      await store.importRows(selection === null ? rows : selectRows(rows, selection));
    },
  };
}

async function* printRows(
  rows: AsyncIterable<ExportedRow>,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  for await (const row of rows) {
    counts[row.table] = (counts[row.table] ?? 0) + 1;
    yield `${JSON.stringify(row)}\n`;
  }
}

async function* readRows(file: string): AsyncGenerator<ExportedRow> {
  // Written by printRows.
  for await (const line of readLines(file)) yield JSON.parse(line) as ExportedRow;
}

/** A line ends with a line feed and nothing else: U+2028 and its like stand in JSON as they are. */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
