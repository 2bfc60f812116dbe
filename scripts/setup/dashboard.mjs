/** The built dashboard: whether it matches its sources, and the build. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { runProgram } from './program.mjs';

/** What the build reads. The lock file stands for the packages. */
const sources = [
  'dashboard',
  'client',
  'server/src/contract',
  'server/src/vocabulary.ts',
  'package-lock.json',
];
const skipped = new Set(['node_modules', 'dist', 'tests']);
const outputPath = root => join(root, 'dashboard/dist');
const stampPath = root => join(root, '.cache/dashboard.json');

/** True when there is nothing to build: no dashboard in this checkout, or a build of just these sources. */
export function dashboardIsBuilt(root) {
  if (!existsSync(join(root, 'dashboard/index.html'))) return true;
  const stamp = readStamp(root);
  if (!stamp || !existsSync(join(outputPath(root), 'index.html'))) return false;
  return stamp.look === describeLook(root);
}

/** True when only the times of the files differ, as after a copy; notes the new times then. */
export function recognizeDashboard(root) {
  const stamp = readStamp(root);
  if (stamp?.content !== describeContent(root) || !existsSync(join(outputPath(root), 'index.html')))
    return false;
  writeStamp(root, { look: describeLook(root), content: stamp.content });
  return true;
}

/** Builds beside the final place, so that a running service never serves half a dashboard. */
export async function buildDashboard({ root, nodePath }, hooks) {
  const stamp = { look: describeLook(root), content: describeContent(root) };
  const draft = join(root, '.cache/dashboard-draft');
  hooks.say('Building the dashboard.');
  const vitePath = createRequire(join(root, 'dashboard/package.json')).resolve('vite/package.json');
  await runProgram(
    {
      command: nodePath,
      args: [join(dirname(vitePath), 'bin/vite.js'), 'build', '--outDir', draft, '--emptyOutDir'],
      label: 'building the dashboard',
      directory: join(root, 'dashboard'),
      failure:
        'The dashboard could not be built: correct what the build says above, and run the command again.',
    },
    hooks,
  );
  rmSync(outputPath(root), { recursive: true, force: true });
  renameSync(draft, outputPath(root));
  writeStamp(root, stamp);
}

function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampPath(root), 'utf8'));
  } catch {
    return undefined;
  }
}

function writeStamp(root, stamp) {
  mkdirSync(dirname(stampPath(root)), { recursive: true });
  writeFileSync(stampPath(root), JSON.stringify(stamp));
}

/** Sizes and times: enough to tell in a few milliseconds that nothing was touched. */
function describeLook(root) {
  return digest(root, path => {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  });
}

function describeContent(root) {
  return digest(root, path => readFileSync(path));
}

function digest(root, describe) {
  const hash = createHash('sha256');
  for (const path of listSources(root)) hash.update(`\0${relative(root, path)}\0`).update(describe(path));
  return hash.digest('hex');
}

function listSources(root) {
  return sources.map(name => join(root, name)).flatMap(path => (existsSync(path) ? listFiles(path) : []));
}

function listFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter(name => !skipped.has(name))
    .sort()
    .flatMap(name => listFiles(join(path, name)));
}
