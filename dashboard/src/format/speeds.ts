/** Computes speed and time left from the bytes of the last seconds. */
import { formatBytes } from './sizes.ts';

export type Sample = { at: number; bytes: number };

const windowMs = 8_000; // long enough to smooth out a stuttering connection
const samplesMsMin = 250;

export function addSample(samples: readonly Sample[], now: Sample): readonly Sample[] {
  const last = samples.at(-1);
  if (last !== undefined && now.at - last.at < samplesMsMin) return samples;
  return [...samples.filter(({ at }) => now.at - at <= windowMs), now];
}

/** `1.2 MiB/s, 3 min left`; null while unknown. */
export function describeSpeed(samples: readonly Sample[], bytesLeft: number): string | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < 1000) return null;
  const bytesPerSecond = ((last.bytes - first.bytes) / (last.at - first.at)) * 1000;
  if (bytesPerSecond <= 0) return null;
  return `${formatBytes(bytesPerSecond)}/s, ${describeSeconds(bytesLeft / bytesPerSecond)} left`;
}

function describeSeconds(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
