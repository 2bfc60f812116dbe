/** Blocks as the intake would send them, for tests of what reads blocks. */
import { appendLeaf, appendRow, appendTarget, createColumns, encodeBlock } from '../src/blocks/native.ts';

export type BlockEntry = {
  leaves?: readonly (readonly [path: string, value: string])[];
  message?: string;
  resource?: string;
  parentId?: string;
};

export function makeBlock(entries: readonly BlockEntry[]): Buffer {
  const columns = createColumns();
  for (const { leaves = [], message = 'text', resource = 'test', parentId = '' } of entries) {
    for (const [path, value] of leaves) appendLeaf(columns, path, value);
    const row = { timestampMicros: 1, identityHigh: 0x80000000, identityLow: 1, level: 'info' } as const;
    appendRow(columns, { ...row, message, resource, parentId });
  }
  appendTarget(columns, { project: 'arena', dataset: 'game', retentionDays: 30 }, entries.length);
  return Buffer.concat(encodeBlock(columns));
}
