/** Makes a backup for restore tests, from a service with one file and one log entry. Tests can damage it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openLogClient } from './logSender.ts';
import { makeDirectory, startTestService } from './service.ts';
import { tapedeck } from './tapedeck.ts';
import { makePicture, mediaEnvironment, uploadFile } from './uploading.ts';

type TestBackup = AsyncDisposable & {
  folder: string;
  /** Damages the file that a restore reads last. */
  damage(): Promise<void>;
  mend(): Promise<void>;
};

export async function makeBackup(): Promise<TestBackup> {
  await using service = await startTestService({ environment: mediaEnvironment });
  const { id } = await uploadFile(service, await makePicture());
  await (await openLogClient(service)).store([{ level: 'info', message: 'kept' }], 'main');
  const place = await makeDirectory();
  const folder = path.join(place.path, 'backup');
  await tapedeck(['backup', folder], { TAPEDECK_DATA_DIR: service.dataDir });
  const names = await readdir(folder, { recursive: true });
  const file = path.join(folder, names.find(name => name.endsWith(id))!);
  const bytes = await readFile(file);
  return {
    folder,
    damage: () => changeByte(file),
    mend: () => writeFile(file, bytes),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Flips one bit of the middle byte. */
export async function changeByte(file: string): Promise<void> {
  const bytes = await readFile(file);
  const middle = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle);
  await writeFile(file, bytes);
}
