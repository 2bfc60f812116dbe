/** Tells alert rules about the project's servers and quotas. */
import type { Facts } from '@tapedeck/alerting';
import type { FileRecords } from '../ports/files.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { SdkIdentity, SdkSession, SdkSessions } from '../ports/sdkSessions.ts';

type FactDeps = {
  store: Pick<MetadataStore, 'read'>;
  files: Pick<FileRecords, 'usage'>;
  sdkSessions: Pick<SdkSessions, 'list' | 'listExpired'>;
};

export function openFacts({ store, files, sdkSessions }: FactDeps): Facts {
  return {
    listSilent: async (project, span) => nameAll(await sdkSessions.listExpired(project, span)),
    listReporting: async (project, now) => nameAll(await sdkSessions.list(project, now)),
    listDecidedIssues: async project => {
      const decisions = await store.read.issues.list(project);
      return decisions.flatMap(({ state, ...about }) => (state === 'open' ? [] : [{ ...about, state }]));
    },
    readQuotas: async slug => {
      const [project, usage] = await Promise.all([store.read.projects.find(slug), files.usage(slug)]);
      return [
        { quota: 'bytes', percent: measurePercent(usage.bytes, project?.bytesMax ?? null) },
        { quota: 'files', percent: measurePercent(usage.files, project?.filesMax ?? null) },
      ];
    },
  };
}

function measurePercent(used: number, most: number | null): number | null {
  if (most === null) return null;
  return most === 0 ? 100 : Math.floor((used / most) * 100);
}

function nameAll(sessions: readonly SdkSession[]): string[] {
  return sessions.map(({ identity }) => nameIdentity(identity));
}

function nameIdentity(identity: SdkIdentity): string {
  return identity.sdkType === 'server_a'
    ? `${identity.resourceName} (${identity.endpoint})`
    : `${identity.universeId} / ${identity.jobId}`;
}
