/** Tells in which files of the repository functions ran while something was going on, by V8's precise coverage. */
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = pathToFileURL(path.join(import.meta.dirname, '../../..')).href;
const own = /^\/(?:server|packages\/[\w-]+)\/src\//;

/** Covers this thread. A file counts when one of its functions was called, not when a suspended one resumes. */
type CoveredFiles = Disposable & {
  /** Forgets what ran until now. */
  forget(): Promise<void>;
  /** The files since then, each with the functions that ran in it. */
  list(): Promise<Map<string, readonly string[]>>;
};

export async function openCoveredFiles(): Promise<CoveredFiles> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const list = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result
      .filter(({ url }) => url.startsWith(root) && own.test(url.slice(root.length)))
      .map(({ url, functions }) => {
        const called = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
        return [url.slice(root.length + 1), called.map(({ functionName }) => functionName)] as const;
      });
    return new Map(ran.filter(([, names]) => names.length > 0));
  };
  return {
    forget: async () => void (await list()),
    list,
    [Symbol.dispose]: () => session.disconnect(),
  };
}
