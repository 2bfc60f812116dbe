/** Decides where the fields go: beside the entries if there is room, collapsed or not as the user prefers. */
import { useState } from 'react';
import { usePreference } from '../preferences.ts';
import { roomyQuery, spaciousQuery, useMediaQuery, wideQuery } from '../viewport.ts';

/** `behind`: hidden until a button opens the sheet. */
type FacetsPlace = 'column' | 'rail' | 'sheet' | 'behind';
export type FacetsShown = { place: FacetsPlace; toggle: () => void };

export function useFacetsShown(isEntryOpen: boolean): FacetsShown {
  const isRoomy = useMediaQuery(roomyQuery);
  const hasRoom = useMediaQuery(isEntryOpen ? spaciousQuery : wideQuery);
  const [liking, keep] = usePreference(isEntryOpen ? 'facetsBesideEntry' : 'facets');
  const [isSheet, setSheet] = useState(false);
  if (!isRoomy) return { place: isSheet ? 'sheet' : 'behind', toggle: () => setSheet(!isSheet) };
  const isColumn = liking === null ? hasRoom : liking === 'shown';
  return { place: isColumn ? 'column' : 'rail', toggle: () => keep(isColumn ? 'hidden' : 'shown') };
}
