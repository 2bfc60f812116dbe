/**
 * Scales images in separate processes, because decoders parse untrusted bytes. A picture that keeps one busy for too long, or crashes it, harms nobody
 * else. Processes start on demand and end after a while without pictures.
 */
import type { Readable } from 'node:stream';
import { imageTooLargeError } from '@tapedeck/domain/files/variants';
import type { ImageScaler, PictureForm } from '@tapedeck/domain/ports/images';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { type ScalingLimits, type ScalingProcess, startScalingProcess } from './scalingProcess.ts';

const usualLimits: ScalingLimits = {
  processorMs: 10_000, // 49 megapixels of noise take 3 s at the largest size, a photo of 12 a quarter of a second
  timeMs: 300_000, // on a machine ten times too busy
  memoryBytes: 1024 ** 3, // a turned panorama of 48 megapixels takes 860 MB as AVIF, usual pictures a tenth
};
const idleMsMax = 30_000;

export function openSharpScaler(limits = usualLimits): ImageScaler & AsyncDisposable {
  const idle = new Map<ScalingProcess, NodeJS.Timeout>();
  const busy = new Set<ScalingProcess>();
  const takeProcess = (): ScalingProcess => {
    for (const [process, timer] of idle) {
      clearTimeout(timer);
      idle.delete(process);
      if (process.isAlive) return process;
    }
    return startScalingProcess(limits);
  };
  const keepProcess = (process: ScalingProcess) => {
    if (!process.isAlive) return;
    const timer = setTimeout(() => {
      idle.delete(process);
      void process.end();
    }, idleMsMax);
    idle.set(process, timer.unref());
  };
  return {
    scale: async (source, form) => {
      const process = takeProcess();
      busy.add(process);
      try {
        return await scaleIn(process, source, form);
      } finally {
        busy.delete(process);
        keepProcess(process);
      }
    },
    // A service that stops has waited for its requests; a hostile picture may still be under way.
    [Symbol.asyncDispose]: async () => {
      for (const timer of idle.values()) clearTimeout(timer);
      const processes = [...idle.keys(), ...busy];
      idle.clear();
      await Promise.all(processes.map(process => process.end()));
    },
  };
}

async function scaleIn(process: ScalingProcess, source: Readable, form: PictureForm): Promise<Buffer> {
  const result = await process.scale(source, form);
  if (result.kind === 'scaled') return result.picture;
  if (result.kind === 'failed') throw describeFailure(result.message);
  source.destroy();
  if (result.kind === 'died') throw overloadedError();
  if (result.kind === 'tooMuchMemory') {
    const large = 'This form of the image takes too much memory; ask for a smaller one.';
    throw new ServiceError('image_too_large', large);
  }
  const sentence = 'Decoding this image takes too long; its original is served without ?w=.';
  throw new ServiceError('image_undecodable', sentence);
}

/** Attributes errors to the picture, unless sharp lacks memory or similar. */
function describeFailure(message: string): Error {
  const cause = new Error(message);
  if (/memory|alloc|too many open files/i.test(message)) return overloadedError(cause);
  if (/pixel limit/i.test(message)) return imageTooLargeError(cause);
  const sentence = 'This image cannot be decoded; its original is served without ?w=.';
  return new ServiceError('image_undecodable', sentence, { cause });
}

function overloadedError(cause?: unknown): ServiceError {
  const sentence = 'There is not enough memory for this image right now. Try again in a few seconds.';
  return new ServiceError('overloaded', sentence, { retryAfterSeconds: 5, cause });
}
