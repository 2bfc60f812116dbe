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
import type { FileVisibility, MediaType } from '../vocabulary.ts';
import type { MoveClaim } from './folderMoves.ts';
import type { SubjectList, SubjectPaths } from './logQueries.ts';

export type {
  FileFilter,
  FileIdentity,
  FilePlace,
  FileQuestion,
  FileSort,
  FileTimes,
  FileUsage,
} from '@tapedeck/file-index';

/** Bytes, key, type and size are fixed at upload; `FileChanges` lists the fields that may change. */
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
  /** By the clock of the node that received the upload. */
  createdAt: number;
  /** The time shown in lists. The store chooses it so that it never rises down a list, even if the nodes' clocks differ. */
  listedAt: number;
  /** null: the project's rules for its folder decide. */
  visibility: FileVisibility | null;
  /** The secret in the place of the bytes, as in `BlobName`; null: the place is public. Never leaves the service. */
  blobSecret: string | null;
  /** The hash of the bytes as sent, if locations were removed from them; null: same as `sha256`. */
  sentSha256: string | null;
};

/** Fields that may change after the upload. The key and all URLs stay the same. */
export type FileChanges = Pick<
  StoredFile,
  'filename' | 'path' | 'metadata' | 'retentionExempt' | 'visibility'
>;

export type TrashedFile = { file: StoredFile; trashedAt: number };

/** Newest first. `position` is a file's place in the project's upload order; later uploads have higher positions. */
export type FilePage = { files: StoredFile[]; positions: number[]; total: number };

export type FilePageQuery = {
  filter: FileFilter;
  limit: number;
  /** Either the number of files to skip, or the position below which the page begins. */
  from: { offset: number } | { belowPosition: number };
};

export type FileSearch = FileQuestion & {
  sort: FileSort;
  limit: number;
  /** Either the number of files to skip, or the place after which the page begins. */
  from: { offset: number } | { after: FilePlace };
};

/** null: the file matched, but was deleted before it was read. */
export type StreamedFile = { id: string; file: StoredFile | null };

/** `places` has one entry per file. */
type FileSearchPage = { files: StoredFile[]; places: FilePlace[]; total: number };
type TrashPage = { files: TrashedFile[]; places: FilePlace[]; total: number };

/** `files` and `bytes` include subfolders. */
export type FileFolder = { path: string; files: number; bytes: number };

export type FolderQuery = {
  /** '' is the project's own folder. */
  below: string;
  /** Counts only folders whose names start with this text (case-sensitive); '' for all. */
  namesBegin: string;
  /** Counts only files of this type. */
  type: MediaType | null;
  limit: number;
};

/** Files uploaded on a day that still exist. `day` counts from 1970-01-01, in UTC. */
export type FileDay = FileUsage & { day: number };

export type FileRemoval = { file: StoredFile; removedAt: number };

/**
 * Files of one folder that it does not list, and rows of its list without such a file. `miscounted` is how many types have a wrong count of
 * files or bytes. A folder has one finding for each 1,024 positions.
 */
export type FolderFinding = {
  problem: 'folder';
  project: string;
  folder: string;
  unlisted: number;
  stray: number;
  miscounted: number;
  repaired: boolean;
};

/** A count kept beside the files, and what they sum up to: the usage that quotas limit, the trash in it, or a day of uploads (2026-11-30). */
export type CountFinding = {
  problem: 'count';
  project: string;
  of: string;
  counted: FileUsage;
  actual: FileUsage;
  repaired: boolean;
};

/** How many files the searches by metadata miss, and how many they find by metadata that the file no longer has (2026-12-01). */
export type MetadataFinding = {
  problem: 'metadata';
  project: string;
  missed: number;
  wrong: number;
  repaired: boolean;
};

export type ListFinding = FolderFinding | CountFinding | MetadataFinding;

/** An upload's Idempotency-Key, hashed with its token, and a hash of the content sent with it. */
export type UploadKey = {
  scopeHash: string;
  contentHash: string;
  /** Unix milliseconds. */
  expiresAt: number;
};

export type StoredUpload = { contentHash: string; file: StoredFile };

