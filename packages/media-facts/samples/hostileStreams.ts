/** Matroska files and MPEG streams that are expensive or malformed: elements, clusters, blocks, packets. */

import { bigEndian, ebml, ebmlHead, ebmlTrack, joinBytes } from './containers.ts';
import { type HostileFile, largestFileBytes, nothing, refused, restBytes } from './hostileFile.ts';

const webm = (...parts: Buffer[]) =>
  joinBytes(ebmlHead('webm'), ebml('segment', joinBytes(...parts), 'unknown'));
const voidElement = Buffer.from([0xec, 0x80]);
const block = ebml('simpleBlock', joinBytes([0x81, 0, 0, 0x80], 'frame'));
const lacedBlock = ebml('simpleBlock', joinBytes([0x81, 0, 0, 2, 255], Buffer.alloc(2040, 255)));
const zeroTime = ebml('timestamp', [0]);
const tracks = ebml('tracks', ebmlTrack(1, 2));
const cluster = ebml('cluster', joinBytes(zeroTime, block));
const endlessTracks = webm(cluster, ebml('tracks', '', restBytes));
const endlessCluster = webm(tracks, ebml('cluster', '', 'unknown'));
const lacedCluster = ebml('cluster', joinBytes(zeroTime, ...Array<Buffer>(100).fill(lacedBlock)));
const hugeBytes = 2 ** 53;

function nestSegments(depth: number): Buffer {
  let content: Buffer = nothing;
  for (let level = 0; level < depth; level += 1) content = ebml('segment', content);
  return content;
}

const packHead = joinBytes(bigEndian(0x1ba, 4), [0x44, 0, 4, 0, 4, 1, 0, 0, 3, 0xf8]);
const emptyPacket = joinBytes(bigEndian(0x1be, 4), [0, 0]);
const crumbOfVideo = joinBytes(bigEndian(0x1e0, 4), [0, 12, 0x80, 0, 0, 0, 0, 1, 0xb3, 0, 0, 0, 1, 0xb3]);
const timeStamp = [0x80, 0x80, 5, 0x21, 0, 1, 0, 1];
const stampedPacket = joinBytes(bigEndian(0x1e0, 4), [0, 8], timeStamp);
const sequence = joinBytes(bigEndian(0x1b3, 4), [4, 0, 0x30, 0x13, 255, 255, 0xe0, 0x18]);
const videoPacket = joinBytes(bigEndian(0x1e0, 4), [1, 8], timeStamp, sequence, Buffer.alloc(244));

export const hostileStreams: readonly HostileFile[] = [
  { name: 'Matroska of voids', answer: refused, head: webm(), pattern: voidElement },
  {
    name: 'Matroska of empty tracks',
    answer: refused,
    head: endlessTracks,
    pattern: Buffer.from([0xae, 0x80]),
  },
  {
    name: 'Matroska of one track of voids',
    answer: refused,
    head: webm(cluster, ebml('tracks', ebml('trackEntry', '', restBytes - 9), restBytes)),
    pattern: voidElement,
  },
  {
    name: 'Matroska of tracks of voids',
    answer: refused,
    head: endlessTracks,
    pattern: ebml('trackEntry', Buffer.alloc(20_000, voidElement)),
  },
  {
    name: 'Matroska of empty clusters',
    answer: refused,
    head: webm(tracks),
    pattern: Buffer.from('1f43b67580', 'hex'),
  },
  { name: 'Matroska of a cluster of voids', answer: refused, head: endlessCluster, pattern: voidElement },
  {
    name: 'Matroska of groups without blocks',
    answer: refused,
    head: endlessCluster,
    pattern: ebml('blockGroup', Buffer.alloc(200, voidElement)),
  },
  {
    name: 'Matroska of laced blocks',
    answer: 'audio/webm',
    head: webm(tracks, cluster),
    pattern: lacedCluster,
  },
  {
    name: 'Matroska of a last cluster of tiny blocks',
    answer: 'audio/webm',
    head: webm(tracks, cluster, ebml('void', '', largestFileBytes - 1_000_000)),
    pattern: block,
    tail: ebml('cluster', joinBytes(zeroTime, Buffer.alloc(900_000, block))),
  },
  {
    name: 'Matroska with its last cluster far away',
    answer: 'audio/webm',
    head: webm(tracks, cluster, ebml('void', '', restBytes)),
    pattern: Buffer.from('1f43b6', 'hex'),
  },
  {
    name: 'Matroska elements of 2^53 bytes',
    answer: refused,
    head: joinBytes(ebmlHead('webm'), ebml('segment', tracks, hugeBytes), ebml('cluster', block, hugeBytes)),
  },
  {
    name: 'Matroska nested in itself',
    answer: refused,
    head: joinBytes(ebmlHead('webm'), nestSegments(500)),
  },
  { name: 'program stream of empty packets', answer: refused, head: packHead, pattern: emptyPacket },
  { name: 'program stream of zeros', answer: refused, head: packHead, pattern: Buffer.from([0]) },
  {
    name: 'program stream of zeros between packets',
    answer: refused,
    head: packHead,
    pattern: joinBytes(emptyPacket, Buffer.alloc(8000)),
  },
  { name: 'program stream of video in crumbs', answer: 'video/mpeg', head: packHead, pattern: crumbOfVideo },
  {
    name: 'program stream of time stamps',
    answer: 'video/mpeg',
    head: joinBytes(packHead, videoPacket),
    pattern: stampedPacket,
  },
  { name: 'MPEG video of start codes', answer: refused, head: sequence, pattern: bigEndian(0x1b2, 4) },
];
