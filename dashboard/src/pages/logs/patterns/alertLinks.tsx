/** Links from patterns to new rules: for one pattern, or for all new ones. */
import { Link } from '@tanstack/react-router';
import { type LogPattern, nameValues } from '../../../queries/logPatterns.ts';
import { styleButton } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { toggleOnly } from '../queryFilters.ts';
import type { LogSearch } from '../search.ts';

const nameCharactersMax = 60; // the text may be long

type PatternAlertLinkProps = { project: string; search: LogSearch; found: LogPattern };

export function PatternAlertLink({ project, search, found }: PatternAlertLinkProps) {
  const { template } = found;
  const query = toggleOnly('', 'pattern', nameValues(found));
  const words = `Alert me about ${template || 'these'}`;
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ dataset: search.dataset, query, name: template.slice(0, nameCharactersMax) || undefined }}
      aria-label={words}
      title="Alert me about this"
      className="grid size-7 place-items-center rounded-md text-muted hover:bg-ink/8 hover:text-ink"
    >
      <Icon name="bell" className="size-3.5" />
    </Link>
  );
}

export function NewPatternsAlertLink({ project, search }: { project: string; search: LogSearch }) {
  const { dataset, query } = search;
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ want: 'new', dataset, query }}
      className={styleButton({ size: 'small' })}
    >
      <Icon name="bell" />
      Alert me about new ones
    </Link>
  );
}
