/** MP4 files that are expensive or malformed: boxes of all sizes, tracks, fragments. */

import { bigEndian, isoBox, joinBytes, longIsoBox } from './containers.ts';
import { type HostileFile, largestFileBytes, nothing, refused, restBytes } from './hostileFile.ts';

const brand = isoBox('ftyp', Buffer.from('isom\0\0\0\0'));
const emptyMovie = isoBox('moov', nothing);
const endlessMovie = joinBytes(brand, longIsoBox('moov', nothing, largestFileBytes));
const emptyBox = isoBox('mdia', nothing);

/** Builds a video track without samples, plus the given boxes. */
function videoTrack(beside: Buffer): Buffer {
  const entry = joinBytes(bigEndian(86, 4), 'avc1', Buffer.alloc(78));
  const table = isoBox('stbl', isoBox('stsd', joinBytes(bigEndian(1, 8), entry)));
  const handler = isoBox('hdlr', joinBytes(Buffer.alloc(8), 'vide', Buffer.alloc(12)));
  const times = isoBox('mdhd', joinBytes(Buffer.alloc(12), bigEndian(1000, 4), Buffer.alloc(8)));
  const content = isoBox('mdia', joinBytes(times, handler, isoBox('minf', table)));
  const header = isoBox('tkhd', joinBytes(Buffer.alloc(12), bigEndian(1, 4), Buffer.alloc(68)));
  return isoBox('trak', joinBytes(header, content, beside));
}

const fragmented = joinBytes(brand, isoBox('moov', joinBytes(isoBox('mvex', nothing), videoTrack(nothing))));
const fragmentHeader = isoBox('tfhd', bigEndian(1, 8));
const runHead = joinBytes([0, 0, 1, 0], bigEndian(0xffffffff, 4));
const run = isoBox('trun', joinBytes(runHead, bigEndian(1000, 4)));
const trackFragment = isoBox('traf', joinBytes(fragmentHeader, run));
const media = isoBox('mdat', Buffer.from('frame'));
/** A fragment of one track. Its content is everything that follows, nearly to the end of the file. */
const endlessFragment = joinBytes(
  bigEndian(restBytes + 8, 4),
  'moof',
  bigEndian(restBytes, 4),
  'traf',
  fragmentHeader,
);
const endlessRun = joinBytes(bigEndian(restBytes - 24, 4), 'trun', runHead);

function nestBoxes(depth: number): Buffer {
  let content: Buffer = nothing;
  for (let level = 0; level < depth; level += 1) content = isoBox('mdia', content);
  return content;
}

export const hostileMovies: readonly HostileFile[] = [
  { name: 'MP4 of empty boxes', answer: refused, head: brand, pattern: isoBox('free', nothing) },
  { name: 'MP4 of long boxes', answer: refused, head: brand, pattern: longIsoBox('free', nothing) },
  {
    name: 'MP4 box of size 0 in the middle',
    answer: refused,
    head: joinBytes(brand, isoBox('free', nothing, 0), emptyMovie),
  },
  { name: 'MP4 box of size 1 without a size', answer: refused, head: joinBytes(brand, [0, 0, 0, 1], 'moov') },
  { name: 'MP4 boxes of size 2', answer: refused, head: brand, pattern: isoBox('free', nothing, 2) },
  {
    name: 'MP4 box of 2^64 bytes',
    answer: refused,
    head: joinBytes(brand, longIsoBox('moov', nothing, 2n ** 64n - 1n)),
  },
  {
    name: 'MP4 box of 2^53 bytes',
    answer: refused,
    head: joinBytes(brand, longIsoBox('free', nothing, 2n ** 53n), emptyMovie),
  },
  {
    name: 'MP4 nested thousands deep',
    answer: refused,
    head: joinBytes(brand, isoBox('moov', isoBox('trak', nestBoxes(4000)))),
  },
  { name: 'MP4 of empty tracks', answer: refused, head: endlessMovie, pattern: isoBox('trak', nothing) },
  {
    name: 'MP4 of one track of empty boxes',
    answer: refused,
    head: joinBytes(brand, bigEndian(restBytes + 8, 4), 'moov', bigEndian(restBytes, 4), 'trak'),
    pattern: emptyBox,
  },
  {
    name: 'MP4 of tracks of empty boxes',
    answer: refused,
    head: endlessMovie,
    pattern: videoTrack(Buffer.alloc(16_000, emptyBox)),
  },
  {
    name: 'MP4 of tracks without samples',
    answer: refused,
    head: endlessMovie,
    pattern: videoTrack(nothing),
  },
  {
    name: 'MP4 of samples that are nowhere',
    answer: refused,
    head: joinBytes(brand, isoBox('moov', videoTrack(nothing)), isoBox('mdat', nothing, 0)),
    pattern: Buffer.from([1]),
  },
  {
    name: 'MP4 of fragments',
    answer: 'video/mp4',
    head: fragmented,
    pattern: joinBytes(isoBox('moof', trackFragment), media),
  },
  {
    name: 'MP4 of fragments without samples',
    answer: refused,
    head: fragmented,
    pattern: isoBox('moof', isoBox('traf', fragmentHeader)),
  },
  {
    name: 'MP4 of a fragment of runs',
    answer: 'video/mp4',
    head: joinBytes(fragmented, endlessFragment),
    pattern: run,
  },
  {
    name: 'MP4 of a fragment of tracks',
    answer: 'video/mp4',
    head: joinBytes(fragmented, isoBox('moof', nothing, restBytes)),
    pattern: trackFragment,
  },
  {
    name: 'MP4 of a run without end',
    answer: 'video/mp4',
    head: joinBytes(fragmented, endlessFragment, endlessRun),
    pattern: Buffer.from([1]),
  },
];
