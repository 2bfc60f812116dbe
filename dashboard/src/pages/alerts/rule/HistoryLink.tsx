/** Links to what a rule saw at a moment: entries, live sessions or quotas. */
import { Link } from '@tanstack/react-router';
import type { Rule } from '../../../queries/rules.ts';
import { searchAtMoment } from './historySearch.ts';

type MomentLinkProps = {
  project: string;
  rule: Rule;
  at: string;
  value: string | null;
  /** The start of the alert, if earlier. */
  since?: string;
  children: string;
};

const style = 'underline decoration-edge underline-offset-3 hover:decoration-ink';

export function HistoryLink({ project, rule, at, value, since, children }: MomentLinkProps) {
  const search = searchAtMoment(rule, { at: since ?? at, value });
  const params = { project };
  if (search !== null) {
    return (
      <Link
        to="/projects/$project/logs"
        params={params}
        search={since === undefined ? search : { ...search, to: undefined }}
        className={style}
      >
        {children}
      </Link>
    );
  }
  const isServer = rule.kind === 'session_quiet';
  return (
    <Link
      to={isServer ? '/projects/$project/sessions' : '/projects/$project/settings'}
      params={params}
      className={style}
    >
      {isServer ? 'Live sessions' : 'Quotas'}
    </Link>
  );
}

/** `12 entries`, `81 %`; empty for a server, which has no count. */
export function countedWords({ kind }: Rule, count: string): string {
  if (kind === 'storage') return `${count} %`;
  return kind === 'session_quiet' ? '' : `${count} ${count === '1' ? 'entry' : 'entries'}`;
}
