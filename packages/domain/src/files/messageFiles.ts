/** Stores the files of a chat message, or says why one was rejected. */
import { createHash } from 'node:crypto';
import type { Attachment } from '@tapedeck/chat-messages';
import { newNumericId } from '@tapedeck/values/random-ids';
import type { TokenPrincipal } from '../identity/principals.ts';
import type { Scopes } from '../identity/scopes.ts';
import type { StagedFile } from '../ports/blobs.ts';
import type { StoredFile } from '../ports/files.ts';
import { errorStatuses, isExpected } from '../vocabulary.ts';
import { makeFileUrls, parseFilename, type UrlDeps } from './naming.ts';
import { allowsPath, permitByScopes } from './permissions.ts';
import { type RemovalDeps, removeFile } from './removal.ts';
import { storeUpload, type UploadDeps } from './uploads.ts';

export type MessageFileDeps = UploadDeps & RemovalDeps & UrlDeps;

/** `content`: the staged file, or why it is not kept. */
export type SentFile = { filename: string; content: StagedFile | { refusal: string } };

/** The files of a message. They are stored before its log entries, which refer to them. */
export type MessageFiles = {
  /** Identifies the files: a message with different files is a different message. */
  fingerprint: Buffer;
  /** Their names, before they are stored. */
  announced: readonly Attachment[];
  keep(): Promise<readonly Attachment[]>;
  release(): Promise<void>;
};

type Folder = { caller: TokenPrincipal; path: string };

/** The sender of a message, and the default folder if the token names none. */
type Sender = { caller: TokenPrincipal; usualFolder: string };

const unnamed = 'file';

/** The caller disposes of the staged files. */
export function openMessageFiles(
  deps: MessageFileDeps,
  { caller, usualFolder }: Sender,
  sent: readonly SentFile[],
): MessageFiles {
  const folder = { caller, path: chooseFolder(caller.scopes, usualFolder) };
  const kept: StoredFile[] = [];
  const release = async () => {
    for (const file of kept.splice(0)) await removeFile(deps, file);
  };
  const keepOne = async ({ filename, content }: SentFile): Promise<Attachment> => {
    if ('refusal' in content) return refuse(filename, content.refusal);
    try {
      const file = await keepFile(deps, folder, { filename, staged: content });
      kept.push(file);
      return describe(deps, caller, file);
    } catch (error) {
      return refuse(filename, explainRefusal(error));
    }
  };
  return {
    fingerprint: identify(sent),
    announced: sent.map(({ filename }) => refuse(filename, '')),
    release,
    keep: async () => {
      const attachments: Attachment[] = [];
      try {
        for (const file of sent) attachments.push(await keepOne(file));
        return attachments;
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

/** Returns the sentence for a file that no retry can save. Rethrows errors that are not the file's fault. */
export function explainRefusal(error: unknown): string {
  const isOfFile =
    isExpected(error) &&
    ([400, 403, 413, 415].includes(errorStatuses[error.code]) || error.code === 'quota_exceeded');
  if (!isOfFile) throw error;
  return error.message;
}

function chooseFolder(scopes: Scopes, usualFolder: string): string {
  return allowsPath(scopes, usualFolder) ? usualFolder : (scopes.paths?.[0] ?? usualFolder);
}

async function keepFile(
  deps: UploadDeps,
  { caller, path }: Folder,
  { filename, staged }: { filename: string; staged: StagedFile },
): Promise<StoredFile> {
  return await storeUpload(deps, {
    project: caller.project.slug,
    staged,
    id: newNumericId(), // libraries parse attachment ids as numbers
    readFields: () => ({
      filename: parseFilename(filename),
      path,
      metadata: {},
      retentionExempt: false,
      visibility: null,
    }),
    permission: permitByScopes(caller.scopes),
    idempotencyKey: null, // the message has one
  });
}

function describe(deps: UrlDeps, { project }: TokenPrincipal, file: StoredFile): Attachment {
  const { id, filename, mimeType, sizeBytes, width, height } = file;
  return { filename, mimeType, sizeBytes, id, url: makeFileUrls(deps, project, file).url, width, height };
}

function refuse(filename: string, refusal: string): Attachment {
  return { filename: filename.toWellFormed().replaceAll('\0', '_') || unnamed, refusal };
}

function identify(sent: readonly SentFile[]): Buffer {
  const list = sent.map(({ filename, content }) => [
    filename,
    'refusal' in content ? content.refusal : content.sha256,
  ]);
  return createHash('sha256').update(JSON.stringify(list)).digest();
}
