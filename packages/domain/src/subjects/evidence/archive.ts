/** Streams evidence as an archive: log entries, files, a page and a signed manifest. Holds no part whole in memory. */
import { createHash, type Hash } from 'node:crypto';
import { openArchiveNames, type ZipEntry } from '@tapedeck/zip-archives';
import { narrowFilter } from '../../files/fileLookup.ts';
import { nameBlob } from '../../files/naming.ts';
import type { Reader } from '../../identity/principals.ts';
import type { BlobStore, Staging } from '../../ports/blobs.ts';
import type { FileRecords, StoredFile, StreamedFile } from '../../ports/files.ts';
import type { LogEntry, LogQueries } from '../../ports/logQueries.ts';
import type { SignedNote } from '../notes.ts';
import { anyFile, readFileTimes, type TimelineQuestion } from '../timeline.ts';
import {
  composeSignature,
  composeSigned,
  csvPath,
  filesFolder,
  findSizeMax,
  type ManifestEntry,
  type ManifestHead,
  type MissingFile,
  manifestPath,
  manifestTail,
  ndjsonPath,
  notesPath,
  pagePath,
  signaturePath,
  writeManifestHead,
} from './manifest.ts';
import { EvidencePage } from './page.ts';
import type { EvidenceKey } from './signing.ts';

export type EvidenceDeps = {
  logQueries: Pick<LogQueries, 'streamEntries'>;
  files: Pick<FileRecords, 'stream'>;
  blobs: Pick<BlobStore, 'placeOf' | 'read'>;
  staging: Staging;
};

type EvidenceForms = {
  ndjson(entry: LogEntry): string;
  csvHead: string;
  csv(entry: LogEntry): string;
  file(file: StoredFile): unknown;
  note(note: SignedNote): unknown;
};

type EvidenceOrder = {
  reader: Reader;
  question: TimelineQuestion;
  /** The team's notes about the subject, newest first; null: left out. */
  notes: readonly SignedNote[] | null;
  head: ManifestHead;
  key: EvidenceKey;
  forms: EvidenceForms;
  signal: AbortSignal;
};

/** The caller must read each archive entry to its end before taking the next. */
export async function* composeEvidence(deps: EvidenceDeps, order: EvidenceOrder): AsyncGenerator<ZipEntry> {
  const { head, key } = order;
  await using csv = new Spool(deps.staging);
  await using manifest = new Spool(deps.staging);
  const page = new EvidencePage();
  const madeAt = Date.parse(head.createdAt);
  let isFirst = true;
  const note = async (line: ManifestEntry | MissingFile) => {
    await manifest.write(`${isFirst ? '' : ',\n'}${JSON.stringify(line)}`);
    isFirst = false;
  };
  await manifest.write(writeManifestHead(head));
  const files = streamFiles(deps, order);
  const begun = await files.next(); // fixes the set of files before the log entries are written
  const add = async function* (
    entry: Pick<ManifestEntry, 'path' | 'modifiedAt' | 'file'>,
    bytes: AsyncIterable<Uint8Array>,
    size: number,
  ) {
    const sums = { hash: createHash('sha256'), size: 0 };
    yield zip({ ...entry, size }, watch(bytes, sums));
    await note({ ...entry, size: sums.size, sha256: sums.hash.digest('hex') });
  };
  yield* add({ path: ndjsonPath, modifiedAt: madeAt }, listEntries(deps, order, { csv, page }), 0);
  yield* add({ path: csvPath, modifiedAt: madeAt }, csv.stream(), 0);
  const names = openArchiveNames();
  for await (const { id, file } of listFiles(begun, files)) {
    const bytes = file && (await readBytes(deps, file));
    if (file === null || bytes === null) {
      page.addMissing(file);
      await note({ missing: true, file: file === null ? { id } : order.forms.file(file) });
      continue;
    }
    const path = names.assign({
      folders: [filesFolder, ...file.path.split('/').filter(Boolean)],
      name: file.filename,
    });
    page.addFile(file, path);
    const record = order.forms.file(file);
    yield* add({ path, modifiedAt: file.createdAt, file: record }, bytes, file.sizeBytes);
  }
  if (order.notes !== null) {
    page.addNotes(order.notes);
    const notes = Buffer.from(`${JSON.stringify(order.notes.map(order.forms.note), null, 2)}\n`);
    yield* add({ path: notesPath, modifiedAt: madeAt }, one(notes), notes.length);
  }
  const html = Buffer.from(page.compose(head));
  yield* add({ path: pagePath, modifiedAt: madeAt }, one(html), html.length);
  await manifest.write(manifestTail);
  const sha256 = manifest.digest();
  yield zip({ path: manifestPath, modifiedAt: madeAt, size: 0 }, manifest.stream());
  const signature = key.sign(composeSigned(sha256));
  const signed = Buffer.from(
    composeSignature({ manifestSha256: sha256, publicKey: key.publicKey, signature }),
  );
  yield zip({ path: signaturePath, modifiedAt: madeAt, size: signed.length }, one(signed));
}

