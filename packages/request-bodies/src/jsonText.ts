/** Parses whole JSON bodies. */
import { BodyFailure } from './bodyFailure.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** An empty body counts as absent. */
export function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch (error) {
    throw new BodyFailure('invalid_json', `The body is not valid JSON: ${describeJsonError(error)}.`);
  }
}

/** Returns the JSON parser's message without its quote from the body, which may contain a secret. */
function describeJsonError(error: unknown): string {
  if (!(error instanceof SyntaxError)) return 'it is not UTF-8';
  const { message } = error;
  if (/ at position \d+/.test(message)) return message.replace(' in JSON at ', ' at ');
  return /^Unexpected (?:token '.+?'(?=,)|end)/su.exec(message)?.[0] ?? 'it cannot be parsed';
}
