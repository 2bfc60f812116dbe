/** Inserts a million files as rows, by SQL that both databases accept: the same rows as from uploads, in a thousandth of the time. */
import { bucketPositions } from '@tapedeck/file-index';
import { nameMetadataEntry } from '@tapedeck/metadata-store/rows';

const folders = 20;
const players = 10_000;

/** Returns statements that fill an empty database, which must not get other uploads meanwhile. */
export function composeFixture(count: number): string[] {
  const entries = Array.from(
    { length: players },
    (_, player) => `(${player}, '${nameMetadataEntry('player', String(player))}')`,
  );
  return [
    `INSERT INTO files (id, project, position, key, path, filename, filename_folded, type, mime_type, size_bytes, sha256,
       metadata, retention_exempt, width, height, created_at)
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}),
       named AS (SELECT n, 'file' || substr(CAST(10000000000000000 + n AS TEXT), 2) AS id, 'folder' || (n % ${folders}) AS path
         FROM numbers)
     SELECT id, 'default', n, path || '/' || id || '.png', path, 'shot ' || n || '.png', 'shot ' || n || '.png',
       CASE n % 3 WHEN 0 THEN 'image' WHEN 1 THEN 'audio' ELSE 'video' END, 'image/png', 100, id,
       '{"player":' || (n % ${players}) || '}', 0, 1, 1, 1700000000000 + n FROM named`,
    `INSERT INTO file_folders (project, folder, position, type)
     SELECT project, '', position, type FROM files UNION ALL SELECT project, path, position, type FROM files`,
    `INSERT INTO file_counts (project, folder, bucket, type, files)
     SELECT project, folder, position / ${bucketPositions}, type, count(*) FROM file_folders
     GROUP BY project, folder, position / ${bucketPositions}, type`,
    'CREATE TABLE bench_entries (player integer, entry text)',
    `INSERT INTO bench_entries VALUES ${entries.join()}`,
    `INSERT INTO file_metadata (project, entry, position)
     SELECT project, entry, position FROM files JOIN bench_entries ON player = position % ${players}`,
    'DROP TABLE bench_entries',
    `INSERT INTO file_usage (project, last_position, files, bytes) VALUES ('default', ${count}, ${count}, ${count * 100})`,
    'ANALYZE',
  ];
}
