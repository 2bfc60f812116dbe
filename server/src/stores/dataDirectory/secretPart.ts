/** The secret's part of a backup. Without it, a restore would end all presigned tokens and sessions. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { BackupPart } from '@tapedeck/domain/ports/backup';
import { writeChecked, writeSyncedFile } from '@tapedeck/durable-files';
import { requireUnchanged } from '../backupDamage.ts';
import { requireEmptyFolder } from '../backupFolder.ts';
import { secretFileName } from './secretFile.ts';

export function secretPart(dataDir: string): BackupPart {
  return {
    name: 'secret',
    isShared: false,
    save: async folder => {
      // The configuration keeps a secret that comes from there.
      if (!(await readdir(dataDir)).includes(secretFileName)) return { secrets: 0 };
      await writeChecked(
        path.join(folder, secretFileName),
        createReadStream(path.join(dataDir, secretFileName)),
      );
      return { secrets: 1 };
    },
    restore: async folder => {
      await requireEmptyFolder(
        dataDir,
        name => `The data directory ${dataDir} holds ${name}; restore into an empty one.`,
      );
      if (!(await readdir(folder)).includes(secretFileName)) return;
      const saved = path.join(folder, secretFileName);
      await requireUnchanged(saved);
      await writeSyncedFile(path.join(dataDir, secretFileName), createReadStream(saved));
    },
  };
}
