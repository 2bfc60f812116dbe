/** Reads a body that contains files. Stages the files one by one as they arrive, or skips them, and decodes the rest whole. */
import type { Readable } from 'node:stream';
import { explainRefusal, type SentFile } from '@tapedeck/domain/files/messageFiles';
import { receiveUpload } from '@tapedeck/domain/files/uploads';
import { limits } from '@tapedeck/domain/vocabulary';
import type { FileSeparator } from '@tapedeck/log-protocols';
import {
  type DecodedBody,
  readSeparated,
  requireKnownEncoding,
  requireLength,
} from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { shareKeyOf } from '../authentication.ts';
import { decodeLogBody } from '../logs/logRequests.ts';
import { filesNotKept, type StagingDeps, sumFileBytes } from '../logs/messageForms.ts';

/** `rest`: the body without its files. The receiver must dispose of it. */
type BodyWithFiles = AsyncDisposable & { rest: DecodedBody; files: readonly SentFile[] };

type SeparationOptions = { separator: FileSeparator; keepsFiles: boolean };

export async function readWithFiles(
  deps: StagingDeps,
  request: FastifyRequest,
  { separator, keepsFiles }: SeparationOptions,
): Promise<BodyWithFiles> {
  await using staged = new AsyncDisposableStack();
  const files: SentFile[] = [];
  const stage = async (content: AsyncIterable<Buffer>): Promise<SentFile['content']> => {
    if (!keepsFiles) return { refusal: filesNotKept };
    if (files.length >= limits.chatFilesMax)
      return { refusal: `At most ${limits.chatFilesMax} files of a message are stored.` };
    try {
      // Declares 0 bytes, so that a file in no accepted format is refused before all of it arrives.
      const options = { bytesMax: deps.fileSizeBytesMax, declaredBytes: 0 };
      return staged.use(await receiveUpload(deps, content, options));
    } catch (error) {
      return { refusal: explainRefusal(error) };
    }
  };
  const bytes = await readRest(deps, request, {
    separator,
    takeFile: async ({ filename, content }) => {
      files.push({ filename, content: await stage(content) });
    },
  });
  const rest = await decodeLogBody({ bytes, contentEncoding: undefined, holder: shareKeyOf(request) });
  staged.defer(async () => rest[Symbol.dispose]());
  const kept = staged.move();
  return { rest, files, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

type Taking = Pick<Parameters<typeof readSeparated>[1], 'separator' | 'takeFile'>;

async function readRest(deps: StagingDeps, request: FastifyRequest, taking: Taking): Promise<Buffer> {
  const bytesMax = sumFileBytes(deps);
  requireLength(request.headers, bytesMax);
  const contentEncoding = request.headers['content-encoding'];
  requireKnownEncoding(contentEncoding);
  // On a route that declares `stream`, the body is the readable request, or absent.
  const body = request.body as Readable | null | undefined;
  if (!body) return Buffer.alloc(0);
  const restBytesMax = limits.logBatchBytesMax;
  return readSeparated(body, {
    ...taking,
    contentEncoding,
    holder: shareKeyOf(request),
    bytesMax,
    restBytesMax,
  });
}
