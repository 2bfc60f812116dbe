/** Decides which traces to keep. */
import type { SpanContext } from './span.ts';

export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type Sampler = { name: (typeof samplerNames)[number]; ratio: number };

const randomDigits = 14; // the lower 56 bits of a trace id are random, W3C Trace Context, 3.2.2.3
const randomRange = 16 ** randomDigits;

/** Parent-based samplers use the ratio only where a trace begins. */
export function isSampled({ name, ratio }: Sampler, traceId: string, parent: SpanContext | null): boolean {
  if (parent !== null && name.startsWith('parentbased_')) return parent.isSampled;
  if (name.endsWith('always_on')) return true;
  if (name.endsWith('always_off')) return false;
  // Every service decides alike for a trace: one with a larger ratio keeps it, too.
  return Number.parseInt(traceId.slice(-randomDigits), 16) >= randomRange * (1 - ratio);
}
