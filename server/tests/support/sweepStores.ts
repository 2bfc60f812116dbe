/** The stores of a stopped service, with files in them, and a clock, for sweep tests. */
import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { openBlobStore, openDiskReserve, openOwnStaging } from '@tapedeck/blob-stores';
import { deleteProject, updateProject } from '@tapedeck/contract/projects';
import { openPublicFiles } from '@tapedeck/domain/files/publicFiles';
import { openResumableUploads } from '@tapedeck/domain/files/resumable';
import type { SweepDeps } from '@tapedeck/domain/files/sweeping';
import { keepInstallationId } from '@tapedeck/domain/operations/installation';
import { alwaysAvailable } from '@tapedeck/domain/operations/storeHealth';
import type { StoredFile } from '@tapedeck/domain/ports/files';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { addPerson, addProject, addToken } from './people.ts';
import { makeDirectory, makeTestClock, startTestService } from './service.ts';
import { makePicture, uploadFile } from './uploading.ts';

const picture = await makePicture();

type Change = 'none' | 'delete the project';
type Original = { path: string; uploaded: StoredFile[] };

/** Equal places are copies of one, so only one service start is needed. */
export function openPlaces() {
  const opened = new AsyncDisposableStack();
  const originals = new Map<string, Promise<Original>>();
  return {
    open: async (files: number, change: Change = 'none') => {
      const kind = `${files} ${change}`;
      const original = originals.get(kind) ?? makeOriginal(opened, { files, change });
      originals.set(kind, original);
      return openCopy(await original);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Makes a project with pictures that expire in a day, and lists its disk after the service has stopped. */
async function makeOriginal(
  opened: AsyncDisposableStack,
  { files, change }: { files: number; change: Change },
): Promise<Original> {
  const directory = opened.use(await makeDirectory());
  const uploaded: StoredFile[] = [];
  {
    await using service = await startTestService({ dataDir: directory.path });
    const owner = await addPerson(service, { isOwner: true });
    const project = await addProject(owner, 'arena');
    const { token } = await addToken(owner, { project });
    const retention = { image: 1, video: null, audio: null, folders: [] };
    await owner.call(updateProject, { params: { project }, body: { retention } });
    const store = await service.openStore();
    for (let index = 0; index < files; index += 1) {
      const { id } = await uploadFile(service, picture, {}, { token });
      uploaded.push((await store.files.find(project, id))!);
    }
    if (change === 'delete the project') await owner.call(deleteProject, { params: { project } });
  }
  return { path: directory.path, uploaded };
}

async function openCopy({ path: original, uploaded }: Original) {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory());
  await cp(original, directory.path, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  const database = { kind: 'sqlite', file: path.join(directory.path, 'tapedeck.db') } as const;
  const clock = makeTestClock();
  const store = opened.use(await openMetadataStore(database));
  const media = path.join(directory.path, 'media');
  const blobs = opened.use(await openBlobStore({ kind: 'disk', directory: media }, () => clock.now()));
  const staging = opened.use(await openOwnStaging(path.join(directory.path, 'staging of sweeps')));
  const resumable = await openResumableUploads(
    {
      clock,
      presignedUses: store.presignedUses,
      resumableUploads: store.resumableUploads,
      partials: blobs.openPartials(staging),
      fileSizeBytesMax: 0, // nothing is uploaded here
      reportLostUse: error => assert.fail(String(error)),
    },
    true,
  );
  const deps: SweepDeps = {
    store,
    clock,
    files: store.files,
    fileMoves: store.fileMoves,
    presignedUses: store.presignedUses,
    blobs,
    resumable,
    reserve: await openDiskReserve(directory.path),
    publicFiles: openPublicFiles(store.files, alwaysAvailable),
    installationId: await keepInstallationId({ store }),
  };
  const listBlobs = async () => {
    const entries = await readdir(media, { recursive: true, withFileTypes: true });
    return entries
      .filter(entry => entry.isFile() && entry.name !== 'installation')
      .map(entry => path.join(entry.parentPath, entry.name));
  };
  const place = { dataDir: directory.path, clock, deps, uploaded, listBlobs };
  const running = opened.move();
  return { ...place, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
