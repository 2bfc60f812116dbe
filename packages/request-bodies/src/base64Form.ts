/** Reads one base64 file from a URL-encoded form as it arrives. Skips the other fields, of which there may be a million. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import { BodyFailure } from './bodyFailure.ts';

const nameCharactersMax = 1024; // far longer than the known names
const ampersand = '&';

/**
 * Returns the unescaped text of the first field with one of the names. Keeps an unescaped `+`, which means a blank in forms but belongs to base64.
 */
export async function* readFormField(
  chunks: AsyncIterable<Buffer>,
  names: readonly string[],
): AsyncGenerator<Buffer> {
  let state: 'name' | 'wanted' | 'passed' = 'name';
  let isFound = false;
  let rest = '';
  const pause = takeTurns();
  for await (const chunk of chunks) {
    let text = rest + chunk.toString('latin1');
    for (rest = ''; text !== ''; ) {
      const waiting = pause();
      if (waiting !== null) await waiting;
      const end = text.indexOf(state === 'name' ? '=' : ampersand);
      const part = end === -1 ? text : text.slice(0, end);
      text = end === -1 ? '' : text.slice(end + 1);
      if (state === 'name') {
        if (part.length > nameCharactersMax) throw missingError(names);
        // A field without a value ends with an ampersand, and the next name follows.
        const name = undoEscapes(part.slice(part.lastIndexOf(ampersand) + 1));
        if (end === -1) rest = part;
        else {
          state = names.includes(name) && !isFound ? 'wanted' : 'passed';
          isFound ||= state === 'wanted';
        }
        continue;
      }
      if (state === 'wanted') {
        const whole = end === -1 ? part.replace(/%[0-9a-f]?$/i, '') : part;
        rest = part.slice(whole.length);
        yield Buffer.from(undoEscapes(whole), 'latin1');
      }
      if (end !== -1) state = 'name';
    }
  }
  if (!isFound) throw missingError(names);
  if (state === 'wanted') yield Buffer.from(rest, 'latin1'); // half an escape, which is not base64
}

function undoEscapes(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function missingError(names: readonly string[]): BodyFailure {
  const [field = ''] = names;
  return new BodyFailure('file_missing', `Add the field "${field}" with the file in base64.`, { field });
}
