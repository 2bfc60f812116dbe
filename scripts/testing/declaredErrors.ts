/** Compares the errors that the contract declares with those that tests provoked. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../repository.ts';

/** A route's own errors, and those that follow from its access and shape. */
type DeclaredErrors = {
  id: string;
  method: string;
  path: string;
  own: readonly string[];
  implied: readonly string[];
};
type ObservedError = { route: string; code: string };

const observedDirectory = join(repositoryRoot, '.cache/observed-errors');

/** Clears errors recorded by an earlier run. */
export function forgetObservedErrors(): void {
  rmSync(observedDirectory, { recursive: true, force: true });
}

export function readObservedErrors(): ObservedError[] {
  try {
    return readdirSync(observedDirectory)
      .flatMap(name => readFileSync(join(observedDirectory, name), 'utf8').split('\n'))
      .filter(Boolean)
      .map((line): ObservedError => JSON.parse(line));
  } catch {
    return []; // no test provoked any
  }
}

/**
 * Returns a sentence for each error that no test shows. A test must show a route's own errors on that route. An implied error comes from one
 * mechanism for all routes, so any route will do.
 */
export function findUntestedErrors(
  declared: readonly DeclaredErrors[],
  observed: readonly ObservedError[],
): string[] {
  const seen = new Set(observed.map(({ route, code }) => `${route} ${code}`));
  const seenAnywhere = new Set(observed.map(({ code }) => code));
  const own = declared.flatMap(({ id, method, path, own: codes }) =>
    codes
      .filter(code => !seen.has(`${id} ${code}`))
      .map(
        code =>
          `${method} ${path} (${id}) declares ${code}: add a test that provokes it, or take it out of the contract.`,
      ),
  );
  const implied = [...new Set(declared.flatMap(route => route.implied))]
    .filter(code => !seenAnywhere.has(code))
    .map(
      code => `Routes declare ${code} by their access or shape: add a test that provokes it on one of them.`,
    );
  return [...own, ...implied];
}
