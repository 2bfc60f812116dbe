/** Reads a chat message from a form: its fields, and its files, which it stages or skips. */
import type { Readable } from 'node:stream';
import { isFilePart } from '@tapedeck/chat-messages';
import { explainRefusal, type SentFile } from '@tapedeck/domain/files/messageFiles';
import { receiveUpload, type UploadDeps } from '@tapedeck/domain/files/uploads';
import { limits } from '@tapedeck/domain/vocabulary';
import { type FormFile, readForm } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { shareKeyOf } from '../authentication.ts';

export type StagingDeps = Pick<UploadDeps, 'staging' | 'fileSizeBytesMax'>;

/** The receiver must dispose of it. */
type MessageForm = AsyncDisposable & {
  fields: ReadonlyMap<string, string>;
  files: readonly SentFile[];
};

type FormOptions = { names: readonly string[]; keepsFiles: boolean };

export const filesNotKept = 'Files are stored only with a token of the kind webhook.';

/** If it rejects, no staged files remain. */
export async function readMessageForm(
  deps: StagingDeps,
  request: FastifyRequest,
  { names, keepsFiles }: FormOptions,
): Promise<MessageForm> {
  await using staged = new AsyncDisposableStack();
  const files: SentFile[] = [];
  const stage = async ({ content }: FormFile): Promise<SentFile['content']> => {
    if (!keepsFiles) return { refusal: filesNotKept };
    if (files.length > limits.chatFilesMax)
      return { refusal: `At most ${limits.chatFilesMax} files of a message are stored.` };
    try {
      // Declares 0 bytes, so that a file in no accepted format is refused before all of it arrives.
      const options = { bytesMax: deps.fileSizeBytesMax, declaredBytes: 0 };
      return staged.use(await receiveUpload(deps, content.iterator({ destroyOnReturn: false }), options));
    } catch (error) {
      return { refusal: explainRefusal(error) };
    }
  };
  const takeFile = async (file: FormFile) => {
    const place = files.push({ filename: file.filename, content: { refusal: filesNotKept } }) - 1;
    const content = await stage(file);
    files[place] = { filename: file.filename, content };
  };
  const formBytesMax = keepsFiles ? sumFileBytes(deps) : limits.chatFormBytesMax;
  const options = {
    names,
    fieldBytesMax: limits.logBatchBytesMax,
    formBytesMax,
    isFile: isFilePart,
    takeFile,
  };
  // On a route that declares `stream`, the body is the readable request.
  const sent = { headers: request.headers, body: request.body as Readable, holder: shareKeyOf(request) };
  const fields = await readForm(sent, options);
  const kept = staged.move();
  return { fields, files: files.filter(isSent), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** The most bytes of a message: all kept files, and what comes beside them. */
export function sumFileBytes({ fileSizeBytesMax }: StagingDeps): number {
  const files = limits.chatFilesMax * fileSizeBytesMax;
  return Math.max(limits.chatFormBytesMax, files + limits.logBatchBytesMax);
}

/** Browsers send an empty part without a name if the user chose no file. */
function isSent({ filename, content }: SentFile): boolean {
  return filename !== '' || 'refusal' in content || content.sizeBytes > 0;
}
