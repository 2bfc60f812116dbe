/** Computes the speed and remaining time of uploads. */
import { useRef } from 'react';
import { addSample, describeSpeed, type Sample } from '../format/speeds.ts';
import { isOpen, type Upload } from '../uploads/uploadStates.ts';

/** `1.2 MiB/s, 3 min left`; null while unknown. */
export function useUploadSpeed(uploads: readonly Upload[]): string | null {
  const samples = useRef<readonly Sample[]>([]);
  const open = uploads.filter(({ state }) => isOpen(state));
  if (open.length === 0) {
    samples.current = [];
    return null;
  }
  const now = { at: performance.now(), bytes: uploads.reduce((sum, upload) => sum + countSent(upload), 0) };
  samples.current = addSample(samples.current, now);
  const left = open.reduce((sum, upload) => sum + upload.size - countSent(upload), 0);
  return describeSpeed(samples.current, left);
}

function countSent({ state, size }: Upload): number {
  if (state.kind === 'kept') return size;
  return state.kind === 'sending' ? size * state.share : 0;
}
