/** Checks MP4 and QuickTime: the brand decides which. There must be a video track whose first sample lies in the file. */

import { type ByteReader, readFourLetters } from './byteReader.ts';
import { type MediaContainer, type MediaFacts, roundDuration } from './container.ts';
import { type IsoBox, readBoxes } from './isoBoxes.ts';
import { findFragmentsEnd, holdsSamples, readSampleDefaults, type SampleDefaults } from './mp4Fragments.ts';
import { readTimes, readTracks, type SamplePlace, type Track } from './mp4Tracks.ts';

type TopLevel = {
  readonly brand: string | undefined;
  readonly movie: IsoBox;
  readonly defaults: SampleDefaults | undefined;
  readonly fragments: readonly IsoBox[];
  /** True if the walk reached the end of the file, so that the last fragment seen is the file's last. */
  readonly isComplete: boolean;
};

/** Major brands of other formats with the same boxes: 3GP, audio and still pictures. A `.` stands for any letter. */
const foreignBrands =
  /^(3g..|M4A |M4B |M4P |F4A |F4B |mmp4|avi[fs]|he[iv].|mi[af]1|msf1|crx |jp[2xm] |mjp2|aax[ c])$/;
const quickTimeBrand = 'qt  ';
/** First box types of QuickTime files that have no brand. */
const openingTypes = ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'];
const lastFragmentsKept = 8; // tracks may end in separate fragments

export const mp4Container: MediaContainer = {
  signature: {
    offset: 4,
    letters: ['ftyp', ...openingTypes],
    matches: head => readFourLetters(head, 4) !== 'ftyp' || !foreignBrands.test(readFourLetters(head, 8)),
  },
  checkStructure: checkMp4,
};

async function checkMp4(reader: ByteReader): Promise<MediaFacts | undefined> {
  const top = await readTopLevel(reader);
  if (!top || (top.brand !== undefined && foreignBrands.test(top.brand))) return undefined;
  const tracks = await readTracks(reader, top.movie);
  const video = tracks.find(track => track.isVideo);
  if (!video || !(await holdsFirstSample(reader, top, video))) return undefined;
  return {
    format: top.brand === undefined || top.brand === quickTimeBrand ? 'quicktime' : 'mp4',
    width: video.width || undefined,
    height: video.height || undefined,
    durationSeconds: roundDuration(await findDuration(reader, top, tracks)),
  };
}

/** Walks the boxes until it finds the movie or, in a fragmented file, to the end. */
async function readTopLevel(reader: ByteReader): Promise<TopLevel | undefined> {
  let brand: string | undefined;
  let movie: IsoBox | undefined;
  let defaults: SampleDefaults | undefined;
  let fragments: IsoBox[] = [];
  let endOffset = 0;
  for await (const box of readBoxes(reader, 0, Infinity)) {
    endOffset = box.endOffset;
    if (box.type === 'ftyp' && brand === undefined) {
      const letters = await reader.readBytes(box.contentOffset, 4);
      if (!letters) return undefined;
      brand = readFourLetters(letters, 0);
    } else if (box.type === 'moov' && !movie) {
      movie = box;
      defaults = await readSampleDefaults(reader, box);
      if (!defaults) break;
    } else if (box.type === 'moof') {
      // Keeps the first for its samples and the last ones for their time.
      const [first, ...rest] = [...fragments, box];
      fragments = first ? [first, ...rest.slice(-lastFragmentsKept)] : [];
    }
  }
  return movie && { brand, movie, defaults, fragments, isComplete: endOffset >= reader.sizeBytes };
}

async function holdsFirstSample(reader: ByteReader, top: TopLevel, video: Track): Promise<boolean> {
  if (video.firstSample) return holdsSample(reader, video.firstSample, video);
  const [first] = top.fragments;
  if (!top.defaults || !first) return false;
  for (const fragment of top.fragments) {
    if (fragment.endOffset < reader.sizeBytes && (await holdsSamples(reader, fragment, video))) return true;
  }
  return false;
}

/** True if a sample lies in the file and, for H.264 and H.265, opens with a unit that fits it. */
async function holdsSample(reader: ByteReader, sample: SamplePlace, video: Track): Promise<boolean> {
  const { offset, lengthBytes } = sample;
  if (offset < 8 || lengthBytes === 0 || offset + lengthBytes > reader.sizeBytes) return false;
  const { unitLengthBytes } = video;
  if (unitLengthBytes === 0) return true;
  const bytes = await reader.readBytes(offset, unitLengthBytes);
  const unitBytes = bytes?.readUIntBE(0, unitLengthBytes) ?? 0;
  return unitBytes > 0 && unitBytes + unitLengthBytes <= lengthBytes;
}

async function findDuration(
  reader: ByteReader,
  top: TopLevel,
  tracks: readonly Track[],
): Promise<number | undefined> {
  const movieSeconds = await readMovieDuration(reader, top.movie);
  if (top.defaults && top.isComplete) {
    const endSeconds = await findFragmentsEnd(reader, top.fragments, { tracks, defaults: top.defaults });
    // A header written before the fragments only covers what came before them.
    if (endSeconds !== undefined) return Math.max(movieSeconds ?? 0, endSeconds);
  }
  return movieSeconds ?? tracks.find(track => track.isVideo)?.durationSeconds;
}

async function readMovieDuration(reader: ByteReader, movie: IsoBox): Promise<number | undefined> {
  for await (const box of readBoxes(reader, movie.contentOffset, movie.endOffset)) {
    if (box.type === 'mvhd') return (await readTimes(reader, box))?.durationSeconds;
  }
  return undefined;
}
