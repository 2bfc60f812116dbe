/** Imports the files of another service, oldest first, each once, and compares size and hash with the original. */
import { mkdir, rm } from 'node:fs/promises';
import { ApiError } from '@tapedeck/client';
import { Misuse } from '@tapedeck/command-line';
import { Failure } from '@tapedeck/values/failure';
import type { Destination } from './destination.ts';
import { type Download, downloadFile, measureReach, type Reach } from './downloads.ts';
import { FileCatalogue } from './fileCatalogue.ts';
import { findStored, type StoredFile, storeFile } from './fileStoring.ts';
import type { ImportCounts, ImportWatch } from './importReport.ts';
import type { ImportState } from './importState.ts';
import type { Source } from './source.ts';
import type { SourceFile } from './sourceShapes.ts';

const downloadsAtOnce = 4; // gentle on the source, and enough to hide its latency
const roundsMax = 3; // for files that arrive during the import
const doneName = 'done.ndjson';

/** An imported file: its former id and addresses, and its new ones. */
export type DoneFile = { id: string; from: readonly string[]; to: StoredFile };

export type FileImportDeps = {
  source: Source;
  destination: Destination;
  folder: ImportState;
  watch: ImportWatch;
};

type Outcome = { counts: ImportCounts; done: readonly DoneFile[] };

export async function importFiles(deps: FileImportDeps, since: string | null): Promise<Outcome> {
  const { source, folder, watch } = deps;
  const done = new Map((await folder.readLines<DoneFile>(doneName)).map(file => [file.id, file]));
  const catalogue = new FileCatalogue(source, folder, since === null ? null : Date.parse(since));
  const reach = await measureReach(source.baseUrl);
  const counts: ImportCounts = { found: 0, imported: 0, skipped: 0, failed: 0 };
  const report = watch.openProgress('files', null);
  let bytes = 0;
  for (let round = 1; round <= roundsMax; round++) {
    const before = counts.found;
    const wanted = bringAll(deps, reach, { files: catalogue.readNew(), done });
    for await (const { file, outcome } of wanted) {
      requireTime(file, since);
      counts.found += 1;
      counts[outcome.kind] += 1;
      if (outcome.kind === 'failed') watch.refuse(`File ${file.id}`, outcome.sentence);
      if (outcome.kind === 'imported') bytes += outcome.bytes;
      report({ files: counts.found, bytes });
    }
    if (counts.found === before) break;
  }
  return { counts, done: [...done.values()] };
}

/** Refuses `--since` for a file whose age is unknown. */
function requireTime({ createdAtMs }: SourceFile, since: string | null): void {
  if (since !== null && createdAtMs === null)
    throw new Misuse('The source does not say when its files were stored; leave out --since.');
}

type FileOutcome =
  | { kind: 'imported'; bytes: number }
  | { kind: 'skipped' }
  | { kind: 'failed'; sentence: string };
type Brought = { file: SourceFile; outcome: FileOutcome };

/** Downloads several files at once but stores them one by one, to keep their order. */
async function* bringAll(
  deps: FileImportDeps,
  reach: Reach,
  { files, done }: { files: AsyncIterable<SourceFile>; done: Map<string, DoneFile> },
): AsyncGenerator<Brought> {
  const drafts = deps.folder.file('downloads');
  await rm(drafts, { recursive: true, force: true });
  await mkdir(drafts, { recursive: true });
  const waiting: { file: SourceFile; download: Promise<Fetched> }[] = [];
  let number = 0;
  const finishFirst = async (): Promise<Brought | null> => {
    const first = waiting.shift();
    if (first === undefined) return null;
    return {
      file: first.file,
      outcome: await finish(deps, first.file, { fetched: await first.download, done }),
    };
  };
  for await (const file of files) {
    const target = `${drafts}/${number++ % (2 * downloadsAtOnce)}`;
    const download = fetchMissing(deps, { file, target, reach, isDone: done.has(file.id) });
    waiting.push({ file, download });
    const brought = waiting.length >= downloadsAtOnce ? await finishFirst() : null;
    if (brought !== null) yield brought;
  }
  for (let brought = await finishFirst(); brought !== null; brought = await finishFirst()) yield brought;
}

type Fetched = { stored: StoredFile | null; content: (Download & { file: string }) | null; error: unknown };
type Missing = { file: SourceFile; target: string; reach: Reach; isDone: boolean };

/** Never rejects, because the caller awaits it later. */
async function fetchMissing(
  { source, destination }: FileImportDeps,
  { file, target, reach, isDone }: Missing,
): Promise<Fetched> {
  const nothing = { stored: null, content: null, error: null };
  if (isDone) return nothing;
  try {
    const stored = await findStored(destination, file);
    if (stored !== null) return { ...nothing, stored };
    const download = await downloadFile({ source: source.baseUrl, file, target, reach });
    return { ...nothing, content: { ...download, file: target } };
  } catch (error) {
    return { ...nothing, error };
  }
}

async function finish(
  { destination, folder }: FileImportDeps,
  file: SourceFile,
  { fetched, done }: { fetched: Fetched; done: Map<string, DoneFile> },
): Promise<FileOutcome> {
  const record = async (to: StoredFile) => {
    const record = { id: file.id, from: file.urls, to };
    done.set(file.id, record);
    await folder.addLine(doneName, record);
  };
  const { stored, content, error } = fetched;
  if (error !== null) return describeFailure(error);
  if (stored !== null) await record(stored);
  if (content === null) return { kind: 'skipped' };
  const { id, urls, filename, path, metadata, retentionExempt } = file;
  const named = { ...metadata, imported: { id, url: urls[0] ?? '' } };
  try {
    const given = { name: id, filename, path, metadata: named, retentionExempt };
    await record(await storeFile(destination, given, content));
    return { kind: 'imported', bytes: content.sizeBytes };
  } catch (reason) {
    return describeFailure(reason);
  } finally {
    await rm(content.file, { force: true });
  }
}

/** An error of one file affects only that file; an error of a service ends the run. */
function describeFailure(error: unknown): FileOutcome {
  const isOfFile = error instanceof ApiError && [400, 404, 410, 413, 415, 422].includes(error.status);
  const isUnreadable =
    error instanceof ApiError && error.code === 'source_unreadable' && ![429, 503].includes(error.status);
  if (isOfFile || isUnreadable || error instanceof Failure)
    return { kind: 'failed', sentence: error.message };
  throw error;
}
