/**
 * Takes stills out of videos with the machine's own FFmpeg, where there is one. It meets bytes of strangers: so it is a process of its
 * own with bounds on memory and time, which reads one file and no other, in the container that the service has found.
 */
import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { FilmedFile, StillMaker } from '../../domain/ports/stills.ts';

const timeMsMax = 15_000; // a still of a clip of 30 MB in 1080p takes less than a second
const processorSecondsMax = 10;
const addressKibMax = 1_500_000; // of memory that it may ask for; it uses less than a tenth
const pictureBytesMax = 30_000_000; // a PNG of 1,920 pixels takes six million at most
const widthMax = 1920; // the largest size that can be asked for
const firstSecondMax = 3; // the very first pictures are often black

/** FFmpeg's names of the containers. */
const demuxers: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
  'video/x-matroska': 'matroska',
  'video/ogg': 'ogg',
  'video/mpeg': 'mpeg',
};

export function openFfmpegStills(): StillMaker {
  let known: Promise<boolean> | null = null;
  const look = () =>
    promisify(execFile)('ffmpeg', ['-version']).then(
      () => true,
      () => false,
    );
  return {
    isAvailable: () => {
      known ??= look();
      return known;
    },
    make,
  };
}

async function make(source: Readable, { mimeType, durationSeconds }: FilmedFile): Promise<Buffer | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tapedeck-still-'));
  try {
    const file = path.join(folder, 'video');
    await pipeline(source, createWriteStream(file));
    const demuxer = demuxers[mimeType];
    if (demuxer === undefined) return null;
    const seconds = Math.min(firstSecondMax, (durationSeconds ?? 0) / 2);
    const still = await decode({ demuxer, file, seconds });
    // What cannot be sought in shows its first picture.
    return still === null && seconds > 0 ? await decode({ demuxer, file, seconds: 0 }) : still;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Decoding = { demuxer: string; file: string; seconds: number };

/** null when it fails, whatever the reason. */
async function decode({ demuxer, file, seconds }: Decoding): Promise<Buffer | null> {
  const bounds = `ulimit -v ${addressKibMax}; ulimit -t ${processorSecondsMax}; exec ffmpeg "$@"`;
  const input = ['-protocol_whitelist', 'file', '-f', demuxer, '-ss', seconds.toFixed(3), '-i', file];
  const output = [
    '-frames:v',
    '1',
    '-vf',
    `scale='min(${widthMax},iw)':-2`,
    '-c:v',
    'png',
    '-f',
    'image2pipe',
  ];
  const quiet = ['-nostdin', '-v', 'quiet', '-threads', '1'];
  const words = ['-c', bounds, 'ffmpeg', ...quiet, ...input, '-an', '-sn', '-dn', ...output, 'pipe:1'];
  const child = spawn('sh', words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: timeMsMax,
    killSignal: 'SIGKILL',
  });
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    chunks.push(chunk);
    if (length > pictureBytesMax) child.kill('SIGKILL');
  });
  const exitCode = await new Promise<number | null>(resolve =>
    child.once('close', resolve).once('error', () => resolve(null)),
  );
  return exitCode === 0 && length > 0 ? Buffer.concat(chunks) : null;
}
