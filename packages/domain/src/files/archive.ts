/** Streams a ZIP of all matching files. Holds neither the files nor their list in memory: the list waits on disk and ends the archive. */
import { createHash } from 'node:crypto';
import { Gate } from '@tapedeck/concurrency/gate';
import type { FileQuery } from '@tapedeck/log-query-language';
import { openArchiveNames, writeZip, type ZipEntry } from '@tapedeck/zip-archives';
import type { Reader } from '../identity/principals.ts';
import type { BlobStore, Staging, StagingFile } from '../ports/blobs.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileFilter, FileRecords, StoredFile, StreamedFile } from '../ports/files.ts';
import { ServiceError } from '../vocabulary.ts';
import { narrowFilter } from './fileLookup.ts';
import { nameBlob } from './naming.ts';

export type ArchiveDeps = {
  files: FileRecords;
  blobs: BlobStore;
  staging: Staging;
  clock: Clock;
  archiveGate: Gate;
};

type ArchiveQuestion = {
  filter: FileFilter;
  query: FileQuery | null;
  /** The request, repeated in the list. */
  request: { query: string } & Readonly<Record<string, unknown>>;
  /** Returns the record as readers see it. */
  write(file: StoredFile): Record<string, unknown>;
};

const listName = 'manifest.json';
const triesMax = 3;
const archivesMax = 8; // each keeps its file names in memory: about 25 MB for 100,000

/** A single project may use half of the slots. */
export function openArchiveGate(): Gate {
  return new Gate(archivesMax, { leavesRoom: true });
}

/** Resolves once the first files are found. The caller must read the archive or call `return`. */
export async function openArchive(
  deps: ArchiveDeps,
  reader: Reader,
  question: ArchiveQuestion,
): Promise<AsyncGenerator<Uint8Array, void, undefined>> {
  const project = reader.project.slug;
  const pass = deps.archiveGate.tryEnter(project);
  if (pass === null) throw tooManyError();
  try {
    const found = findAll(deps.files, reader, question);
    const first = await found.next();
    async function* all() {
      if (!first.done) yield first.value;
      yield* found;
    }
    return holdPass(pass, writeArchive(deps, { project, question, found: all() }));
  } catch (error) {
    pass[Symbol.dispose]();
    throw error;
  }
}

async function* holdPass(
  pass: Disposable,
  archive: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  using _ = pass;
  // Starts before the first read, so that `return` always releases the slot.
  yield new Uint8Array();
  yield* archive;
}

function tooManyError(): ServiceError {
  const sentence = 'Too many archives are being downloaded; try again when one of them is complete.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 30 });
}

async function* findAll(
  files: FileRecords,
  reader: Reader,
  { filter, query }: ArchiveQuestion,
): AsyncGenerator<StreamedFile> {
  const question = { filter: narrowFilter(reader, filter), times: null, query, order: 'desc' } as const;
  for await (const page of files.stream(reader.project.slug, question)) yield* page;
}

type Writing = { project: string; question: ArchiveQuestion; found: AsyncIterable<StreamedFile> };

async function* writeArchive(
  deps: ArchiveDeps,
  { project, question, found }: Writing,
): AsyncGenerator<Uint8Array, void, undefined> {
  await using list = deps.staging.create();
  const note = openList(list);
  yield* writeZip(listEntries());

  async function* listEntries(): AsyncGenerator<ZipEntry> {
    const names = openArchiveNames();
    names.assign({ folders: [], name: listName });
    const head = { project, ...question.request, createdAt: writeTime(deps.clock.now()) };
    await note.add(`${JSON.stringify(head).slice(0, -1)},"files":[`);
    let isFirst = true;
    for await (const { id, file } of found) {
      const sum = { hash: createHash('sha256'), bytes: 0 };
      const bytes = file && (await openBytes(deps, file));
      let path: string | null = null;
      if (file !== null && bytes !== null) {
        path = names.assign({ folders: file.path === '' ? [] : file.path.split('/'), name: nameFile(file) });
        const { sizeBytes, createdAt } = file;
        yield { path, modifiedAt: new Date(createdAt), bytes: sumUp(bytes, sum), sizeBytesMax: sizeBytes };
      }
      const outcome = file === null || path === null ? missing : describeOutcome(file, sum);
      const line = { path, ...outcome, record: file === null ? { id } : question.write(file) };
      await note.add(`${isFirst ? '' : ','}\n${JSON.stringify(line)}`);
      isFirst = false;
    }
    await note.add('\n]}\n');
    await note.flush();
    yield {
      path: listName,
      modifiedAt: new Date(deps.clock.now()),
      bytes: await list.stream(),
      compressed: true,
    };
  }
}

