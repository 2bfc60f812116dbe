/**
 * Makes a million library files, each computed from its number, and puts them into a database as uploads would: records in the store's own row
 * format, then folders, counts and usage from the records.
 */
import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { MediaType } from '@tapedeck/contract/vocabulary';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { bucketPositions } from '@tapedeck/file-index';
import { buildFileRow, listFolders, listMetadataEntries } from '@tapedeck/metadata-store/rows';
import pg from 'pg';

export const libraryFiles = 1_000_000;
const firstUploadAt = Date.UTC(2026, 0, 1);
const millisecondsApart = 20_000;
const rowsAtOnce = 5000;

const types: readonly MediaType[] = ['image', 'video', 'audio'];
const mimeTypes = { image: 'image/png', video: 'video/mp4', audio: 'audio/mpeg' } as const;
const extensions = { image: 'png', video: 'mp4', audio: 'mp3' } as const;
const words = ['Shot', 'round', 'Arrest', 'chase', 'Dashcam', 'meeting', 'crash'] as const;
const players = 10_000;

export const typeOf = (n: number) => types[n % 3] ?? 'image';
export const sizeOf = (n: number) => 1000 + ((n * 7919) % 10_000_000);
export const idOf = (n: number) => `file${String(n).padStart(16, '0')}`;
export const playerOf = (n: number) => (n * 31) % players;
/** A fifth are at the root. */
export const pathOf = (n: number) => (n % 5 === 0 ? '' : `server${n % 4}/day${n % 30}`);
export const nameOf = (n: number) =>
  `${words[((n * 13) % 101) % words.length] ?? ''} ${(n * 7) % 1_000_003}.${extensions[typeOf(n)]}`;
/** Pictures have no duration. */
export const secondsOf = (n: number) => (typeOf(n) === 'image' ? null : ((n * 37) % 360_000) / 100 + 0.5);
export const isExempt = (n: number) => n % 1000 === 7;

function makeFile(n: number): StoredFile {
  const type = typeOf(n);
  const path = pathOf(n);
  return {
    id: idOf(n),
    project: 'default',
    path,
    filename: nameOf(n),
    type,
    mimeType: mimeTypes[type],
    key: `${path === '' ? '' : `${path}/`}shot-${idOf(n)}.${extensions[type]}`,
    sizeBytes: sizeOf(n),
    sha256: idOf(n),
    retentionExempt: isExempt(n),
    metadata: { player: { id: playerOf(n), name: `Player ${playerOf(n)}` }, round: n % 97 },
    width: type === 'audio' ? null : 1920,
    height: type === 'audio' ? null : 1080,
    durationSeconds: secondsOf(n),
    createdAt: firstUploadAt + n * millisecondsApart,
    listedAt: firstUploadAt + n * millisecondsApart,
    visibility: null,
    blobSecret: null,
    sentSha256: null,
  };
}

type Row = Readonly<Record<string, string | number | null>>;
type Rows = { files: Row[]; file_folders: Row[]; file_metadata: Row[] };

function* makeRows(): Generator<Rows> {
  for (let first = 1; first <= libraryFiles; first += rowsAtOnce) {
    const rows: Rows = { files: [], file_folders: [], file_metadata: [] };
    for (let n = first; n < first + rowsAtOnce && n <= libraryFiles; n++) {
      const file = makeFile(n);
      const { project, type } = file;
      rows.files.push({ ...buildFileRow(file), position: n, listed_at: file.listedAt });
      for (const folder of listFolders(file.path))
        rows.file_folders.push({ project, folder, position: n, type });
      for (const entry of listMetadataEntries(file.metadata))
        rows.file_metadata.push({ project, entry, position: n });
    }
    yield rows;
  }
}

/** Sums up the uploads from their records. */
const sums = [
  `INSERT INTO file_counts (project, folder, bucket, type, files, bytes)
   SELECT found.project, folder, found.position / ${bucketPositions}, found.type, count(*), sum(size_bytes)
   FROM file_folders AS found JOIN files ON files.project = found.project AND files.position = found.position
   GROUP BY found.project, folder, found.position / ${bucketPositions}, found.type`,
  `INSERT INTO file_usage (project, last_position, files, bytes)
   SELECT project, max(position), count(*), sum(size_bytes) FROM files GROUP BY project`,
  'ANALYZE',
];

export function fillSqlite(file: string): void {
  using database = new DatabaseSync(file, { timeout: 30_000 });
  database.exec('PRAGMA synchronous = OFF');
  database.exec('PRAGMA cache_size = -400000');
  database.exec('BEGIN');
  for (const rows of makeRows())
    for (const [table, some] of Object.entries(rows)) {
      const columns = Object.keys(some[0] ?? {});
      const holes = columns.map(() => '?').join();
      const insert = database.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${holes})`);
      for (const row of some) insert.run(...columns.map(column => row[column] ?? null));
    }
  for (const statement of sums) database.exec(statement);
  database.exec('COMMIT');
}

export async function fillPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const rows of makeRows())
      for (const [table, some] of Object.entries(rows)) {
        const columns = Object.keys(some[0] ?? {}).join();
        const insert = `INSERT INTO ${table} (${columns})
          SELECT ${columns} FROM json_populate_recordset(null::${table}, $1)`;
        await client.query(insert, [JSON.stringify(some)]);
      }
    for (const statement of sums) await client.query(statement);
    await client.query('VACUUM'); // the server does the same soon after
  } finally {
    await client.end();
  }
}

/** Fixed, so that cookies and signatures survive restarts. */
export const librarySecret = randomBytes(24).toString('hex');
