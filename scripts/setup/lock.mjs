/** Allows one set-up at a time, by a lock file that names the processes at work. If all of them are gone, another set-up takes it over. */
import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SetupProblem } from './problem.mjs';

const pollIntervalMs = 250; // feels immediate to a waiting user
const heartbeatIntervalMs = 1_000;
const silentPollsMax = 120; // half a minute without a heartbeat, for holders whose processes cannot be checked

/**
 * Runs `work` while holding the lock. `work` reports the programs it starts, so that other set-ups wait for them even if this process is killed.
 * @param {string} path
 * @param {(onStart: (pid: number) => void) => Promise<void>} work
 * @param {(sentence: string) => void} say
 */
export async function withLock(path, work, say) {
  const holder = { place: describePlace(), processes: [identifyProcess(process.pid)] };
  await takeLock(path, holder, say);
  const heartbeat = setInterval(() => showLife(path), heartbeatIntervalMs);
  try {
    await work(pid => {
      holder.processes.push(identifyProcess(pid));
      writeFileSync(path, JSON.stringify(holder));
    });
  } finally {
    clearInterval(heartbeat);
    rmSync(path, { force: true });
  }
}

async function takeLock(path, holder, say) {
  let waited = false;
  let silent = { beat: 0, polls: 0 };
  while (!tryCreate(path, holder)) {
    const other = readLock(path);
    silent =
      other?.beat === silent.beat
        ? { beat: silent.beat, polls: silent.polls + 1 }
        : { beat: other?.beat, polls: 0 };
    if (other && isAbandoned(other, silent.polls)) removeAbandoned(path, other);
    else if (other && !waited) {
      say('Another set-up is at work in this folder; waiting for it to end.');
      waited = true;
    }
    await pause(pollIntervalMs);
  }
}

function tryCreate(path, holder) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupProblem(
      `${dirname(path)} is not writable (${error.code}): run the command once as the owner of this folder.`,
    );
  }
}

function showLife(path) {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // The folder was emptied. The work itself finds out whether that matters.
  }
}

/** Returns undefined if the lock was released meanwhile. Any other read error means that a set-up did not write it. */
function readLock(path) {
  try {
    return { text: readFileSync(path, 'utf8'), beat: statSync(path).mtimeMs };
  } catch (error) {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    if (error.code === 'ENOENT' && !isLink) return undefined;
    throw new SetupProblem(
      `${path} is not a lock of a set-up, or may not be read (${error.code}): remove it and run the command again.`,
    );
  }
}

/** A holder in another container or machine that shares the folder can only be judged by its heartbeat. */
function isAbandoned({ text }, silentPolls) {
  const holder = parseHolder(text);
  if (!Array.isArray(holder?.processes)) return silentPolls > silentPollsMax;
  if (holder.place !== describePlace()) return silentPolls > silentPollsMax;
  return !holder.processes.some(isAlive);
}

function isAlive({ pid, startedAt }) {
  return startedAt !== null && identifyProcess(pid).startedAt === startedAt;
}

function parseHolder(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Moves the lock away before checking it, so that only one of two waiting set-ups removes it. */
function removeAbandoned(path, { text }) {
  const moved = `${path}.abandoned.${process.pid}`;
  try {
    renameSync(path, moved);
    const movedText = readFileSync(moved, 'utf8');
    if (movedText !== text) writeFileSync(path, movedText, { flag: 'wx' });
    rmSync(moved, { force: true });
  } catch (error) {
    // Another process was faster; the next round handles its result.
    if (error.code === 'ENOENT' || error.code === 'EEXIST') return;
    throw new SetupProblem(
      `${path} was left by a set-up that has ended, and may not be moved away (${error.code}): remove it and run the command again.`,
    );
  }
}

/** Returns the scope of a process id: the machine, and on Linux the container. */
function describePlace() {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Process ids are reused, but not with the same start time. An ended process has no start time. */
function identifyProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid, startedAt: fields[0] === 'Z' ? null : fields[19] };
  } catch {
    if (process.platform === 'linux') return { pid, startedAt: null };
    const started = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    }).stdout?.trim();
    return { pid, startedAt: started || null };
  }
}
