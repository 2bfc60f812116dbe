/** Reads movie fragments (moof): whether the first holds a sample of a track, and when the last ones end. */

import type { ByteReader } from './byteReader.ts';
import { type IsoBox, readBoxes } from './isoBoxes.ts';
import { type Track, tracksMax } from './mp4Tracks.ts';

/** The default sample duration per track, from the movie's `trex` boxes. */
export type SampleDefaults = ReadonlyMap<number, number>;

type Run = { readonly trackId: number; readonly samples: number; readonly endUnits: number };
type FragmentHeader = { readonly trackId: number; readonly sampleUnits: number | undefined };

const samplesMax = 16_384; // per run; encoders put one to ten seconds of samples into a fragment

/** Returns `undefined` if the movie has no `mvex` and so no fragments. */
export async function readSampleDefaults(
  reader: ByteReader,
  movie: IsoBox,
): Promise<SampleDefaults | undefined> {
  for await (const box of readBoxes(reader, movie.contentOffset, movie.endOffset)) {
    if (box.type !== 'mvex') continue;
    const defaults = new Map<number, number>();
    for await (const child of readBoxes(reader, box.contentOffset, box.endOffset)) {
      const bytes = child.type === 'trex' ? await reader.readBytes(child.contentOffset, 24) : undefined;
      if (bytes && defaults.size < tracksMax) defaults.set(bytes.readUInt32BE(4), bytes.readUInt32BE(12));
    }
    return defaults;
  }
  return undefined;
}

export async function holdsSamples(reader: ByteReader, fragment: IsoBox, track: Track): Promise<boolean> {
  const runs = await readRuns(reader, fragment, new Map());
  return runs.some(run => run.trackId === track.id && run.samples > 0);
}

/** Returns when the last of these fragments' samples end. */
export async function findFragmentsEnd(
  reader: ByteReader,
  fragments: readonly IsoBox[],
  movie: { tracks: readonly Track[]; defaults: SampleDefaults },
): Promise<number | undefined> {
  let latest: number | undefined;
  for (const fragment of fragments) {
    for (const run of await readRuns(reader, fragment, movie.defaults)) {
      const track = movie.tracks.find(({ id }) => id === run.trackId);
      if (track) latest = Math.max(latest ?? 0, run.endUnits / track.unitsPerSecond);
    }
  }
  return latest;
}

async function readRuns(reader: ByteReader, fragment: IsoBox, defaults: SampleDefaults): Promise<Run[]> {
  const runs: Run[] = [];
  for await (const box of readBoxes(reader, fragment.contentOffset, fragment.endOffset)) {
    if (box.type !== 'traf' || runs.length === tracksMax) continue;
    const run = await readRun(reader, box, defaults);
    if (run) runs.push(run);
  }
  return runs;
}

/** Reads all samples that a fragment adds to a track. */
async function readRun(reader: ByteReader, box: IsoBox, defaults: SampleDefaults): Promise<Run | undefined> {
  let header: FragmentHeader | undefined;
  let samples = 0;
  let endUnits = 0;
  for await (const child of readBoxes(reader, box.contentOffset, box.endOffset)) {
    const bytes = await reader.readBytesUpTo(
      child.contentOffset,
      Math.min(child.endOffset - child.contentOffset, 32),
    );
    if (child.type === 'tfhd') header = readHeader(bytes);
    else if (child.type === 'tfdt') endUnits += readBaseTime(bytes);
    else if (child.type === 'trun' && bytes.length >= 8) {
      const count = bytes.readUInt32BE(4);
      const each = header?.sampleUnits ?? (header ? defaults.get(header.trackId) : undefined) ?? 0;
      endUnits += await sumUnits(reader, child, { flags: bytes.readUIntBE(1, 3), count, each });
      samples += count;
    }
  }
  return header && { trackId: header.trackId, samples, endUnits };
}

/** Reads the track and, if the flags say it is present, the default sample duration. */
function readHeader(bytes: Buffer): FragmentHeader | undefined {
  if (bytes.length < 8) return undefined;
  const flags = bytes.readUIntBE(1, 3);
  const offset = 8 + (flags & 0x01 ? 8 : 0) + (flags & 0x02 ? 4 : 0);
  const isGiven = (flags & 0x08) !== 0 && offset + 4 <= bytes.length;
  return { trackId: bytes.readUInt32BE(4), sampleUnits: isGiven ? bytes.readUInt32BE(offset) : undefined };
}

function readBaseTime(bytes: Buffer): number {
  if (bytes[0] === 1) return bytes.length >= 12 ? Number(bytes.readBigUInt64BE(4)) : 0;
  return bytes.length >= 8 ? bytes.readUInt32BE(4) : 0;
}

async function sumUnits(
  reader: ByteReader,
  box: IsoBox,
  run: { flags: number; count: number; each: number },
): Promise<number> {
  if (!(run.flags & 0x100)) return run.count * run.each;
  const fieldBytes = [0x100, 0x200, 0x400, 0x800].filter(flag => run.flags & flag).length * 4;
  const firstOffset = box.contentOffset + 8 + (run.flags & 0x01 ? 4 : 0) + (run.flags & 0x04 ? 4 : 0);
  const count = Math.min(run.count, samplesMax);
  const wanted = Math.max(0, Math.min(count * fieldBytes, box.endOffset - firstOffset));
  const bytes = await reader.readBytesUpTo(firstOffset, wanted);
  let units = 0;
  for (let offset = 0; offset + 4 <= bytes.length; offset += fieldBytes) units += bytes.readUInt32BE(offset);
  return units;
}
