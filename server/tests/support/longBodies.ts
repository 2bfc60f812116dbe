/** Long entries like crash reports and state dumps, a blob in every fourth body, and the queries about them. */

const bodyBytes = 65_536; // the maximum size of an entry
const modules = 'inventory matchmaking economy world physics chat vehicles anticheat queue database'.split(
  ' ',
);
const calls = 'load save spawn release resolve flush attach publish settle measure restore despawn'.split(
  ' ',
);
const tracesEach = 4; // every fourth body is a blob
const players = 9_000;

/** A word that one entry in so many contains. */
export const rareWord = 'zyzzyva';
const rareEach = 997;

/** Every kind of query: the path after `/api`, with the trace that some of them look up. */
export const questionsOfLongBodies: Readonly<Record<string, (project: string, traceId: string) => string>> = {
  'newest page': () => '/v3/logs?limit=50',
  'oldest page': () => '/v3/logs?limit=50&order=asc',
  'page of 100 at offset 1,000': () => '/v3/logs?limit=100&offset=1000',
  'newest errors': () => '/v3/logs?limit=50&level=error',
  'common word': () => '/v3/logs?limit=50&query=spawn',
  'rare word': () => `/v3/logs?limit=50&query=${rareWord}`,
  'absent word': () => '/v3/logs?limit=50&query=qwertzuiop',
  'absent short text': () => '/v3/logs?limit=50&body=%22qx%3F%22',
  'absent number': () => '/v3/logs?limit=50&query=7391274123',
  'q, a player': () => '/v3/logs?limit=50&q=104711',
  'not a word': () => '/v3/logs?limit=50&query=-spawn',
  'count of a word': () => '/v3/logs?limit=1&includeTotal=true&query=despawn',
  'count of letters': () => '/v3/logs?limit=1&includeTotal=true&query=espaw',
  'count without a word': () => '/v3/logs?limit=1&includeTotal=true&query=-despawn',
  'count of errors': () => '/v3/logs?limit=1&includeTotal=true&level=error',
  histogram: () => '/v3/logs/histogram?buckets=60',
  'histogram of a word': () => '/v3/logs/histogram?buckets=60&query=despawn',
  'facet level': () => '/v3/logs/facets?field=level',
  'facet of a word': () => '/v3/logs/facets?field=metadata.map&query=despawn',
  fields: () => '/v3/logs/fields',
  'fields of a word': () => '/v3/logs/fields?query=despawn',
  values: () => '/v3/logs/values?field=metadata.map',
  'values of a word': () => '/v3/logs/values?field=metadata.map&query=despawn',
  patterns: () => '/v3/logs/patterns?buckets=24',
  'patterns of a word': () => '/v3/logs/patterns?buckets=24&query=despawn',
  'patterns of an hour': () => `/v3/logs/patterns?from=${new Date(Date.now() - 3_000_000).toISOString()}`,
  series: () => '/v3/logs/series?buckets=24&by=metadata.map&stat=avg&field=metadata.ping',
  'series of a word': () => '/v3/logs/series?buckets=24&query=despawn&stat=p99&field=metadata.ping',
  entry: (_, traceId) => `/v3/logs/${traceId}`,
  context: (_, traceId) => `/v3/logs/${traceId}/context?before=20&after=20`,
  children: (_, traceId) => `/v3/logs/${traceId}/children`,
  datasets: () => '/v3/logs/datasets',
  storage: project => `/manage/projects/${project}/storage`,
  usage: project => `/manage/projects/${project}/usage`,
  'export of a word': () => '/v3/logs/export?format=ndjson&query=despawn',
  'export, whole': () => '/v3/logs/export?format=ndjson',
};

/** Returns the same entry for the same number. Its body has the maximum length. */
export function makeLongEntry(number: number): { message: string } & Record<string, unknown> {
  const random = openRandom(number);
  const ending = number % rareEach === 5 ? ` ${rareWord}` : '';
  const text = number % tracesEach === 1 ? composeBlob(random) : composeTrace(random);
  return {
    level: number % 5 === 0 ? 'error' : 'warn',
    message: `${text.slice(0, bodyBytes - ending.length)}${ending}`,
    resource: `server-${number % 40}`,
    metadata: {
      playerId: String(100_000 + (random() % players)),
      ping: random() % 300,
      map: modules[number % 7],
    },
  };
}

function composeTrace(random: () => number): string {
  const lines = ['Unhandled exception while a round ended'];
  for (let length = 0; length < bodyBytes; length += (lines.at(-1) ?? '').length + 1) {
    const [module, call] = [modules[random() % modules.length], calls[random() % calls.length]];
    const line = random() % 4_000;
    lines.push(
      `  at ${module}.${call} (${module}/${call}.lua:${line}) frame ${random().toString(16)} in ${line % 97} ms`,
    );
  }
  return lines.join('\n');
}

function composeBlob(random: () => number): string {
  const bytes = Buffer.alloc((bodyBytes * 3) / 4);
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(random(), at);
  return bytes.toString('base64');
}

/** Returns a generator of pseudo-random numbers below 2^32. */
function openRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
