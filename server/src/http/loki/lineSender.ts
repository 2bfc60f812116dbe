/** Sends lines of a tail to its client, and counts what it holds until the client has read it. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { FollowerMemory } from '@tapedeck/domain/logs/tails/followerMemory';
import type { EvaluatedLine } from '@tapedeck/loki-queries';
import type { WebSocket } from 'ws';
import { presentLines } from './presentation.ts';
import { countCharacters, divideIntoFrames } from './tailFrames.ts';

const unsentBytesMax = 64 * 1024; // a frame may have as many characters as may wait
const pauseMs = 50;

type Options = { memory: FollowerMemory; isCategorized: boolean; signal: AbortSignal };

export class LineSender {
  readonly #socket: WebSocket;
  readonly #options: Options;
  #characters = 0;
  #stalledSince: number | null = null;

  constructor(socket: WebSocket, options: Options) {
    this.#socket = socket;
    this.#options = options;
  }

  get heldBytes(): number {
    return this.#characters + this.#socket.bufferedAmount;
  }

  /** null: the client has read what was sent. */
  get stalledSince(): number | null {
    return this.#stalledSince;
  }

  /** Counts lines that are sent later. */
  hold(lines: readonly EvaluatedLine[]): void {
    this.#characters = lines.reduce((sum, line) => sum + countCharacters(line), 0);
    this.#options.memory.recordTaken(this.#characters);
  }

  async send(lines: readonly EvaluatedLine[]): Promise<void> {
    const { memory, isCategorized, signal } = this.#options;
    this.hold(lines);
    for (const frame of divideIntoFrames(lines)) {
      if (signal.aborted) break;
      const message = await composeMessage(frame, isCategorized);
      this.#socket.send(message);
      memory.recordTaken(message.length);
      await nextTurn();
      await this.#untilRead(signal);
    }
    this.#characters = 0;
  }

  async #untilRead(signal: AbortSignal): Promise<void> {
    let unsent = Number.POSITIVE_INFINITY;
    while (this.#socket.bufferedAmount > unsentBytesMax && !signal.aborted) {
      if (this.#socket.bufferedAmount < unsent) this.#stalledSince = performance.now();
      unsent = this.#socket.bufferedAmount;
      await wait(pauseMs);
    }
    this.#stalledSince = null;
  }
}

/** Writes labels of megabytes in turns. */
async function composeMessage(lines: readonly EvaluatedLine[], isCategorized: boolean): Promise<string> {
  const { write, encodingFlags } = presentLines(lines, isCategorized);
  const flags = encodingFlags === undefined ? '' : `"encodingFlags":${JSON.stringify(encodingFlags)},`;
  const takeTurn = takeTurns(1);
  const pieces: string[] = [];
  for (const piece of write()) {
    pieces.push(piece);
    await takeTurn();
  }
  return `{${flags}"streams":[${pieces.join('')}],"dropped_entries":null}`;
}
