/**
 * Makes pictures of videos and sounds with FFmpeg. Prefers the system's FFmpeg, because it is faster. If there is none or it makes nothing,
 * uses the one that the service ships as WebAssembly. The demuxer follows from what the service found in the file.
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PreviewMaker, WantedPreview } from '@tapedeck/domain/ports/previews';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { isDiskFull } from '@tapedeck/durable-files';
import { mediaFormats } from '@tapedeck/media-facts';
import { listPosterCommands, listStripCommands, listWaveformCommands } from './commands.ts';
import { collectPicture } from './decodedPicture.ts';
import { type Decoder, type Decoding, type DecodingLimits, findDecoders } from './decoders.ts';
import { collectPeaks, drawWaveform } from './waveform.ts';

const demuxers: ReadonlyMap<string, string> = new Map(
  mediaFormats.flatMap(({ mimeType, demuxer }) => (demuxer === null ? [] : [[mimeType, demuxer]])),
);

type PreviewLimits = Readonly<
  Record<'picture' | 'sound', Required<Pick<DecodingLimits, 'timeMs' | 'processorSeconds'>>>
>;

const usualLimits: PreviewLimits = {
  picture: { timeMs: 15_000, processorSeconds: 10 }, // a still of a 30 MB clip in 1080p takes about a second
  sound: { timeMs: 60_000, processorSeconds: 25 }, // an hour of MP3 takes 13 s in WebAssembly
};
const retryAfterSeconds = 30;

export function openPreviewMaker(limits = usualLimits): PreviewMaker {
  let decoders: Promise<Decoder[]> | null = null;
  return {
    make: async (source, wanted) => {
      decoders ??= findDecoders();
      const found = await decoders;
      return await withCopy(source, file => makePicture(found, { file, wanted, limits }));
    },
  };
}

type Making = { file: string; wanted: WantedPreview; limits: PreviewLimits };

async function makePicture(
  decoders: readonly Decoder[],
  { file, wanted: { kind, mimeType, durationSeconds }, limits: { picture, sound } }: Making,
): Promise<Buffer | null> {
  const demuxer = demuxers.get(mimeType);
  if (demuxer === undefined) return null;
  const media = { demuxer, durationSeconds };
  if (kind === 'waveform') {
    const commands = listWaveformCommands(media);
    const peaks = await tryAll(decoders, commands, { file, limits: sound, collect: collectPeaks });
    return peaks && (await drawWaveform(peaks));
  }
  const commands = kind === 'poster' ? listPosterCommands(media) : listStripCommands(media);
  return await tryAll(decoders, commands, { file, limits: picture, collect: collectPicture });
}

/**
 * Returns the first result of any command. All commands share one time limit. Returns null if the file is at fault: it yields nothing, or
 * needs more work than a file gets.
 */
async function tryAll<T>(
  decoders: readonly Decoder[],
  commands: readonly Decoding<T>['command'][],
  { file, limits, collect }: Omit<Decoding<T>, 'command'>,
): Promise<T | null> {
  const endsAt = performance.now() + limits.timeMs;
  for (const decoder of decoders)
    for (const command of commands) {
      const startedAt = performance.now();
      const timeMs = Math.max(1, Math.floor(endsAt - startedAt));
      const made = await decoder.decode({ file, command, collect, limits: { ...limits, timeMs } });
      if (made !== null) return made;
      if (performance.now() >= endsAt) throw busyError();
      if (performance.now() - startedAt >= limits.processorSeconds * 1000 * nearlyAll) return null;
    }
  return null;
}

const nearlyAll = 0.9; // of the processor time limit of one decoding

/** The time limit passed before the processor time was used up. */
function busyError(): ServiceError {
  const sentence = 'This machine is too busy to make the preview. Try again in half a minute.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds });
}

async function withCopy<T>(source: Readable, work: (file: string) => Promise<T>): Promise<T> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(path.join(tmpdir(), 'tapedeck-preview-'));
    const file = path.join(folder, 'media');
    await pipeline(source, createWriteStream(file));
    return await work(file);
  } catch (cause) {
    throw isDiskFull(cause) ? noSpaceError(cause) : cause;
  } finally {
    source.destroy();
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

function noSpaceError(cause: unknown): ServiceError {
  const sentence =
    'The folder for temporary files is full, so no preview can be made: free some room there, or set TMPDIR to another folder.';
  return new ServiceError('disk_full', sentence, { cause });
}