export interface FileRecords {
  /**
   * Resolves once the record survives a power cut. Counts the file against the project's quotas in the same transaction: `quota_exceeded` if
   * it does not fit, `not_found` if the project is gone.
   */
  insert(file: StoredFile): Promise<void>;
  /** Like `insert`, but also stores the key. Returns false and stores nothing if an existing file was uploaded with the key. */
  insertKeyed(file: StoredFile, key: UploadKey): Promise<boolean>;
  /** Finds the file uploaded with a key. null if there is none, if it was deleted, or if the key expired by `now`. */
  findUpload(scopeHash: string, now: number): Promise<StoredUpload | null>;
  /** Removes expired keys. */
  removeUploadKeys(now: number): Promise<void>;
  /** Finds a file by id or by key; null if the project has none. */
  find(project: string, idOrKey: string): Promise<StoredFile | null>;
  /** Finds files of all projects, including the trash. Skips unknown ids. */
  findMany(ids: readonly string[]): Promise<StoredFile[]>;
  /** The total is exact for any filter. */
  list(project: string, query: FilePageQuery): Promise<FilePage>;
  /** The total is exact for any query and order. */
  search(project: string, search: FileSearch): Promise<FileSearchPage>;
  /** Yields all matching files in upload order. The set of files is fixed before the first page; each record is read with its page. */
  stream(
    project: string,
    question: FileQuestion & { order: FileSort['order'] },
  ): AsyncGenerator<StreamedFile[], void, undefined>;
  /** Preloads what the first search of a large project needs, and follows changes. Rejects with the signal's reason once aborted. */
  prepareSearches(signal: AbortSignal): Promise<void>;
  /** Finds files with the folder, name and size of any of these, newest first. Ignores the trash. */
  findAlike(project: string, alike: readonly FileIdentity[], limit: number): Promise<StoredFile[]>;
  /** Lists the subjects that files name, including private files but not the trash. */
  listSubjects(project: string, paths: SubjectPaths): Promise<SubjectList>;
  /** Sums up the files with this id at any of the paths, and lists their texts at other paths. null if there are no such files. */
  describeSubject(
    project: string,
    question: { idPaths: readonly string[]; id: string; paths: readonly string[] },
  ): Promise<FileProfile | null>;
  /** Sums up the files for each text at the path. Leaves out texts without files. */
  sumFiles(
    project: string,
    question: { path: string; texts: ReadonlySet<string> },
  ): Promise<ReadonlyMap<string, FileUsage>>;
  /** Counts the files in which each metadata path occurs. */
  countPaths(project: string): Promise<ReadonlyMap<string, number>>;
  /** Like `search`, in the trash. */
  searchTrash(project: string, search: FileSearch): Promise<TrashPage>;
  /** Returns the changed file; null if it is gone. `change` gets the current file and may be called twice. */
  update(file: StoredFile, change: (file: StoredFile) => FileChanges): Promise<StoredFile | null>;
  /**
   * Moves files of a project to other folders and counts them as moved, all or none. Returns false if one of them is no longer in its folder,
   * or if the process no longer holds the move.
   */
  changePaths(claim: MoveClaim, changes: readonly { file: StoredFile; path: string }[]): Promise<boolean>;
  /** Records a new place for the file's bytes, even in the trash. Returns false if the file is gone or its place has changed meanwhile. */
  relocate(file: StoredFile, blobSecret: string | null): Promise<boolean>;
  /** Removes the file from lists, counts and access; it still counts towards quotas. Returns false if there was none. */
  trash(file: StoredFile, now: number): Promise<boolean>;
  /** Finds a file in the trash by id or by key. */
  findTrashed(project: string, idOrKey: string): Promise<TrashedFile | null>;
  /** Puts the file back in its place. Returns false if it is no longer in the trash. */
  restore(file: StoredFile): Promise<boolean>;
  /** Like `remove`, for a file in the trash. */
  removeTrashed(file: StoredFile, now: number): Promise<boolean>;
  /** Lists files in the trash by when they were trashed or uploaded, if that was before an instant. Oldest first. */
  listTrashed(query: {
    project: string;
    order: 'trashedAt' | 'createdAt';
    before: number;
    /** The end of the previous page. */
    after: { at: number; id: string } | null;
    limit: number;
  }): Promise<TrashedFile[]>;
  /** Removes recorded changes that searches no longer need. */
  pruneChanges(): Promise<void>;
  /** Lists the direct subfolders of a folder by name. Leaves out folders without files. */
  listFolders(project: string, query: FolderQuery): Promise<FileFolder[]>;
  /** Removes the record and notes that the bytes must be deleted, both or neither. Durable once it resolves. Returns false if there was none. */
  remove(file: StoredFile, now: number): Promise<boolean>;
  /** Lists files whose bytes must still be deleted, by age, then id; `after` is where the previous page ended. */
  listRemovals(query: {
    after: { removedAt: number; fileId: string } | null;
    limit: number;
  }): Promise<FileRemoval[]>;
  /** Returns those of the ids whose bytes must still be deleted. */
  findRemovals(fileIds: readonly string[]): Promise<string[]>;
  /** Notes that the bytes are deleted. */
  finishRemoval(fileId: string): Promise<void>;
  /** Lists all files by id, including the trash, for comparison with the blob store; `afterId` continues. */
  listAll(query: { afterId: string; limit: number }): Promise<StoredFile[]>;
  /** Lists expired files by age, then id. */
  listExpired(query: ExpiredQuery): Promise<StoredFile[]>;
  /**
   * Compares folders, counts, usage and the index of metadata of all projects with their files. Changes during the check are no findings. Rebuilds what differs only if
   * told.
   */
  checkLists(options: { repair: boolean }): AsyncGenerator<ListFinding, void, undefined>;
  usage(project: string): Promise<FileUsage>;
  /** May leave out types without files. */
  usageByType(project: string): Promise<ReadonlyMap<MediaType, FileUsage>>;
  /** Returns usage by day, in order, including both ends. Leaves out days without files. */
  usageByDay(project: string, span: { fromDay: number; toDay: number }): Promise<FileDay[]>;
}

/** Selects files inside the folder ('' for all) but outside `exceptPaths`, uploaded before the instant. */
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

/** Counts the uses of presigned tokens. The service claims a use before an upload and gives it back if the upload fails. */
export interface PresignedUses {
  /**
   * Returns false if all uses are taken, or may have been: if counts up to `expiresAt` were removed, and the token does not say with
   * `forgottenUntil` that it was made after that. Durable.
   */
  claim(use: {
    tokenId: string;
    usesMax: number;
    expiresAt: number;
    forgottenUntil: number | null;
  }): Promise<boolean>;
  giveBack(tokenId: string): Promise<void>;
  /** Returns how many uses are taken. */
  count(tokenId: string): Promise<number>;
  /** Returns the latest end of a token whose count was removed. It lies ahead if the clock was ahead when it was. null: none was removed. */
  findForgottenUntil(): Promise<number | null>;
  /** Removes counts that ended before `now`; none while `findForgottenUntil` lies ahead. */
  forgetExpired(now: number): Promise<void>;
}
