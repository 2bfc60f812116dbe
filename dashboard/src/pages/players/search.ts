/** Reads and writes the player and the timeline's filters in the address. */

/** `entry` and `file` are all of these; the others are types of files. */
const timelineRows = ['entry', 'file', 'image', 'video', 'audio'] as const;
type TimelineRows = (typeof timelineRows)[number];

export type PlayerSearch = {
  /** Searched for, where no player is open. */
  q?: string | undefined;
  kind?: string | undefined;
  id?: string | undefined;
  /** Rows of the timeline; absent: all. */
  rows?: TimelineRows | undefined;
  resource?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const texts = ['q', 'kind', 'id', 'resource', 'from', 'to'] as const;

/** Reads any address; unknown parts are left out, because keys without a value would remain in it. */
export function readPlayerSearch(raw: Readonly<Record<string, unknown>>): PlayerSearch {
  const search: PlayerSearch = {};
  const rows = timelineRows.find(known => known === raw.rows);
  if (rows !== undefined) search.rows = rows;
  for (const key of texts) {
    const value = raw[key];
    const isKept = key !== 'from' && key !== 'to' ? value !== '' : !Number.isNaN(Date.parse(String(value)));
    if (typeof value === 'string' && isKept) search[key] = value;
  }
  return search;
}
