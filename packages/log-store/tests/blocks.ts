/** Blocks as the intake would send them, for tests of what reads blocks. */
import { appendLeaf, appendRow, appendTarget, createColumns, encodeBlock } from '../src/blocks/native.ts';

type Leaves = readonly (readonly [path: string, value: string])[];

/** Makes a block with one entry for each list of leaves. */
export function makeBlock(entries: readonly Leaves[]): Buffer {
  const columns = createColumns();
  for (const leaves of entries) {
    for (const [path, value] of leaves) appendLeaf(columns, path, value);
    appendRow(columns, {
      timestampMicros: 1,
      identityHigh: 0x80000000,
      identityLow: 1,
      level: 'info',
      message: 'text',
      resource: 'test',
      parentId: '',
    });
  }
  appendTarget(columns, { project: 'arena', dataset: 'game', retentionDays: 30 }, entries.length);
  return Buffer.concat(encodeBlock(columns));
}
