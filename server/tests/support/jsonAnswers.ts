/** Reads and checks JSON responses of routes that tests call without the client. */
import assert from 'node:assert/strict';
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';

/** Returns the body after checking its shape. */
export async function readAs<S extends TSchema>(shape: S, response: Response): Promise<Static<S>> {
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  assert.ok(Value.Check(shape, answer), `the response has the shape: ${text}`);
  // Checked above against the schema that the type derives from.
  return answer as Static<S>;
}

/** Returns `200`, or for an error `403 scope_missing`. */
export async function summariseAnswer(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok || text === '') return String(response.status);
  // Every error has a code.
  return `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
}
