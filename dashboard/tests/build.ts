/** The dashboard as served, rebuilt if its sources changed. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');

/** Resolves to the folder of the built files, as `npm start` does before serving, and `npm test` before all files. */
export async function buildDashboard(): Promise<string> {
  if (process.env.HAS_BUNDLE !== 'yes')
    await promisify(execFile)(process.execPath, [path.join(root, 'scripts/setup.mjs'), 'serve']);
  return path.join(root, 'dashboard/dist');
}
