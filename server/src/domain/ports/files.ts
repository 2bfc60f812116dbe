/** Port to the records of files: storing, counting, finding and deleting them. */
import type {
  FileFilter,
  FileIdentity,
  FilePlace,
  FileProfile,
  FileQuestion,
  FileSort,
  FileUsage,
} from '@tapedeck/file-index';
import type { FileVisibility, MediaType } from '../../vocabulary.ts';
import type { MoveClaim } from './folderMoves.ts';
import type { SubjectDirectory, SubjectPaths } from './logQueries.ts';

export type {
  FileFilter,
  FileIdentity,
  FilePlace,
  FileQuestion,
  FileSort,
  FileTimes,
  FileUsage,
} from '@tapedeck/file-index';

/** The bytes, and with them key, type and size, are fixed when the file is uploaded; see `FileChanges` for the rest. */
export type StoredFile = {
  id: string;
  project: string;
  /** `[path/]<stem>-<id>.<ext>` */
  key: string;
  /** '' is the project's own folder. */
  path: string;
  filename: string;
  type: MediaType;
  mimeType: string;
  sizeBytes: number;
  /** Hexadecimal, lower case. */
  sha256: string;
  metadata: Readonly<Record<string, unknown>>;
  retentionExempt: boolean;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  /** Measured by the clock of the node that took it. */
  createdAt: number;
  /** The time in lists: it never rises down a list, even if the clocks of nodes differ. The store chooses it. */
  listedAt: number;
  /** null: as the rules of the project say of its folder. */
  visibility: FileVisibility | null;
  /** The secret in the place of its bytes, as in `BlobName`; null: a public place. Never leaves the service. */
  blobSecret: string | null;
  /** The hash of the bytes as they were sent, if places were removed from them; null: the same as `sha256`. */
  sentSha256: string | null;
};

/** Fields that may change after the upload. The key stays, and so does every URL. */
export type FileChanges = Pick<
  StoredFile,
  'filename' | 'path' | 'metadata' | 'retentionExempt' | 'visibility'
>;

/** A file in the trash. */
export type TrashedFile = { file: StoredFile; trashedAt: number };

/** Newest first. `position` is a file's place in the order of its project's uploads: later ones have larger ones. */
export type FilePage = { files: StoredFile[]; positions: number[]; total: number };

export type FilePageQuery = {
  filter: FileFilter;
  limit: number;
  /** Either files to pass over, or the position below which the page begins. */
  from: { offset: number } | { belowPosition: number };
};

export type FileSearch = FileQuestion & {
  sort: FileSort;
  limit: number;
  /** Either files to pass over, or the place behind which the page begins. */
  from: { offset: number } | { after: FilePlace };
};

/** null: it matched, and went before it was read. */
export type StreamedFile = { id: string; file: StoredFile | null };

/** Each file with its place. */
type FileSearchPage = { files: StoredFile[]; places: FilePlace[]; total: number };
type TrashPage = { files: TrashedFile[]; places: FilePlace[]; total: number };

/** `files` and `bytes` count those below, too. */
export type FileFolder = { path: string; files: number; bytes: number };

export type FolderQuery = {
  /** '' is the project's own folder. */
  below: string;
  /** Counts only folders whose names start with this text, in the same letter case; '' for all. */
  namesBegin: string;
  /** Counts only files of this type. */
  type: MediaType | null;
  limit: number;
};

/** A day's uploads that still exist. `day` counts from 1970-01-01, in UTC. */
export type FileDay = FileUsage & { day: number };

export type FileRemoval = { file: StoredFile; removedAt: number };

/** An Idempotency-Key of an upload, hashed with its token, and what it was sent with. */
export type UploadKey = {
  scopeHash: string;
  contentHash: string;
  /** Unix milliseconds. */
  expiresAt: number;
};

export type StoredUpload = { contentHash: string; file: StoredFile };

