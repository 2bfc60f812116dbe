/** The header Upload-Metadata: names, each with a value in base64. */
import { ResumableFailure } from './failures.ts';

/** A name without a value gets ''. If a name occurs twice, the last value counts. */
export function readMetadata(header: string): Record<string, string> {
  const pairs = header
    .split(',')
    .map(pair => pair.trim())
    .filter(pair => pair !== '');
  return Object.fromEntries(pairs.map(readPair));
}

function readPair(pair: string): [name: string, value: string] {
  const [, name, encoded = ''] = /^([^\s]+)(?: +([A-Za-z0-9+/_-]*={0,2}))?$/.exec(pair) ?? [];
  if (name === undefined) throw unreadableError();
  const bytes = Buffer.from(encoded, 'base64');
  try {
    return [name, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)];
  } catch (cause) {
    throw unreadableError(cause);
  }
}

function unreadableError(cause?: unknown): ResumableFailure {
  return new ResumableFailure(
    'bad_request',
    'The header Upload-Metadata must hold names, each with a space and a UTF-8 text in base64, separated by commas.',
    { cause },
  );
}
