/** Checks the most expensive and malformed files we can think of, at full size. Each must be decided quickly and in few reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largestFileBytes, nothing, refused } from '../samples/hostileFile.ts';
import { hostileMovies } from '../samples/hostileMovies.ts';
import { hostilePictures } from '../samples/hostilePictures.ts';
import { hostileSound } from '../samples/hostileSound.ts';
import { hostileStreams } from '../samples/hostileStreams.ts';
import { openPattern } from '../samples/sources.ts';
import { readLimits } from './byteReader.ts';
import { identifyMedia, UnsupportedMedia } from './identification.ts';

const cpuMsMax = 1000; // a check's limit for the largest file; the slowest here takes a tenth of it
const heapBytesMax = 64 * 1024 * 1024; // the same limit for memory

for (const { name, answer, head, pattern, tail } of [
  ...hostilePictures,
  ...hostileSound,
  ...hostileMovies,
  ...hostileStreams,
]) {
  test(`${name}: ${answer}`, async () => {
    const source = openPattern({
      head,
      pattern: pattern ?? Buffer.alloc(1),
      tail: tail ?? nothing,
      sizeBytes: pattern ? largestFileBytes : head.length,
    });
    const heapBefore = process.memoryUsage();
    const cpuBefore = process.cpuUsage();
    const given = await identifyMedia(source).then(
      media => media.mimeType,
      (error: unknown) => {
        assert.ok(error instanceof UnsupportedMedia, String(error));
        return refused;
      },
    );
    const cpu = process.cpuUsage(cpuBefore);
    const heapAfter = process.memoryUsage();
    const cpuMs = (cpu.user + cpu.system) / 1000;
    const heapBytes = heapAfter.heapUsed + heapAfter.external - heapBefore.heapUsed - heapBefore.external;
    const { reads, bytes } = source.counts;
    assert.equal(given, answer);
    assert.ok(cpuMs < cpuMsMax, `${cpuMs} ms`);
    assert.ok(reads <= readLimits.readsMax && bytes <= readLimits.bytesMax, `${reads} reads, ${bytes} bytes`);
    assert.ok(heapBytes < heapBytesMax, `${heapBytes} bytes`);
  });
}