export interface FileRecords {
  /**
   * Resolves once the record survives a power cut. Counts it against the project's quotas in the same transaction:
   * `quota_exceeded` where it does not fit, `not_found` where the project is gone.
   */
  insert(file: StoredFile): Promise<void>;
  /** Like `insert`, together with the key. False, with nothing stored, when an existing file was stored under the key. */
  insertKeyed(file: StoredFile, key: UploadKey): Promise<boolean>;
  /** The file that was stored under a key; null when there is none, when it was deleted, and when the key has expired by `now`. */
  findUpload(scopeHash: string, now: number): Promise<StoredUpload | null>;
  /** Forgets keys that have expired. */
  removeUploadKeys(now: number): Promise<void>;
  /** Finds a file by id or by key; null if the project has none. */
  find(project: string, idOrKey: string): Promise<StoredFile | null>;
  /** Finds files of all projects, including the trash; unknown ids are left out. */
  findMany(ids: readonly string[]): Promise<StoredFile[]>;
  /** Exact for any filter. */
  list(project: string, query: FilePageQuery): Promise<FilePage>;
  /** Exact for any query and order. */
  search(project: string, search: FileSearch): Promise<FileSearchPage>;
  /**
   * All that match, in the order of their uploads. Which ones is settled before the first page comes; the record of each is as it is
   * when its page is read.
   */
  stream(
    project: string,
    question: FileQuestion & { order: FileSort['order'] },
  ): AsyncGenerator<StreamedFile[], void, undefined>;
  /** Reads ahead what the first search of a large project would wait for, and follows what changed since. Rejects with the signal's reason once it is aborted. */
  prepareSearches(signal: AbortSignal): Promise<void>;
  /** Files with the folder, name and size of any of these, newest first. Those in the trash are none. */
  findAlike(project: string, alike: readonly FileIdentity[], limit: number): Promise<StoredFile[]>;
  /** Whom files name, private ones included; those in the trash name nobody. */
  listSubjects(project: string, paths: SubjectPaths): Promise<SubjectDirectory>;
  /** Totals over the files with this id at any of the paths, and their texts at other paths; null without such files. */
  describeSubject(
    project: string,
    question: { idPaths: readonly string[]; id: string; paths: readonly string[] },
  ): Promise<FileProfile | null>;
  /** Totals over the files with each text at the path; texts without files are left out. */
  sumFiles(
    project: string,
    question: { path: string; texts: ReadonlySet<string> },
  ): Promise<ReadonlyMap<string, FileUsage>>;
  /** The paths of metadata that occur, and in how many files. */
  countPaths(project: string): Promise<ReadonlyMap<string, number>>;
  /** The same among the files in the trash. */
  searchTrash(project: string, search: FileSearch): Promise<TrashPage>;
  /** Returns the changed file; null if it is gone. `change` gets the current file and may be called twice. */
  update(file: StoredFile, change: (file: StoredFile) => FileChanges): Promise<StoredFile | null>;
  /**
   * Gives files of a project other folders and counts them as moved, all or none. False when one of them is no longer in its folder, and
   * when the process does not hold the move any more.
   */
  changePaths(claim: MoveClaim, changes: readonly { file: StoredFile; path: string }[]): Promise<boolean>;
  /** Moves the file's bytes to another place, even in the trash. False if it is gone, or if its place has changed meanwhile. */
  relocate(file: StoredFile, blobSecret: string | null): Promise<boolean>;
  /** Out of lists, counts and reach, while it counts towards quotas. False when there was none. */
  trash(file: StoredFile, now: number): Promise<boolean>;
  /** Finds a file in the trash by id or by key. */
  findTrashed(project: string, idOrKey: string): Promise<TrashedFile | null>;
  /** Puts the file back in its place. False when it is no longer in the trash. */
  restore(file: StoredFile): Promise<boolean>;
  /** Like `remove`, for a file in the trash. */
  removeTrashed(file: StoredFile, now: number): Promise<boolean>;
  /** Files trashed before the instant, the oldest first. */
  listTrashed(query: {
    project: string;
    trashedBefore: number;
    /** The end of the previous page. */
    after: { trashedAt: number; id: string } | null;
    limit: number;
  }): Promise<TrashedFile[]>;
  /** Trashed files uploaded before the instant, the oldest upload first; `after` is the end of the previous page. */
  listTrashedUploads(query: {
    project: string;
    uploadedBefore: number;
    after: { createdAt: number; id: string } | null;
    limit: number;
  }): Promise<TrashedFile[]>;
  /** Forgets changes that searches no longer need. */
  pruneChanges(): Promise<void>;
  /** The direct subfolders of a folder, sorted by name, without those that hold no file. */
  listFolders(project: string, query: FolderQuery): Promise<FileFolder[]>;
  /**
   * Forgets the file and remembers that its bytes must go, both or neither; durable when it resolves.
   * False when there was none.
   */
  remove(file: StoredFile, now: number): Promise<boolean>;
  /** Files whose bytes must still go, the longest waiting first, then by id; `after` is where the page before ended. */
  listRemovals(query: {
    after: { removedAt: number; fileId: string } | null;
    limit: number;
  }): Promise<FileRemoval[]>;
  /** The ids of those among them whose bytes must still go. */
  findRemovals(fileIds: readonly string[]): Promise<string[]>;
  /** The bytes are gone. */
  finishRemoval(fileId: string): Promise<void>;
  /** Lists all files in the order of ids, including the trash, for comparisons; `afterId` continues. */
  listAll(query: { afterId: string; limit: number }): Promise<StoredFile[]>;
  /** Lists expired files by age, then id; see the query. */
  listExpired(query: ExpiredQuery): Promise<StoredFile[]>;
  usage(project: string): Promise<FileUsage>;
  /** Types without files may be left out. */
  usageByType(project: string): Promise<ReadonlyMap<MediaType, FileUsage>>;
  /** Usage of each day in order, both ends included; days without files are left out. */
  usageByDay(project: string, span: { fromDay: number; toDay: number }): Promise<FileDay[]>;
}

/** Files inside the folder ('' for all), in none of the others, uploaded before the instant. */
export type ExpiredQuery = {
  project: string;
  type: MediaType | null;
  path: string;
  exceptPaths: readonly string[];
  uploadedBefore: number;
  /** Whether to include files that are exempt from retention. */
  exemptToo: boolean;
  /** The end of the previous page. */
  after: { createdAt: number; id: string } | null;
  limit: number;
};

/** How often a presigned token has been used, claimed before an upload and given back when it fails. */
export interface PresignedUses {
  /** False when all uses are taken. Durable. `expiresAt` tells when the count may be forgotten. */
  claim(use: { tokenId: string; usesMax: number; expiresAt: number }): Promise<boolean>;
  giveBack(tokenId: string): Promise<void>;
  /** How many are taken. */
  count(tokenId: string): Promise<number>;
  forgetExpired(now: number): Promise<void>;
}
