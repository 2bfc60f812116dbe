/** Words that say what happened. Merging never treats them as varying. */

const words = `
  debug info notice warn warning err error fatal critical panic trace
  get post put patch delete head options
  true false null none yes no on off ok enabled disabled enable disable
  connect connected connecting disconnect disconnected disconnecting reconnected join joined left leave quit
  start started starting stop stopped stopping restart restarted failed failure success succeeded successful
  accept accepted reject rejected deny denied allow allowed refused granted revoked
  open opened close closed create created delete deleted remove removed add added update updated
  login logout signed kicked banned unbanned muted unmuted warned killed died spawned
  up down online offline online enter entered exit exited lost found timeout timed expired
  bought sold begin began end ended finished done
`;

const decisive: ReadonlySet<string> = new Set(words.split(/\s+/).filter(word => word !== ''));

const lengthMax = Math.max(...[...decisive].map(({ length }) => length));
const lowerA = 0x61;

/** Must be fast: it runs for each word of each template. Most words are long or in lower case. */
export function isDecisiveWord(word: string): boolean {
  if (word.length > lengthMax) return false;
  return decisive.has(word.charCodeAt(0) < lowerA ? word.toLowerCase() : word);
}
