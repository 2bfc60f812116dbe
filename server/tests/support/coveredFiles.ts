/** Tells in which files of the repository functions ran while something was going on, by V8's precise coverage. */
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = pathToFileURL(path.join(import.meta.dirname, '../../..')).href;
const own = /^\/(?:server|packages\/[\w-]+)\/src\//;

/** Of this thread. A file counts when one of its functions was called, not when one that waited goes on. */
type CoveredFiles = Disposable & {
  /** Forgets what ran until now. */
  forget(): Promise<void>;
  /** The files since then, sorted. */
  list(): Promise<string[]>;
};

export async function openCoveredFiles(): Promise<CoveredFiles> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const list = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
      .filter(({ url }) => url.startsWith(root))
      .map(({ url }) => url.slice(root.length))
      .filter(name => own.test(name))
      .map(name => name.slice(1))
      .sort();
  };
  return {
    forget: async () => void (await list()),
    list,
    [Symbol.dispose]: () => session.disconnect(),
  };
}
