/** Connects the catalogue's tools to a service under test, each with a token that allows what its guide needs. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { listFiles } from '@tapedeck/contract/files';
import { type Connection, type Guide, readsOnly, scopesOf } from '@tapedeck/guides';
import { withToken } from './client.ts';
import { addPerson, addToken } from './people.ts';
import type { TestService } from './service.ts';
import { type Entry, openLogBook } from './storedEntries.ts';

type GuideConnection = Connection & {
  readEntries(): Promise<Entry[]>;
  /** File names below the folder that the token is limited to, or below the default folder for messages. */
  listFileNames(): Promise<string[]>;
};

/** Holds characters that are special in shells, curl, URLs and programming languages. */
const awkwardFolder = `@shots/it's "50%" & $HOME \`id\` $(id) #{x}|;type=text/a b`;

/** Gives each connection a separate dataset if its guide has a place for one. */
export async function openGuideConnections(
  service: TestService,
): Promise<(guide: Guide) => Promise<GuideConnection>> {
  const owner = await addPerson(service, { isOwner: true });
  const book = await openLogBook(service);
  const media = withToken(service, (await addToken(owner)).token);
  let count = 0;
  return async guide => {
    const { narrowedBy, kind } = guide.token;
    const dataset = narrowedBy.includes('dataset') ? book.newDataset() : 'default';
    const folder = narrowedBy.includes('folder') ? `${awkwardFolder} ${++count}` : '';
    const scopes = scopesOf(guide, { dataset, folder });
    const { token } = await addToken(owner, { kind, scopes });
    return {
      address: service.url,
      token,
      dataset,
      folder,
      readEntries: () => book.read(dataset),
      listFileNames: async () => {
        const query = folder === '' ? {} : { path: folder };
        return (await media.call(listFiles, { query })).data.map(({ filename }) => filename);
      },
    };
  };
}

/** Polls until more entries or files are present, since tools do not report when they have sent. Tools that only read just need an answer. */
export async function awaitArrival(
  guide: Guide,
  { readEntries, listFileNames }: GuideConnection,
  before: number,
): Promise<void> {
  if (readsOnly(guide)) return;
  const deadline = performance.now() + 20_000;
  for (;;) {
    const { length } = guide.sends === 'media' ? await listFileNames() : await readEntries();
    if (length > before) return;
    assert.ok(performance.now() < deadline, `nothing of ${guide.title} has arrived`);
    await wait(20);
  }
}