function zip(
  entry: Pick<ManifestEntry, 'path' | 'modifiedAt' | 'size'>,
  bytes: AsyncIterable<Uint8Array>,
): ZipEntry {
  const sizeBytesMax = findSizeMax(entry);
  const { path, modifiedAt } = entry;
  return {
    path,
    modifiedAt: new Date(modifiedAt),
    bytes,
    ...(sizeBytesMax !== undefined && { sizeBytesMax }),
  };
}

async function* watch(
  bytes: AsyncIterable<Uint8Array>,
  sums: { hash: Hash; size: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    sums.hash.update(chunk);
    sums.size += chunk.byteLength;
    yield chunk;
  }
}

/** Oldest first. Writes both formats in one pass over the log entries. */
async function* listEntries(
  { logQueries }: EvidenceDeps,
  { question, head, forms, signal }: EvidenceOrder,
  { csv, page }: { csv: Spool; page: EvidencePage },
): AsyncGenerator<Uint8Array> {
  await csv.write(forms.csvHead);
  if (head.kind === 'file') return;
  const batches = logQueries.streamEntries(question.entries, { order: 'asc', after: null }, signal);
  for await (const entries of batches) {
    await csv.write(entries.map(forms.csv).join(''));
    for (const entry of entries) page.addEntry(entry);
    yield Buffer.from(entries.map(forms.ndjson).join(''));
  }
}

type Stream = ReturnType<FileRecords['stream']>;

/** Oldest first. */
async function* streamFiles(
  { files }: EvidenceDeps,
  { reader, question, head, signal }: EvidenceOrder,
): Stream {
  if (head.kind === 'entry') return;
  const pages = files.stream(reader.project.slug, {
    filter: narrowFilter(reader, anyFile),
    times: readFileTimes(question.entries),
    query: question.files,
    order: 'asc',
  });
  for await (const page of pages) {
    signal.throwIfAborted();
    yield page;
  }
}

async function* listFiles(
  begun: IteratorResult<StreamedFile[], void>,
  files: Stream,
): AsyncGenerator<StreamedFile> {
  if (begun.done) return;
  yield* begun.value;
  for await (const page of files) yield* page;
}

async function readBytes({ blobs }: EvidenceDeps, file: StoredFile): ReturnType<BlobStore['read']> {
  return await blobs.read(blobs.placeOf(nameBlob(file), null), { start: 0, end: file.sizeBytes });
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Collects text on disk while other archive entries are written; it is read afterwards. */
class Spool implements AsyncDisposable {
  readonly #file: ReturnType<Staging['create']>;
  readonly #hash = createHash('sha256');

  constructor(staging: Staging) {
    this.#file = staging.create();
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    await this.#file.append([bytes]);
  }

  digest(): string {
    return this.#hash.digest('hex');
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    yield* await this.#file.stream();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}
