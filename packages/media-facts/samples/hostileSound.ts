/** Sound files that are expensive to check: masses of chunks, tags, frames and pages. */

import { audioFrames, id3Tag, joinBytes, littleEndian, oggPage, riffChunk, wavFormat } from './containers.ts';
import { type HostileFile, nothing, refused } from './hostileFile.ts';

const wavStart = joinBytes('RIFF\0\0\0\0WAVE');
const smallFrames = joinBytes(audioFrames('ffe318c0', 72, 1), audioFrames('ffe328c0', 144, 1));
const largeFrames = joinBytes(audioFrames('fffbe0c0', 1044, 1), audioFrames('fffbd0c0', 835, 1));
const opusHead = `OpusHead\x01\x01${'\0'.repeat(9)}`;
const opusStart = oggPage(1, opusHead, { flags: 2 });
const longStart = oggPage(1, joinBytes(opusHead, Buffer.alloc(60_000)), { flags: 2 });
const opus = joinBytes(opusStart, oggPage(1, 'OpusTags'), oggPage(1, 'data'));

/** Builds a page whose only packet continues on the next page. Flag 1: it also began on an earlier one. */
function unendingPage(flags: number): Buffer {
  const head = joinBytes('OggS\0', [flags], Buffer.alloc(8), littleEndian(1, 4), Buffer.alloc(8), [255]);
  return joinBytes(head, Buffer.alloc(255, 255), 'OpusTags', Buffer.alloc(255 * 255 - 8));
}

export const hostileSound: readonly HostileFile[] = [
  { name: 'WAV of empty chunks', answer: refused, head: wavStart, pattern: riffChunk('LIST', '') },
  { name: 'WAV of formats', answer: refused, head: wavStart, pattern: wavFormat() },
  { name: 'tags behind tags', answer: refused, head: nothing, pattern: id3Tag(nothing) },
  { name: 'a tag that ends where it began', answer: refused, head: id3Tag(nothing) },
  {
    name: 'a tag longer than the file',
    answer: refused,
    head: id3Tag(nothing, 2 ** 28 - 1),
    pattern: largeFrames,
  },
  { name: 'MP3 of the smallest frames', answer: 'audio/mpeg', head: nothing, pattern: smallFrames },
  {
    name: 'MP3 of large frames that nobody counted',
    answer: 'audio/mpeg',
    head: nothing,
    pattern: largeFrames,
  },
  {
    name: 'free format without a second frame',
    answer: refused,
    head: Buffer.from('fffb00c0', 'hex'),
    pattern: Buffer.from('fffb0c', 'hex'),
  },
  { name: 'Ogg of streams that open', answer: refused, head: longStart, pattern: longStart },
  { name: 'Ogg of empty pages', answer: refused, head: opusStart, pattern: oggPage(2, '') },
  {
    name: 'Ogg of a comment without end',
    answer: refused,
    head: joinBytes(opusStart, unendingPage(0)),
    pattern: unendingPage(1),
  },
  {
    name: 'Ogg that closes with page marks',
    answer: 'audio/ogg',
    head: opus,
    pattern: Buffer.from('OggS\0'),
  },
];
