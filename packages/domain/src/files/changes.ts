/** Changes a file's name, folder, metadata, retention exemption and visibility. Key and URLs stay. */
import { isObject } from '@tapedeck/values/json';
import type { Reader } from '../identity/principals.ts';
import type { StoredFile } from '../ports/files.ts';
import type { FileVisibility } from '../vocabulary.ts';
import { changeWithRelocation, type RelocationDeps } from './blobRelocation.ts';
import { findFile, noFileError } from './fileLookup.ts';
import { type FileMetadata, parseFileMetadata } from './fileMetadata.ts';
import { parseFolderPath } from './folderPath.ts';
import { parseFilename } from './naming.ts';
import { permitByScopes } from './permissions.ts';

type ChangeDeps = RelocationDeps;

/** Absent fields stay unchanged. */
type FileEdits = {
  /** '': no name. */
  filename?: string;
  /** '' is the project's own folder. */
  path?: string;
  /** A merge patch (RFC 7396); null removes everything. */
  metadata?: Readonly<Record<string, unknown>> | null;
  retentionExempt?: boolean;
  /** null: the project's rules for its folder decide. */
  visibility?: FileVisibility | null;
};

export async function editFile(
  deps: ChangeDeps,
  reader: Reader,
  { idOrKey, edits }: { idOrKey: string; edits: FileEdits },
): Promise<Record<'before' | 'after', StoredFile>> {
  const before = await findFile(deps, reader, idOrKey);
  const path = edits.path === undefined ? undefined : parseFolderPath(edits.path);
  const filename = edits.filename === undefined ? undefined : parseFilename(edits.filename);
  if (path !== undefined) permitByScopes(reader.scopes).choosePath(path);
  const update = () =>
    deps.files.update(before, file => ({
      filename: filename === '' ? nameUnnamed(file) : (filename ?? file.filename),
      path: path ?? file.path,
      metadata: edits.metadata === undefined ? file.metadata : patchMetadata(file.metadata, edits.metadata),
      retentionExempt: edits.retentionExempt ?? file.retentionExempt,
      visibility: edits.visibility === undefined ? file.visibility : edits.visibility,
    }));
  const changed = await changeSeen(deps, before, {
    update,
    mayMove: path !== undefined || edits.visibility !== undefined,
  });
  if (changed === null) throw noFileError();
  return { before, after: changed };
}

type Change = { update: () => Promise<StoredFile | null>; mayMove: boolean };

/** Applies the change at once. If it hides or publishes the file, the bytes move. */
async function changeSeen(
  deps: ChangeDeps,
  file: StoredFile,
  { update, mayMove }: Change,
): Promise<StoredFile | null> {
  const change = async () => {
    const changed = await update();
    if (changed !== null) deps.publicFiles.forget(changed);
    return changed;
  };
  if (!mayMove) return await change();
  const changed = await changeWithRelocation(deps, file, change);
  return changed && (await deps.files.find(file.project, file.id));
}

function nameUnnamed({ id, key }: StoredFile): string {
  return id + key.slice(key.lastIndexOf('.'));
}

/** The limits apply to the patched result. */
function patchMetadata(metadata: StoredFile['metadata'], patch: FileEdits['metadata']): FileMetadata {
  return patch ? parseFileMetadata(mergePatch(metadata, parseFileMetadata(patch))) : {};
}

function mergePatch(target: unknown, patch: FileMetadata): FileMetadata {
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, isObject(value) ? mergePatch(merged.get(name), value) : value);
  }
  return Object.fromEntries(merged);
}