/** Adds the content's extension if the name lacks it, because systems open files by extension. */
function nameFile({ filename, key }: StoredFile): string {
  const extension = key.slice(key.lastIndexOf('.'));
  return filename.toLowerCase().endsWith(extension) ? filename : `${filename}${extension}`;
}

type Outcome = {
  status: 'complete' | 'missing' | 'incomplete' | 'damaged';
  sha256: string | null;
  bytes: number;
};

const missing: Outcome = { status: 'missing', sha256: null, bytes: 0 };

function describeOutcome(
  { sizeBytes, sha256 }: StoredFile,
  sum: { hash: ReturnType<typeof createHash>; bytes: number },
): Outcome {
  const found = sum.hash.digest('hex');
  const isComplete = sum.bytes === sizeBytes;
  const status = !isComplete ? 'incomplete' : found === sha256 ? 'complete' : 'damaged';
  return { status, sha256: found, bytes: sum.bytes };
}

async function* sumUp(
  bytes: AsyncIterable<Uint8Array>,
  sum: { hash: ReturnType<typeof createHash>; bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    sum.hash.update(chunk);
    sum.bytes += chunk.byteLength;
    yield chunk;
  }
}

/** Opens the file; null if it was deleted. Ends early if it is deleted while being read. */
async function openBytes(deps: ArchiveDeps, file: StoredFile): Promise<AsyncGenerator<Uint8Array> | null> {
  const first = await readFrom(deps, file, 0);
  if (first === null) return null;
  let opened = first;
  return (async function* () {
    let position = 0;
    for (let tries = 1; position < file.sizeBytes; tries += 1) {
      try {
        for await (const chunk of opened) {
          position += chunk.byteLength;
          yield chunk;
        }
        if (position >= file.sizeBytes) return;
      } catch (error) {
        if (tries === triesMax) throw error;
      }
      const more = tries === triesMax ? null : await readFrom(deps, file, position);
      if (more === null) return;
      opened = more;
    }
  })();
}

/** Reads the file from `start`. Its bytes may move meanwhile if its visibility changes. */
async function readFrom(
  { blobs, files }: ArchiveDeps,
  file: StoredFile,
  start: number,
): Promise<AsyncIterable<Uint8Array> | null> {
  const range = { start, end: file.sizeBytes };
  const read = await blobs.read(blobs.placeOf(nameBlob(file), null), range);
  if (read !== null) return read;
  const now = await files.find(file.project, file.id);
  return now === null ? null : await blobs.read(blobs.placeOf(nameBlob(now), null), range);
}

/** Batches lines into larger writes. */
function openList(file: StagingFile) {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    if (waitingBytes === 0) return;
    await file.append(waiting);
    waiting = [];
    waitingBytes = 0;
  };
  return {
    flush,
    add: async (text: string) => {
      const bytes = Buffer.from(text);
      waiting.push(bytes);
      waitingBytes += bytes.byteLength;
      if (waitingBytes >= file.appendBytes) await flush();
    },
  };
}

function writeTime(at: number): string {
  return new Date(at).toISOString();
}
