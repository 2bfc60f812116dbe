/** Imports log files through the route for lines. Each file continues after its last stored line. */
import path from 'node:path';
import type { Destination } from './destination.ts';
import type { ImportCounts, ImportWatch } from './importReport.ts';
import type { ImportState } from './importState.ts';
import { LineFile, type LineFormat } from './lineFile.ts';
import { sendOnce, sendPending } from './pendingBatch.ts';

const linesName = 'lines.json';
const partLinesMax = 5_000;

type FileState = { headBytes: number; headHash: string; offset: number; lines: number; failed: number };
type LineState = Record<string, FileState>;

export type LineImportDeps = { destination: Destination; folder: ImportState; watch: ImportWatch };

/** `query`: the dataset, and the field names of an entry's parts. */
export type LineTerms = { query: Readonly<Record<string, string>>; format: LineFormat | null };

export async function importLines(
  deps: LineImportDeps,
  files: readonly string[],
  terms: LineTerms,
): Promise<ImportCounts> {
  const { destination, folder, watch } = deps;
  await sendPending(destination.remote, folder, destination.isSameToken);
  const state = (await folder.read<LineState>(linesName)) ?? {};
  const report = watch.openProgress('lines', null);
  const counts: ImportCounts = { found: 0, imported: 0, skipped: 0, failed: 0 };
  for (const file of files) {
    await using opened = await LineFile.open(file);
    const name = path.resolve(file);
    const begun = await findState(opened, state[name]);
    state[name] = begun;
    counts.found += begun.lines;
    counts.skipped += begun.lines - begun.failed;
    counts.failed += begun.failed;
    const format = terms.format ?? (/\.csv$/i.test(file) ? 'csv' : 'lines');
    for await (const { lines, endsAt } of opened.readParts(format, begun.offset)) {
      const failed = await sendLines(deps, { lines, name, query: terms.query, number: begun.lines });
      begun.offset = endsAt;
      begun.lines += lines.length;
      begun.failed += failed;
      await folder.write(linesName, state);
      counts.found += lines.length;
      counts.failed += failed;
      counts.imported += lines.length - failed;
      report({ rows: counts.found });
    }
  }
  return counts;
}

/** Continues with the same file. Another file under its name starts from the beginning. */
async function findState(file: LineFile, known: FileState | undefined): Promise<FileState> {
  if (known !== undefined) {
    const { bytes, hash } = await file.identify(known.headBytes);
    if (bytes === known.headBytes && hash === known.headHash) return known;
  }
  const { bytes, hash } = await file.identify();
  return { headBytes: bytes, headHash: hash, offset: 0, lines: 0, failed: 0 };
}

type Part = { lines: string[]; name: string; query: LineTerms['query']; number: number };

/** Resolves to the number of refused lines. */
async function sendLines(
  { destination, folder, watch }: LineImportDeps,
  { lines, name, query, number }: Part,
): Promise<number> {
  let failed = 0;
  for (let start = 0; start < lines.length; start += partLinesMax) {
    let rest = lines.slice(start, start + partLinesMax);
    while (rest.length > 0) {
      const place = `${name}:${number + start}`;
      const batch = { path: '/api/v3/logs/lines', query, type: 'text/plain', body: rest.join('\n'), place };
      const error = await sendOnce(destination.remote, folder, batch);
      if (error === null) break;
      const wrong = rest[error.index ?? 0];
      if (wrong === undefined) throw error;
      watch.refuse(`${path.basename(name)}, line "${wrong.slice(0, 60)}"`, error.message);
      failed += 1;
      rest = rest.filter((_, index) => index !== error.index);
    }
  }
  return failed;
}
