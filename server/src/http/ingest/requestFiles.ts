/** Stages the files of a request's body one by one, or skips them. */
import { Readable } from 'node:stream';
import type { RequestFile } from '@tapedeck/log-protocols';
import { explainRefusal, type SentFile } from '../../domain/files/messageFiles.ts';
import { receiveUpload } from '../../domain/files/uploads.ts';
import { limits } from '../../vocabulary.ts';
import { filesNotKept, type StagingDeps } from '../logs/messageForms.ts';

/** The receiver must dispose of it. */
type StagedFiles = AsyncDisposable & { files: readonly SentFile[] };

export async function stageFiles(
  deps: StagingDeps,
  sent: readonly RequestFile[],
  keepsFiles: boolean,
): Promise<StagedFiles> {
  await using staged = new AsyncDisposableStack();
  const stage = async ({ bytes }: RequestFile, index: number): Promise<SentFile['content']> => {
    if (!keepsFiles) return { refusal: filesNotKept };
    if (index >= limits.chatFilesMax)
      return { refusal: `Of a message, ${limits.chatFilesMax} files are kept.` };
    try {
      const options = { bytesMax: deps.fileSizeBytesMax, declaredBytes: bytes.length };
      return staged.use(await receiveUpload(deps, Readable.from([bytes]), options));
    } catch (error) {
      return { refusal: explainRefusal(error) };
    }
  };
  const files: SentFile[] = [];
  for (const [index, file] of sent.entries())
    files.push({ filename: file.filename, content: await stage(file, index) });
  const kept = staged.move();
  return { files, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
