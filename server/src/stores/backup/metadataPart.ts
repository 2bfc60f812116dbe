/** The metadata store's part of a backup: one JSON object per line, the same for every database. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { BackupPart } from '@tapedeck/domain/ports/backup';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { writeChecked } from '@tapedeck/durable-files';
import type { ExportedRow } from '@tapedeck/metadata-database';
import { requireUnchanged } from '../backupDamage.ts';
import { type RowSelection, selectRows } from './rowSelection.ts';

const fileName = 'rows.ndjson';

export type MetadataPart = BackupPart & {
  /** Lists the file records among the rows just saved. Bytes of other files would come back without a record. */
  listFiles(): AsyncIterable<StoredFile>;
};

/** With a selection, restores only those rows. */
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
  // Written by `printRows`.
  for await (const line of readLines(file)) yield JSON.parse(line) as ExportedRow;
}

/** Splits only at line feeds, because JSON may hold U+2028 and similar characters unescaped. */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
