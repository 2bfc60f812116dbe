/** Exports everything as rows, and imports it again. */
import assert from 'node:assert/strict';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import type { ExportedRow } from '@tapedeck/metadata-database';
import { layout } from '../../src/layout.ts';
import { openMetadataStore } from '../../src/store.ts';
import type { ConformanceCase } from './cases.ts';
import { sampleFolderMove } from './folderMoveCases.ts';
import { sampleSubjectNote } from './noteSamples.ts';
import {
  insertDefaultProject,
  sampleChange,
  sampleChannel,
  sampleDelivery,
  sampleEntry,
  sampleFactor,
  sampleFile,
  sampleIdentity,
  sampleInvitation,
  sampleLogView,
  samplePasskey,
  sampleProject,
  sampleRule,
  sampleSdkSession,
  sampleSession,
  sampleToken,
  sampleUser,
  sampleWatch,
} from './samples.ts';
import { sampleUploadLink } from './uploadLinkCases.ts';

const tokensPerTransaction = 200; // a transaction must end within five seconds, even on a busy machine

async function insertTokens(store: MetadataStore): Promise<void> {
  for (let first = 1; first < 1234; first += tokensPerTransaction)
    await store.manage(async ({ tokens }) => {
      for (let index = first; index < Math.min(first + tokensPerTransaction, 1234); index += 1)
        await tokens.insert(sampleToken({ id: `token${index}`, name: '"\\\n😀' }));
    });
}

/** Stores something in every table, and more than a page in one. */
export async function fillStore(store: MetadataStore): Promise<void> {
  await insertDefaultProject(store);
  await store.manage(async ({ projects, tokens }) => {
    await projects.insert(
      sampleProject({ slug: 'ä-second', deletedAt: 4, bytesMax: Number.MAX_SAFE_INTEGER }),
    );
    await tokens.insert(sampleToken({ id: 'token0', name: '"\\\n😀' }));
  });
  await insertTokens(store);
  await store.manage(({ tokens }) => tokens.revoke(['token7'], 9));
  await store.write(async ({ users, memberships, signIns, audit, leases, tokens, logViews }) => {
    await users.insert(sampleUser({ id: 'a', isOwner: true }));
    await users.insert(sampleUser({ id: 'b' }));
    await memberships.put({ userId: 'b', project: 'default', role: 'viewer' });
    await memberships.put({ userId: 'b', project: 'ä-second', role: 'admin' });
    await signIns.insertSession(sampleSession({ userId: 'a' }));
    await signIns.putFailures({ key: 'account:x', failures: 3, lastFailedAt: 5 });
    await audit.append(sampleEntry({ id: 'one', details: { nul: '\u0000', big: 1e21 } }));
    await audit.append(sampleEntry({ id: 'two', project: null }));
    await leases.acquire({ name: 'sweep', holder: 'a', expiresAt: 9 }, { now: 1, heldUntilMax: 9 });
    await logViews.insert(sampleLogView());
    await tokens.recordUses([{ id: 'token3', usedAt: 77 }]);
  });
  await store.write(async ({ channels, rules, watches, deliveries, storageDays }) => {
    await storageDays.note({ project: 'default', day: 1, at: 2, image: 3, video: 4, audio: 5, logs: 6 });
    await channels.insert(sampleChannel());
    await rules.insert(sampleRule());
    await watches.replace(sampleWatch(), null);
    await watches.record([sampleChange()]);
    await deliveries.insert([sampleDelivery()]);
  });
  await store.write(async ({ invitations, secondFactors, passkeys, identities, spentTickets }) => {
    await invitations.insert(sampleInvitation());
    await secondFactors.put(sampleFactor({ userId: 'a' }));
    await secondFactors.replaceRecoveryCodes('a', ['one', 'two']);
    await passkeys.insert(samplePasskey({ userId: 'a' }));
    await identities.insert(sampleIdentity({ userId: 'b' }));
    await spentTickets.spend('ticket', 9);
  });
  const removed = sampleFile({ id: 'file2' });
  await store.files.insert(
    sampleFile({ id: 'file1', path: 'clips/today', metadata: { player: { name: 'Ö' } } }),
  );
  await store.files.insert(removed);
  await store.files.remove(removed, 5);
  const trashed = sampleFile({ id: 'file3' });
  await store.files.insert(trashed);
  await store.files.trash(trashed, 7);
  await store.write(async ({ issues, subjectNotes, uploadLinks, folderMoves }) => {
    const decided = { decidedAt: 1_700_000_000_000, decidedBy: 'user a@example.org' };
    await issues.put({ project: 'default', pattern: 'a'.repeat(16), state: 'ignored', ...decided });
    await subjectNotes.insert(sampleSubjectNote());
    await uploadLinks.insert(sampleUploadLink());
    await folderMoves.insert(sampleFolderMove());
  });
  await store.presignedUses.claim({ tokenId: 'presigned', usesMax: 2, expiresAt: 9, forgottenUntil: null });
  await store.sdkSessions.open(sampleSdkSession());
}

export async function readAllRows(store: MetadataStore): Promise<ExportedRow[]> {
  return await Array.fromAsync(store.exportRows());
}

/** Writes and reads rows as JSON, as a backup does. */
export async function* passThroughJson(rows: readonly ExportedRow[]): AsyncGenerator<ExportedRow> {
  for (const row of rows) yield JSON.parse(JSON.stringify(row)) as ExportedRow; // the type of what was written
}

/** Leaves out migrations, which store the time when they were applied. */
export function withoutMigrations(rows: readonly ExportedRow[]): readonly ExportedRow[] {
  return rows.filter(({ table }) => table !== 'migrations');
}

export const snapshotCases: readonly ConformanceCase[] = [
  {
    title: 'an export, as JSON, imported elsewhere is the same to the last row',
    run: async ({ store, adapter }) => {
      await fillStore(store);
      const rows = await readAllRows(store);
      const exported = new Set(rows.map(({ table }) => table));
      assert.deepEqual(
        [...exported],
        ['migrations', ...layout.tables.map(({ table }) => table)],
        'every table has rows',
      );
      await using database = await adapter.createMigrated();
      await using copy = await openMetadataStore(database.config);
      await copy.importRows(passThroughJson(rows));
      assert.deepEqual(withoutMigrations(await readAllRows(copy)), withoutMigrations(rows));
      assert.deepEqual(await copy.readAccessChanges(0), await store.readAccessChanges(0));
      await copy.manage(records => records.projects.insert(sampleProject({ slug: 'after' })));
      assert.equal(
        (await copy.readAccessChanges(0)).revision,
        (await store.readAccessChanges(0)).revision + 1,
      );
    },
  },
  {
    title: 'rejects a database that is not empty',
    run: async ({ store }) => {
      await insertDefaultProject(store);
      const good = await readAllRows(store);
      await assert.rejects(store.importRows(passThroughJson(good)), { code: 'already_set_up' });
    },
  },
];
