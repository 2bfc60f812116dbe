/** Which player is shown, and what of the timeline, as it stands in the address. */

export type PlayerSearch = {
  /** Searched for, where no player is open. */
  q?: string | undefined;
  kind?: string | undefined;
  id?: string | undefined;
  /** Rows of the timeline: `entry` or `file`; absent: both. */
  rows?: 'entry' | 'file' | undefined;
  resource?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** Whatever stands in the address; what is not known is left out. */
export function readPlayerSearch(raw: Readonly<Record<string, unknown>>): PlayerSearch {
  const text = (key: string) => (typeof raw[key] === 'string' && raw[key] !== '' ? raw[key] : undefined);
  const instant = (key: string) => {
    const found = text(key);
    return found !== undefined && !Number.isNaN(Date.parse(found)) ? found : undefined;
  };
  const known = {
    ...{ q: text('q'), kind: text('kind'), id: text('id'), resource: text('resource') },
    rows: raw.rows === 'entry' || raw.rows === 'file' ? raw.rows : undefined,
    ...{ from: instant('from'), to: instant('to') },
  } satisfies PlayerSearch;
  // Keys without a value would stand in the address.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}
