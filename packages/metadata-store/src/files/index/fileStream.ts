/**
 * Streams all matching files, page by page. It settles the matches at the start, so that files deleted before their page still appear.
 * Until then it remembers each file's position and id: about 30 bytes.
 */

import type { FileSort, StoredFile, StreamedFile } from '@tapedeck/domain/ports/files';
import { type MatchedBlock, positionOf } from '@tapedeck/file-index';
import type { Queries } from '../../schema.ts';
import { parseFile } from '../rows.ts';

const filesPerPage = 500; // one query's worth
const idsSeparator = '\n'; // no id holds it

/** The positions and ids of a page. */
type SettledPage = { positions: Float64Array; ids: string };

type Stream = { project: string; folder: string; order: FileSort['order'] };

export async function settleStream(
  reading: Queries,
  matched: readonly MatchedBlock[],
  { project, order }: Stream,
): Promise<SettledPage[]> {
  const pages: SettledPage[] = [];
  let positions: number[] = [];
  const settle = async () => {
    if (positions.length > 0) pages.push(await settlePage(reading, project, positions));
    positions = [];
  };
  for (const position of listPositions(matched, order)) {
    positions.push(position);
    if (positions.length === filesPerPage) await settle();
  }
  await settle();
  return pages;
}

function* listPositions(matched: readonly MatchedBlock[], order: FileSort['order']): Generator<number> {
  for (const { columns, mask } of order === 'asc' ? matched : matched.toReversed())
    for (let step = 0; step < mask.length; step++) {
      const index = order === 'asc' ? step : mask.length - 1 - step;
      if (mask[index] === 1) yield positionOf(columns, index);
    }
}

async function settlePage(reading: Queries, project: string, positions: number[]): Promise<SettledPage> {
  const rows = await reading
    .selectFrom('files')
    .select(['position', 'id'])
    .where('project', '=', project)
    .where('position', 'in', positions)
    .execute();
  const ids = new Map(rows.map(({ position, id }) => [position, id]));
  const there = positions.filter(position => ids.has(position));
  return {
    positions: Float64Array.from(there),
    ids: there.map(position => ids.get(position)).join(idsSeparator),
  };
}

/** Files that were deleted or left the requested folder come without their records. */
export async function* readSettled(
  reading: Queries,
  pages: readonly SettledPage[],
  { project, folder }: Stream,
): AsyncGenerator<StreamedFile[]> {
  for (const { positions, ids } of pages) {
    if (positions.length === 0) continue;
    const rows = await reading
      .selectFrom('files')
      .selectAll()
      .where('project', '=', project)
      .where('position', 'in', [...positions])
      .execute();
    const files = new Map(rows.map(row => [row.id, parseFile(row)]));
    yield ids.split(idsSeparator).map(id => {
      const file = files.get(id);
      return { id, file: file !== undefined && isInside(file, folder) ? file : null };
    });
  }
}

function isInside({ path }: StoredFile, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
