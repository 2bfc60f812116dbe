/** Shows at a glance whether all is well: a lamp, a sentence, and a link for each reason. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hoursQuery, ratesQuery, slicesQuery } from '../../queries/home.ts';
import { machineQuery } from '../../queries/machine.ts';
import { rulesQuery } from '../../queries/rules.ts';
import { sessionsOfProjectQuery } from '../../queries/sessions.ts';
import { storageQuery } from '../../queries/storage.ts';
import { useLastError } from '../../ui/hooks/useLastFailure.ts';
import { reachVerdict, type Verdict } from './verdict.ts';

const lamps: Readonly<Record<Verdict['state'], string>> = {
  looking: 'bg-edge',
  fine: 'bg-good',
  note: 'bg-accent',
  bad: 'bg-danger',
  unknown: 'bg-edge',
};

type Found<Data> = { data: Data | undefined; error: Error | null };

/** Drops an older result once the query fails, because it may be outdated. */
function useFinding<Data>(found: Found<Data>, project: string): Data | null | undefined {
  const isFailed = useLastError(found, project) !== null;
  return isFailed ? null : found.data;
}

export function StatusPanel({ project, isOwner }: { project: string; isOwner: boolean }) {
  const hours = useFinding(useQuery(hoursQuery(project)), project);
  const minutes = useFinding(useQuery(ratesQuery(project)), project);
  const slices = useFinding(useQuery(slicesQuery(project)), project);
  const rules = useFinding(useQuery(rulesQuery(project)), project);
  const sessions = useFinding(useQuery(sessionsOfProjectQuery(project)), project);
  const storage = useFinding(useQuery(storageQuery(project)), project);
  const machine = useFinding(useQuery({ ...machineQuery, enabled: isOwner }), project);
  const findings = { hours, minutes, slices, rules, sessions, storage, ...(isOwner && { machine }) };
  const { state, sentence, detail, reasons } = reachVerdict(findings, { project, now: Date.now() });
  // Several reasons may share a link.
  const ways = [...new Map(reasons.flatMap(({ way }) => (way ? [[way.words, way] as const] : []))).values()];
  return (
    <section
      aria-label="Status"
      className="flex items-start gap-4 rounded-xl border border-line bg-panel px-4 py-4 shadow-panel sm:px-5"
    >
      <span
        aria-hidden="true"
        data-lamp={state}
        className={`mt-2 size-3.5 shrink-0 rounded-full ring-4 ring-ink/6 ${lamps[state]}`}
      />
      <div className="grid min-h-14 min-w-0 content-center gap-1">
        <p role="status" className="text-xl font-semibold tracking-tight text-balance wrap-anywhere">
          {sentence}
        </p>
        {ways.length > 0 ? (
          <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
            {ways.map(({ words, link }) => (
              <li key={words}>
                <Link {...link} className="underline decoration-edge underline-offset-3 hover:decoration-ink">
                  {words}
                </Link>
              </li>
            ))}
          </ul>
        ) : (
          <p className="text-sm text-muted">
            {reasons.length > 0 ? 'See the tiles below for details.' : detail}
          </p>
        )}
      </div>
    </section>
  );
}
