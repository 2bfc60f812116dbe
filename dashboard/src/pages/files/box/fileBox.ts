/** The state of the files' query box: the log query language over file fields. */
import { useQueryClient } from '@tanstack/react-query';
import { listFileSpans } from '@tapedeck/log-query-language';
import { filesKey } from '../../../queries/files.ts';
import { useBoxText } from '../../../queryBox/boxText.ts';
import { type QueryBoxState, useAttention, useQueryBox } from '../../../queryBox/queryBox.ts';
import { useRecentSearches } from '../../../queryBox/recentSearches.ts';
import { listFileOptions } from './fileCompletion.ts';
import { useFileValues } from './fileValues.ts';

export type FileBoxProps = {
  project: string;
  query: string;
  onChange: (query: string) => void;
  /** Why the service rejected the query. */
  refusal: Error | null;
};

export function useFileBox({ project, query, onChange, refusal }: FileBoxProps): QueryBoxState {
  const recent = useRecentSearches(project, 'files');
  const queries = useQueryClient();
  const box = useBoxText(query);
  const attention = useAttention();
  const known = useFileValues({ project, place: box, isNeeded: attention.state !== 'none' });
  return useQueryBox({
    listSpans: listFileSpans,
    query,
    refusal,
    recent,
    box,
    attention,
    listOptions: () => listFileOptions(box, { ...known, searches: recent.searches }),
    onSearch: wanted => {
      if (wanted === query) void queries.invalidateQueries({ queryKey: filesKey(project) });
      else onChange(wanted);
    },
  });
}
