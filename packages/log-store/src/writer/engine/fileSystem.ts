/** Tells on which file system the engine's data are. */
import { statfsSync } from 'node:fs';

const ext4 = 0xef53;

export function isOnExt4(directory: string): boolean {
  try {
    return process.platform === 'linux' && statfsSync(directory).type === ext4;
  } catch {
    return false; // the directory is gone
  }
}
