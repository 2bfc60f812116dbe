/** Reads a chat message that comes as a form: the fields, and the files, staged while they come or passed over. */
import type { FastifyRequest } from 'fastify';
import { explainRefusal, type SentFile } from '../../domain/files/messageFiles.ts';
import { receiveUpload, type UploadDeps } from '../../domain/files/uploads.ts';
import { limits } from '../../vocabulary.ts';
import { type FormFile, readForm } from '../bodies/formFields.ts';

export type StagingDeps = Pick<UploadDeps, 'staging' | 'fileSizeBytesMax'>;

/** Whoever gets one disposes of it. */
export type MessageForm = AsyncDisposable & {
  fields: ReadonlyMap<string, string>;
  files: readonly SentFile[];
};

export type FormWishes = { names: readonly string[]; keepsFiles: boolean };

const notKept = 'Files are kept with a token of the kind webhook.';

/** When it rejects, nothing of the files is left. */
export async function readMessageForm(
  deps: StagingDeps,
  request: FastifyRequest,
  { names, keepsFiles }: FormWishes,
): Promise<MessageForm> {
  await using staged = new AsyncDisposableStack();
  const files: SentFile[] = [];
  const stage = async ({ content }: FormFile): Promise<SentFile['content']> => {
    if (!keepsFiles) return { refusal: notKept };
    if (files.length > limits.chatFilesMax)
      return { refusal: `Of a message, ${limits.chatFilesMax} files are kept.` };
    try {
      // As if announced: what begins like no accepted format need not come whole to be refused.
      const terms = { bytesMax: deps.fileSizeBytesMax, declaredBytes: 0 };
      return staged.use(await receiveUpload(deps, content.iterator({ destroyOnReturn: false }), terms));
    } catch (error) {
      return { refusal: explainRefusal(error) };
    }
  };
  const takeFile = async (file: FormFile) => {
    const place = files.push({ filename: file.filename, content: { refusal: notKept } }) - 1;
    const content = await stage(file);
    files[place] = { filename: file.filename, content };
  };
  const formBytesMax = keepsFiles ? sumFileBytes(deps) : limits.chatFormBytesMax;
  const terms = { names, fieldBytesMax: limits.logBatchBytesMax, formBytesMax, takeFile };
  const fields = await readForm(request, terms);
  const kept = staged.move();
  return { fields, files: files.filter(isSent), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** As much as all files that are kept may take, and the fields beside them. */
function sumFileBytes({ fileSizeBytesMax }: StagingDeps): number {
  const files = limits.chatFilesMax * fileSizeBytesMax;
  return Math.max(limits.chatFormBytesMax, files + limits.logBatchBytesMax);
}

/** Browsers send an empty part without a name for a field in which no file was chosen. */
function isSent({ filename, content }: SentFile): boolean {
  return filename !== '' || 'refusal' in content || content.sizeBytes > 0;
}
