/** Runs one scaling process. It parses untrusted bytes, so it has limits, an empty environment and nothing to read but its pictures. */
import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { PictureForm } from '@tapedeck/domain/ports/images';
import { pieceBytes, type ScalerAnswer, type ScalerRequest } from './scalerMessages.ts';

export type ScalingLimits = {
  /** Processor time of one picture. */
  processorMs: number;
  /** Until a process that does nothing is taken for dead. */
  timeMs: number;
  /** Of the whole process. */
  memoryBytes: number;
};

type ScalingResult =
  | { kind: 'scaled'; picture: Buffer }
  | { kind: 'failed'; message: string }
  | { kind: 'tooLong' }
  | { kind: 'tooMuchMemory' }
  | { kind: 'died' };

export type ScalingProcess = {
  readonly isAlive: boolean;
  /** One picture at a time. Rejects with the source's error, and the process has then ended. */
  scale(source: Readable, form: PictureForm): Promise<ScalingResult>;
  /** Resolves once the process is gone. */
  end(): Promise<void>;
};

const workerModule = path.join(import.meta.dirname, `scaler.worker${path.extname(import.meta.filename)}`);

/** An idle process keeps the service from ending as little as an idle connection does. It ends with the service. */
export function startScalingProcess({ processorMs, timeMs, memoryBytes }: ScalingLimits): ScalingProcess {
  const compiled = getCompileCacheDir();
  const child = fork(workerModule, [String(processorMs), String(memoryBytes)], {
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(compiled) },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = Promise.withResolvers<void>();
  // A process that can't be started or told anything also ends.
  child.on('error', () => {
    if (child.pid === undefined) gone.resolve();
  });
  child.on('exit', () => gone.resolve());
  const hold = (isBusy: boolean) => {
    if (isBusy) child.ref();
    else child.unref();
    if (isBusy) child.channel?.ref();
    else child.channel?.unref();
  };
  hold(false);
  const scale = async (source: Readable, form: PictureForm) => {
    source.on('error', () => {}); // reading reports it, even if it comes earlier
    hold(true);
    const timer = setTimeout(() => child.kill('SIGKILL'), timeMs);
    try {
      const [result] = await Promise.all([takeAnswer(child), sendPicture(child, source, form)]);
      if (result.kind === 'tooLong' || result.kind === 'tooMuchMemory') child.kill('SIGKILL');
      return result;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
      hold(false);
    }
  };
  return {
    get isAlive() {
      return child.connected && !child.killed;
    },
    scale,
    end: () => {
      hold(true);
      child.kill('SIGKILL');
      return gone.promise;
    },
  };
}

async function sendPicture(child: ChildProcess, source: Readable, form: PictureForm): Promise<void> {
  await send(child, form);
  // Blobs and previews are streams of bytes.
  for await (const chunk of source as AsyncIterable<Buffer>) {
    for (let offset = 0; offset < chunk.length; offset += pieceBytes)
      await send(child, chunk.subarray(offset, offset + pieceBytes));
  }
  await send(child, null);
}

/** Resolves once the message is written, or can't be, because the process has ended. */
function send(child: ChildProcess, request: ScalerRequest): Promise<void> {
  return new Promise(resolve => {
    if (!child.connected) return resolve();
    // Node.js also sends null, which its types leave out.
    child.send(request as object, () => resolve());
  });
}

function takeAnswer(child: ChildProcess): Promise<ScalingResult> {
  return new Promise(resolve => {
    const pieces: Uint8Array[] = [];
    const finish = (result: ScalingResult) => {
      child.off('message', take).off('exit', die).off('error', die);
      resolve(result);
    };
    const die = () => finish({ kind: 'died' });
    const take = (message: unknown) => {
      // The process sends nothing else.
      const answer = message as ScalerAnswer;
      if (answer instanceof Uint8Array) pieces.push(answer);
      else finish(answer.kind === 'scaled' ? { kind: 'scaled', picture: Buffer.concat(pieces) } : answer);
    };
    child.on('message', take).once('exit', die).once('error', die);
    if (!child.connected) die();
  });
}
