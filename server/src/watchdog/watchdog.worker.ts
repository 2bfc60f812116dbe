/**
 * Watches the main thread's heartbeat from another thread. If it stops, logs the main thread's stack through the inspector and
 * replaces the process, keeping its id, so that signals and the exit status still work.
 */
import { readFileSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { workerData } from 'node:worker_threads';

/** `beats` holds a count that grows while the main thread lives, and 1 where a debugger may reach it. */
export type Watched = { beats: Int32Array; command: readonly string[] };

const stuckMsMax = 10_000;
const lookMs = 1_000;
const lateMsMax = 1_000; // a later check was stopped, or starved, together with the main thread
const giveUpMs = 5_000; // a loop of JavaScript is interrupted within milliseconds
const stdout = 1;

// What `startWatchdog` hands over.
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

/** A debugger stops the main thread without letting it work. */
function isPaused(): boolean {
  const before = usedMs;
  usedMs = readUsedMs();
  return Atomics.load(beats, 1) === 1 && usedMs - before < lookMs / 10;
}

/** Processor time of the main thread; always the same where the system does not tell. */
function readUsedMs(): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    return (Number(user) + Number(system)) * 10; // told in hundredths of a second
  } catch {
    return 0;
  }
}

function restart(): void {
  clearInterval(timer);
  const session = new Session();
  session.connectToMainThread();
  // Answers of a thread in a loop do not arrive, so that everything is asked at once. The environment is the same.
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

/** A line of the log. Its text goes to the main thread, so it uses nothing from here. */
function compose(msg: string, stack: string | null): string {
  return `${JSON.stringify({ level: 'fatal', time: new Date().toISOString(), stack, msg })}\n`;
}
