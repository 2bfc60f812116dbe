/** A million files as rows, put in by SQL: as uploads would have left them, in a thousandth of the time. */
import { DatabaseSync } from 'node:sqlite';
import {
  bucketPositions,
  buildFileRow,
  listMetadataEntries,
} from '../server/src/stores/metadata/files/rows.ts';

const folders = 20;
const players = 10_000;
const types = ['image', 'audio', 'video'] as const;
const rowsPerTransaction = 50_000;

/** The service may be running; nothing of it is uploaded meanwhile. */
export async function fillWithFiles(file: string, count: number): Promise<void> {
  using database = new DatabaseSync(file, { timeout: 30_000 });
  const first = buildFileRow(makeFile(1));
  const names = [...Object.keys(first), 'position'];
  const insert = (table: string, columns: readonly string[]) =>
    database.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`);
  const intoFiles = insert('files', names);
  const intoFolders = insert('file_folders', ['project', 'folder', 'position', 'type']);
  const intoMetadata = insert('file_metadata', ['project', 'entry', 'position']);
  database.exec('BEGIN');
  for (let position = 1; position <= count; position += 1) {
    const made = makeFile(position);
    intoFiles.run(...(Object.values(buildFileRow(made)) as (string | number | null)[]), position);
    for (const folder of ['', made.path]) intoFolders.run('default', folder, position, made.type);
    for (const entry of listMetadataEntries(made.metadata)) intoMetadata.run('default', entry, position);
    if (position % rowsPerTransaction === 0) database.exec('COMMIT; BEGIN');
  }
  database.exec(`INSERT INTO file_counts (project, folder, bucket, type, files)
    SELECT project, folder, position / ${bucketPositions}, type, count(*) FROM file_folders GROUP BY 1, 2, 3, 4;
    INSERT OR REPLACE INTO file_usage (project, last_position, files, bytes) VALUES ('default', ${count}, ${count}, ${count * 100});
    COMMIT`);
}

function makeFile(position: number) {
  const id = `file${String(position).padStart(16, '0')}`;
  const path = `folder${position % folders}`;
  return {
    ...{ id, project: 'default', key: `${path}/${id}.png`, path, filename: `shot ${position}.png` },
    ...{ type: types[position % types.length] ?? 'image', mimeType: 'image/png', sizeBytes: 100, sha256: id },
    ...{ metadata: { player: position % players }, retentionExempt: false, width: 1, height: 1 },
    ...{ durationSeconds: null, createdAt: 1_700_000_000_000 + position },
  };
}
