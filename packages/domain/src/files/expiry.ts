/** Deletes files that have reached their project's retention or the end of its trash. Exempt files expire only in the trash. */

import { dayMs } from '../instants.ts';
import type { ExpiredQuery, FileRecords, StoredFile, TrashedFile } from '../ports/files.ts';
import type { MetadataStore, Project } from '../ports/metadata.ts';
import { mediaTypes } from '../vocabulary.ts';
import { walkPages } from './pageIteration.ts';
import { type RemovalDeps, startRemovals, startTrashRemovals } from './removal.ts';
import { findEndedTrash } from './trash.ts';

export type ExpiryDeps = RemovalDeps & { store: Pick<MetadataStore, 'read'> };
export type ExpiryRun = { now: number; dryRun: boolean; signal: AbortSignal };
type ProjectExpiry = { project: string; files: number; bytes: number };

const filesPerTurn = 500; // one query's worth

/** Removes files due at `now`; with `dryRun` only counts them. Leaves out projects with nothing due. */
export async function removeExpiredFiles(deps: ExpiryDeps, run: ExpiryRun): Promise<ProjectExpiry[]> {
  const done: ProjectExpiry[] = [];
  const remove = startRemovals(deps);
  const removeTrashed = startTrashRemovals(deps);
  for (const project of await deps.store.read.projects.list()) {
    const expiry = { project: project.slug, files: 0, bytes: 0 };
    for await (const { file, isTrashed } of findDue(deps.files, project, run.now)) {
      run.signal.throwIfAborted();
      if (!run.dryRun && !(await (isTrashed ? removeTrashed : remove)(file))) continue;
      expiry.files += 1;
      expiry.bytes += file.sizeBytes;
    }
    if (expiry.files > 0) done.push(expiry);
  }
  return done;
}

type Expired = { file: StoredFile; isTrashed: boolean };

/** Yields each file that is due: by the retention rules, which also apply in the trash, or at the end of its time in the trash. */
async function* findDue(files: FileRecords, project: Project, now: number): AsyncGenerator<Expired> {
  const yielded = new Set<string>();
  for (const rule of listRules(project, now)) {
    for await (const file of findExpired(files, rule)) yield { file, isTrashed: false };
    for await (const file of findTrashed(files, rule)) {
      yielded.add(file.id);
      yield { file, isTrashed: true };
    }
  }
  for await (const file of findEndedTrash(files, project, now))
    if (!yielded.has(file.id)) yield { file, isTrashed: true };
}

type Rule = Omit<ExpiredQuery, 'limit' | 'after'>;

/** Folder rules take precedence, longest first. Each rule excludes subfolders that have their own rule. */
function listRules({ slug, retention }: Project, now: number): Rule[] {
  const folders = retention.folders.map(({ prefix }) => prefix);
  const rule = (days: number, more: Pick<Rule, 'type' | 'path' | 'exceptPaths'>): Rule => ({
    project: slug,
    exemptToo: false,
    uploadedBefore: now - days * dayMs,
    ...more,
  });
  const byFolder = retention.folders.flatMap(({ prefix, days }) => {
    if (days === null) return [];
    const exceptPaths = folders.filter(other => other.startsWith(`${prefix}/`));
    return [rule(days, { type: null, path: prefix, exceptPaths })];
  });
  const byType = mediaTypes.flatMap(type => {
    const days = retention.days[type];
    return days === null ? [] : [rule(days, { type, path: '', exceptPaths: folders })];
  });
  return [...byFolder, ...byType];
}

function findExpired(files: FileRecords, rule: Rule): AsyncGenerator<StoredFile> {
  return walkPages(filesPerTurn, after => files.listExpired({ ...rule, after, limit: filesPerTurn }));
}

async function* findTrashed(files: FileRecords, rule: Rule): AsyncGenerator<StoredFile> {
  const { project, uploadedBefore } = rule;
  const trashed = walkPages<TrashedFile>(filesPerTurn, last => {
    const after = last && { at: last.file.createdAt, id: last.file.id };
    return files.listTrashed({
      project,
      order: 'createdAt',
      before: uploadedBefore,
      after,
      limit: filesPerTurn,
    });
  });
  for await (const { file } of trashed) if (isMeant(rule, file)) yield file;
}

function isMeant({ type, path, exceptPaths, exemptToo }: Rule, file: StoredFile): boolean {
  if (file.retentionExempt && !exemptToo) return false;
  const liesIn = (folder: string) => file.path === folder || file.path.startsWith(`${folder}/`);
  return (type === null || file.type === type) && (path === '' || liesIn(path)) && !exceptPaths.some(liesIn);
}

const everything = {
  type: null,
  path: '',
  exceptPaths: [],
  uploadedBefore: Number.MAX_SAFE_INTEGER,
  exemptToo: true,
};

/** Removes files of deleted projects as if each file had been deleted. */
export async function removeFilesOfDeletedProjects(deps: ExpiryDeps, signal: AbortSignal): Promise<number> {
  let removed = 0;
  const remove = startRemovals(deps);
  const removeTrashed = startTrashRemovals(deps);
  for (const { slug } of await deps.store.read.projects.listDeleted()) {
    const all: Rule = { project: slug, ...everything };
    for await (const file of findExpired(deps.files, all)) {
      signal.throwIfAborted();
      if (await remove(file)) removed += 1;
    }
    for await (const file of findEndedTrash(deps.files, { slug, trashDays: null }, 0)) {
      signal.throwIfAborted();
      if (await removeTrashed(file)) removed += 1;
    }
  }
  return removed;
}
