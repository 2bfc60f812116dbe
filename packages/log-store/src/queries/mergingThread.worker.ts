/** The thread that merges templates. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type MergedTexts, type MergeTask, mergeTexts } from './textMerging.ts';

const niceness = 2; // the main thread comes first, but somebody waits

if (parentPort !== null) {
  const port = parentPort;
  // Of Linux's calls this one means the thread; elsewhere it would mean the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  port.on('message', async ({ id, ...task }: MergeTask & { id: number }) => {
    const rows: MergedTexts = await mergeTexts(task);
    port.postMessage({ id, rows });
  });
}
