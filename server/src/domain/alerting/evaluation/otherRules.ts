/** Evaluates rules that do not read log entries: quiet servers and storage quotas. */
import type { Transition } from '@tapedeck/alert-rules';
import type { Rule, RuleMemory } from '../../ports/alerting.ts';
import type { FileRecords } from '../../ports/files.ts';
import type { MetadataStore } from '../../ports/metadata.ts';
import type { SdkIdentity, SdkSessions } from '../../ports/sdkSessions.ts';
import type { Step } from './transitions.ts';

export type OtherDeps = {
  store: Pick<MetadataStore, 'read'>;
  files: Pick<FileRecords, 'usage'>;
  sdkSessions: Pick<SdkSessions, 'list' | 'listExpired'>;
};

type Looked = { rule: Rule; watch: RuleMemory; now: number };

/** Who ran out fires until it reports again. */
export async function judgeSessions({ sdkSessions }: OtherDeps, { rule, watch, now }: Looked): Promise<Step> {
  const { project } = rule;
  const { at } = watch.windows;
  const expired = await sdkSessions.listExpired(project, { after: at, upTo: now });
  const living = new Set(
    (await sdkSessions.list(project, now)).map(({ identity }) => nameIdentity(identity)),
  );
  const firing = watch.firing.map(({ value }) => value);
  const quiet = [...new Set(expired.map(({ identity }) => nameIdentity(identity)))];
  const transitions: Transition[] = [
    ...quiet
      .filter(value => !firing.includes(value) && !living.has(value))
      .map(value => ({ kind: 'fired', value, at: now, count: 1 }) as const),
    ...firing
      .filter(value => living.has(value))
      .map(value => ({ kind: 'resolved', value, at: now, count: 0 }) as const),
  ];
  return { windows: { ...watch.windows, at: now }, transitions, trouble: null };
}

function nameIdentity(identity: SdkIdentity): string {
  return identity.sdkType === 'server_a'
    ? `${identity.resourceName} (${identity.endpoint})`
    : `${identity.universeId} / ${identity.jobId}`;
}

const withoutQuota =
  'The project has no quota that could fill up; an owner of the installation sets quotas of bytes and of files.';

/** Each of the two quotas by itself. */
export async function judgeStorage({ store, files }: OtherDeps, { rule, watch, now }: Looked): Promise<Step> {
  const { project: slug, condition } = rule;
  const [project, usage] = await Promise.all([store.read.projects.find(slug), files.usage(slug)]);
  const threshold = condition.kind === 'storage' ? condition.value : 100;
  const firing = new Set(watch.firing.map(({ value }) => value));
  const quotas = { bytes: project?.bytesMax ?? null, files: project?.filesMax ?? null };
  const transitions = (['bytes', 'files'] as const).flatMap((value): Transition[] => {
    const most = quotas[value];
    const percent = most === null ? 0 : most === 0 ? 100 : Math.floor((usage[value] / most) * 100);
    const isFull = most !== null && percent >= threshold;
    if (isFull === firing.has(value)) return [];
    return [{ kind: isFull ? 'fired' : 'resolved', value, at: now, count: percent }];
  });
  const hasQuota = quotas.bytes !== null || quotas.files !== null;
  return { windows: { ...watch.windows, at: now }, transitions, trouble: hasQuota ? null : withoutQuota };
}
