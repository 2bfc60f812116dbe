/** What the list of fields and each of its fields are given. */
import type { LogSearch } from '../search.ts';
import type { ChangeSearch } from '../useLogSearch.ts';

export type FacetsProps = {
  project: string;
  search: LogSearch;
  /** The search error that the page already shows. */
  shownError: string | null;
  onChange: ChangeSearch;
};
