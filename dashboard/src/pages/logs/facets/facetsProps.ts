/** The props that the list of fields shares with each field. */
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';

export type FacetsProps = {
  project: string;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
};
