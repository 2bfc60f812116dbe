/** The thread that merges templates. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { type MergedTexts, type MergeTask, mergeTexts } from './textMerging.ts';

const niceness = 2; // the main thread comes first, but a user waits for the result

if (parentPort !== null) {
  const port = parentPort;
  // On Linux this affects only the thread; elsewhere it would affect the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  port.on('message', async ({ id, ...task }: MergeTask & { id: number }) => {
    const rows: MergedTexts = await mergeTexts(task);
    port.postMessage({ id, rows });
  });
}
