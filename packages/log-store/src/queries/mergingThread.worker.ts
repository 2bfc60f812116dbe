/** The thread that merges templates. */
import os from 'node:os';
import { parentPort } from 'node:worker_threads';
import { mergeTexts } from './mergingThread.ts';

/** `paths`: of the metadata that the templates name. */
export type MergeTask = { id: number; texts: readonly string[]; paths: readonly string[] };
/** Members are indexes of the texts. */
export type MergeReply = { id: number; rows: readonly { template: string; members: Uint32Array }[] };

const niceness = 5; // the main thread comes first

if (parentPort !== null) {
  const port = parentPort;
  // Of Linux's calls this one means the thread; elsewhere it would mean the whole process.
  if (process.platform === 'linux') os.setPriority(niceness);
  port.on('message', async ({ id, ...task }: MergeTask) => {
    port.postMessage({ id, rows: await mergeTexts(task) } satisfies MergeReply);
  });
}
