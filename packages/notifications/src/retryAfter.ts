/** Reads when a receiver wants the next request, in each form that receivers use. */

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns milliseconds from `now`, or null without a hint. Header names are in lower case. The longest of several hints counts. */
export function readRetryAfter(headers: Headers, body: string, now: number): number | null {
  const resetSeconds = readSeconds(headers['x-ratelimit-reset-after']);
  const said = [readSeconds(headers['retry-after']), readBody(body)].map(value =>
    correctUnit(value, resetSeconds),
  );
  const waits = [resetSeconds, ...said]
    .filter(seconds => seconds !== null)
    .map(seconds => Math.ceil(seconds * 1_000));
  const dated = readDate(headers['retry-after']);
  if (dated !== null) waits.push(Math.max(dated - now, 0));
  return waits.length === 0 ? null : Math.max(...waits);
}

/** Discord's addresses without a version may answer in milliseconds, like its oldest version. The header is always in seconds. */
function correctUnit(value: number | null, resetSeconds: number | null): number | null {
  if (value === null || resetSeconds === null) return value;
  const isInMilliseconds = value >= 100 && Math.abs(value / 1_000 - resetSeconds) < 0.1;
  return isInMilliseconds ? value / 1_000 : value;
}

function readSeconds(value: string | readonly string[] | undefined): number | null {
  const text = first(value);
  return /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) : null;
}

function readDate(value: string | readonly string[] | undefined): number | null {
  const text = first(value);
  // JavaScript accepts a bare year as a date; HTTP dates contain words.
  const at = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? at : null;
}

function first(value: string | readonly string[] | undefined): string {
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
}

/** Discord's responses contain it. */
function readBody(body: string): number | null {
  if (!body.includes('"retry_after"')) return null;
  try {
    const value: unknown = JSON.parse(body)?.retry_after;
    return typeof value === 'number' && value >= 0 && value < 1e12 ? value : null;
  } catch {
    return null; // not JSON
  }
}
