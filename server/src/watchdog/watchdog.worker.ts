/**
 * Watches the main thread's heartbeat from another thread. If it stops, logs the main thread's stack through the inspector and replaces the
 * process. The process keeps its id, so signals and the exit status still work.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';

/** `beats` holds a count that grows while the main thread lives, and a 1 if a debugger may attach. */
export type Watched = { beats: Int32Array; command: readonly string[] };

const stuckMsMax = 10_000;
const lookMs = 1_000;
const lateMsMax = 1_000; // a check this late was paused or starved like the main thread
const giveUpMs = 5_000; // JavaScript loops are interrupted within milliseconds
const stdout = 1;

// `startWatchdog` passes this.
const { beats, command } = workerData as Watched;
let lastBeat = Atomics.load(beats, 0);
let lookedAt = performance.now();
let stuckMs = 0;
let usedMs = readUsedMs();

const timer = setInterval(look, lookMs);

function look(): void {
  const now = performance.now();
  const passedMs = now - lookedAt;
  lookedAt = now;
  const beat = Atomics.load(beats, 0);
  const hasBeaten = beat !== lastBeat;
  lastBeat = beat;
  if (hasBeaten || passedMs > lookMs + lateMsMax || isPaused()) stuckMs = 0;
  else stuckMs += passedMs;
  if (stuckMs >= stuckMsMax) restart();
}

/** Returns whether a debugger keeps the main thread from working. */
function isPaused(): boolean {
  const before = usedMs;
  usedMs = readUsedMs();
  return Atomics.load(beats, 1) === 1 && usedMs - before < lookMs / 10;
}

/** Returns the main thread's processor time, or a constant if the system does not report it. */
function readUsedMs(): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) * 10; // reported in hundredths of a second
  } catch {
    return 0;
  }
}

function restart(): void {
  clearInterval(timer);
  const session = new Session();
  session.connectToMainThread();
  // A looping thread returns no answers, so one request does everything. The new process inherits the environment.
  session.post('Runtime.evaluate', {
    expression: `{
      Error.stackTraceLimit = 50;
      const stack = new Error('the main thread stood here').stack;
      const line = ${compose.toString()}('the main thread did not answer for 10 s: starting again', stack);
      process.getBuiltinModule('node:fs').writeSync(${stdout}, line);
      process.execve(${JSON.stringify(command[0])}, ${JSON.stringify(command)});
    }`,
  });
  setTimeout(() => {
    const sentence =
      'the main thread did not answer for 10 s, in native code: ending, so that it is started again';
    writeSync(stdout, compose(sentence, null));
    process.kill(process.pid, 'SIGKILL');
  }, giveUpMs);
}

/** Composes a log line. Its text goes to the main thread, so it uses nothing from here. */
function compose(msg: string, stack: string | null): string {
  return `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), stack, msg })}\n`;
}
