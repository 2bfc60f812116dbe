/** Reads JSON answers of routes that are called without the client, as their shape says. */
import assert from 'node:assert/strict';
import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';

/** The body, which has the shape. */
export async function readAs<S extends TSchema>(shape: S, response: Response): Promise<Static<S>> {
  const text = await response.text();
  const answer: unknown = JSON.parse(text);
  assert.ok(Value.Check(shape, answer), `the answer has the shape: ${text}`);
  // Just checked against the shape that the type is computed from.
  return answer as Static<S>;
}

/** `200`, or of an error `403 scope_missing`. */
export async function summariseAnswer(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok || text === '') return String(response.status);
  // Every error has one.
  return `${response.status} ${(JSON.parse(text) as { code: string }).code}`;
}
