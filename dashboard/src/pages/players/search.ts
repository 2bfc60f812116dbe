/** Reads and writes the player and the timeline's filters in the address. */

/** `entry` and `file` include all of their kind; the others are file types. */
const timelineRows = ['entry', 'file', 'image', 'video', 'audio'] as const;
type TimelineRows = (typeof timelineRows)[number];

export type PlayerSearch = {
  /** The search text, if no player is open. */
  q?: string | undefined;
  kind?: string | undefined;
  id?: string | undefined;
  /** The timeline's rows; absent: all. */
  rows?: TimelineRows | undefined;
  resource?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const texts = ['q', 'kind', 'id', 'resource', 'from', 'to'] as const;

/** Reads any address and ignores unknown parts. Omits keys without a value, because the address would show them. */
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
