/** The state of the logs' query box. Pasted URLs and traceIds open their target; other text is a query. */
import { useQueryClient } from '@tanstack/react-query';
import { listSpans } from '@tapedeck/log-query-language';
import { entryQuery, logsKeyOf } from '../../../queries/logs.ts';
import { type BoxText, useBoxText } from '../../../queryBox/boxText.ts';
import { type QueryBoxState, useAttention, useQueryBox } from '../../../queryBox/queryBox.ts';
import { useRecentSearches } from '../../../queryBox/recentSearches.ts';
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';
import { readAddress, readTraceId } from './addresses.ts';
import { listOptions } from './completion.ts';
import { useCompletionData } from './completionData.ts';

export type LogBoxProps = {
  project: string;
  search: LogSearch;
  onChange: ChangeSearch;
  /** The service's error; null if none. */
  refusal: Error | null;
  /** True if the box is a form field, where text counts at once. */
  isField?: boolean;
};

const pastedCharactersMin = 20; // a user cannot type so many at once

export function useLogBox({
  project,
  search,
  onChange,
  refusal,
  isField = false,
}: LogBoxProps): QueryBoxState {
  const { query = '' } = search;
  const recent = useRecentSearches(project, 'logs');
  const queries = useQueryClient();
  const box = useBoxText(query);
  const attention = useAttention();
  const known = useCompletionData({ project, search, place: box, isNeeded: attention.state !== 'none' });
  const follow = useFollowing({ project, onChange, box });
  return useQueryBox({
    listSpans,
    query,
    refusal,
    recent,
    box,
    attention,
    listOptions: () => listOptions(box, { ...known, searches: recent.searches }),
    onSearch: wanted => {
      if (wanted === query) void queries.invalidateQueries(logsKeyOf(project));
      else onChange({ query: wanted });
      void follow(wanted);
    },
    onType: (typed, event) => {
      if (isField) {
        box.replace(typed);
        onChange({ query: typed.trim() });
      }
      const isMuchAtOnce = typed.length - box.text.length >= pastedCharactersMin;
      if (isMuchAtOnce || isPaste(event)) void follow(typed);
    },
  });
}

function isPaste(event: Event): boolean {
  return event instanceof InputEvent && /^insertFrom(?:Paste|Drop)/.test(event.inputType);
}

/** Clears the parts of a search that a pasted URL does not mention. */
const nothing: LogSearch = {
  dataset: undefined,
  query: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
  entry: undefined,
  live: undefined,
};

type FollowingProps = Pick<LogBoxProps, 'project' | 'onChange'> & { box: BoxText };

/** Opens the entry of a traceId, or the search of a URL. Ignores other text. */
function useFollowing({ project, onChange, box }: FollowingProps) {
  const queries = useQueryClient();
  return async (text: string): Promise<void> => {
    const search = readAddress(text, project);
    const entry = readTraceId(text);
    if (search !== null) {
      box.replace(search.query ?? '');
      return onChange({ ...nothing, ...search });
    }
    if (entry === null) return;
    const isThere = await queries.fetchQuery(entryQuery(project, entry)).then(
      () => true,
      () => false, // then it is an ordinary search text
    );
    if (!isThere || box.input.current?.value.trim() !== text.trim()) return;
    onChange({ entry });
    box.reset();
  };
}
