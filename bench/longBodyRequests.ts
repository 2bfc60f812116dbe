/** Batches of long entries, as crash reports and dumps of state are: stack traces, and a blob in every fourth body. */

const bodyBytes = 65_536; // the most that an entry may have
const modules = 'inventory matchmaking economy world physics chat vehicles anticheat queue database'.split(
  ' ',
);
const calls = 'load save spawn release resolve flush attach publish settle measure restore despawn'.split(
  ' ',
);
const tracesEach = 4; // one body in so many is a blob
const players = 9_000;

/** A word that one entry in so many has. */
export const rareWord = 'zyzzyva';
const rareEach = 997;

/** The same number makes the same entry, whose body is as long as a body may be. */
export function makeLongEntry(number: number): object {
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

/** Numbers below 2^32 that look random. */
function openRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
