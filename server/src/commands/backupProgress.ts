/** Reports the progress of a backup on a terminal or in a log. */

import { formatBytes, openProgress, type Say } from '@tapedeck/command-line';
import type { BackupWatch } from '../stores/backupFolder.ts';
import { mediaPartName } from '../stores/blobs/blobsPart.ts';

const pollIntervalMs = 500; // prints a line every two seconds at most
const lineIntervalMs = 2_000;

const titles: Readonly<Record<string, string>> = { metadata: 'the database', logs: 'log entries' };

export function openBackupProgress(say: Say): BackupWatch {
  return (part, { counts, measure }) => {
    const isMedia = part === mediaPartName;
    const filesAll = counts.metadata?.files ?? null;
    const report = openProgress(say, 'files', filesAll);
    const show = async () => {
      const { files, bytes } = await measure();
      if (isMedia) report({ files, bytes });
      else say(`${titles[part] ?? part}: ${formatBytes(bytes)} written`);
    };
    // This only shows progress; the work itself reports its errors.
    const timer = setInterval(() => void show().catch(() => {}), isMedia ? pollIntervalMs : lineIntervalMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  };
}
