/** How much room the disk of the data directory has. */
import { statfs } from 'node:fs/promises';

/** `freeBytes`: for programs that are not the system's own. */
export async function measureRoom(directory: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
