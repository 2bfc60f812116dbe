/** Which names a dataset may have: CONTRACT.md, 4.1. */
import { invalidFieldError, patterns } from '../vocabulary.ts';

/** The one that is meant where none is named. */
export const usualDataset = 'default'; // SERVICE.md, Limits

const pattern = new RegExp(patterns.dataset);

export function isDatasetName(name: string): boolean {
  return pattern.test(name);
}

export function requireDatasetName(name: string): void {
  if (isDatasetName(name)) return;
  throw invalidFieldError('dataset', 'The dataset must be 1 to 64 letters, digits, _, . or -.');
}
