/** Manages builds from this checkout's sources: checks whether a build matches the sources, and stores it. */
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
import { dirname, join } from 'node:path';
import { runProgram } from './program.mjs';

/**
 * @typedef {object} Build
 * @property {string} name For the stamp file and for messages.
 * @property {string} source A file without which this checkout has nothing to build.
 * @property {readonly string[]} sources The files that the build reads. The lock file stands for the packages.
 * @property {string} output A folder.
 * @property {string} proof A file of the output that every build makes.
 * @property {(root: string, draft: string) => { args: string[], directory: string }} call The Node.js command that builds it.
 */

const skipped = new Set(['node_modules', 'dist', 'tests']);
const stampPath = (root, { name }) => join(root, `.cache/${name}.json`);

/** Returns true if there is nothing to build: no source in this checkout, or a build of exactly these sources. */
export function isBuilt(root, build) {
  if (!existsSync(join(root, build.source))) return true;
  const stamp = readStamp(root, build);
  return stamp !== undefined && isWhole(root, build) && stamp.look === describeLook(root, build);
}

/** Returns true if only file times differ, as after a copy, and records the new times. */
export function recognizeBuild(root, build) {
  const stamp = readStamp(root, build);
  if (stamp?.content !== describeContent(root, build) || !isWhole(root, build)) return false;
  writeStamp(root, build, { look: describeLook(root, build), content: stamp.content });
  return true;
}

/** Builds in a separate place, so that a running service never sees half a build. */
export async function makeBuild({ root, nodePath }, build, hooks) {
  const { name, output } = build;
  const stamp = { look: describeLook(root, build), content: describeContent(root, build) };
  const draft = join(root, `.cache/${name}-draft`);
  hooks.say(`Building the ${name}.`);
  rmSync(draft, { recursive: true, force: true });
  await runProgram(
    {
      command: nodePath,
      ...build.call(root, draft),
      label: `building the ${name}`,
      failure: `The ${name} could not be built: correct what the build says above, and run the command again.`,
    },
    hooks,
  );
  rmSync(join(root, output), { recursive: true, force: true });
  renameSync(draft, join(root, output));
  writeStamp(root, build, stamp);
}

/** Returns whether both checkouts hold the same sources, whatever their file times. */
export function hasContentOf(root, other, build) {
  return describeContent(root, build) === describeContent(other, build);
}

/** Moves a build into a checkout of the same sources, which must not have one. */
export function moveBuild(from, to, build) {
  const stamp = { look: describeLook(to, build), content: describeContent(to, build) };
  mkdirSync(dirname(join(to, build.output)), { recursive: true });
  renameSync(join(from, build.output), join(to, build.output));
  writeStamp(to, build, stamp);
}

function isWhole(root, { output, proof }) {
  return existsSync(join(root, output, proof));
}

function readStamp(root, build) {
  try {
    return JSON.parse(readFileSync(stampPath(root, build), 'utf8'));
  } catch {
    return undefined;
  }
}

function writeStamp(root, build, stamp) {
  mkdirSync(dirname(stampPath(root, build)), { recursive: true });
  writeFileSync(stampPath(root, build), JSON.stringify(stamp));
}

/** Returns sizes and times, which show in a few milliseconds whether any source changed. */
function describeLook(root, build) {
  return digest(root, build, path => {
    const { size, mtimeMs } = statSync(path);
    return `${size} ${mtimeMs}`;
  });
}

function describeContent(root, build) {
  return digest(root, build, path => readFileSync(path));
}

function digest(root, { sources }, describe) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const name of listFiles(root, source))
      hash.update(`\0${name}\0`).update(describe(`${root}/${name}`));
  }
  return hash.digest('hex');
}

/** Lists a file or everything in a folder, by paths from the root; none if it does not exist. Every start does this for 2,000 files. */
function listFiles(root, name) {
  const stats = statSync(`${root}/${name}`, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  return stats.isDirectory() ? listFolder(root, name) : [name];
}

function listFolder(root, folder) {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true })
    .filter(({ name }) => !skipped.has(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => {
      const path = `${folder}/${entry.name}`;
      if (entry.isFile()) return [path];
      return entry.isDirectory() ? listFolder(root, path) : listFiles(root, path);
    });
}
