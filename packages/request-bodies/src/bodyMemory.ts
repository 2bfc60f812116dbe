/**
 * Counts the bytes of bodies that are being read whole or wait to be decoded, per holder: a project, or an address if the project is unknown. A
 * holder may use no more than is left for the others. Slow bodies are dropped while others find no space. The count covers the whole process, like
 * its memory.
 */
import { BodyFailure } from './bodyFailure.ts';

const mebibyte = 1024 * 1024;
export const heldBytesMax = 256 * mebibyte; // as many 10 MiB bodies as a small machine can hold: twenty-five; one holder alone gets half
const slowBodySpanMs = 10_000; // shorter pauses are normal
export const slowBodyBytesPerSecondMin = 16 * 1024; // for bodies that block others

/** How often it checks the speed of bodies. It counts checks, because a suspended process hears no client. */
const pollIntervalMs = 2_000;
const looksPerSpan = slowBodySpanMs / pollIntervalMs;
const slowBytesMax = (slowBodyBytesPerSecondMin * slowBodySpanMs) / 1000;
/** After a refusal, senders count as waiting for this many checks, because they were told to retry. */
const looksOfWaiting = 2 * looksPerSpan;

type Share = { bytes: number; bodies: number; waitedForUntil: number };

const shares = new Map<string, Share>();
/** An array, because a Set that changes with every request creates much long-lived garbage. */
const coming: HeldBytes[] = [];
let allBytes = 0;
let looks = 0;
let timer: NodeJS.Timeout | null = null;

/** The bytes held for one body. Its creator must always let go of it. */
export class HeldBytes {
  readonly #holder: string;
  readonly #endSlow: (() => void) | null;
  #share: Share | null = null;
  #place = -1;
  #bytes = 0;
  /** All received bytes, including those no longer held. */
  #seenBytes = 0;
  /** Bytes received by each of the last checks, oldest first. Most bodies end before the first check. */
  #seenAtLooks: number[] | null = null;

  /** `endSlow` is for a body that is still arriving: it ends the request and releases the bytes. */
  constructor(holder: string, endSlow: (() => void) | null = null) {
    this.#holder = holder;
    this.#endSlow = endSlow;
  }

  /** Returns whether there is room. The bytes count either way, until they are let go. */
  add(bytes: number): boolean {
    const share = this.#share ?? this.#begin();
    this.#bytes += bytes;
    this.#seenBytes += bytes;
    share.bytes += bytes;
    allBytes += bytes;
    return hasCapacity(share) || freeCapacity(share);
  }

  /** Counts bytes that arrived but are not held. */
  pass(bytes: number): void {
    this.#seenBytes += bytes;
  }

  /** A second call has no effect. */
  release(): void {
    const share = this.#share;
    if (share === null) return;
    this.#share = null;
    allBytes -= this.#bytes;
    share.bytes -= this.#bytes;
    this.#bytes = 0;
    if (--share.bodies === 0) shares.delete(this.#holder);
    if (this.#place >= 0) this.#leave();
  }

  /** Records the bytes received so far. */
  look(): void {
    this.#seenAtLooks ??= [];
    this.#seenAtLooks.push(this.#seenBytes);
    if (this.#seenAtLooks.length > looksPerSpan + 1) this.#seenAtLooks.shift();
  }

  /** Ends the body if it is slow and others wait for its room. */
  yieldBytes(): void {
    const [first = 0] = this.#seenAtLooks ?? [];
    const isKnown = this.#seenAtLooks?.length === looksPerSpan + 1;
    const isSlow = isKnown && this.#seenBytes - first < slowBytesMax;
    if (isSlow && this.#share !== null && this.#share.waitedForUntil > looks) this.#endSlow?.();
  }

  #begin(): Share {
    const share = shares.get(this.#holder) ?? { bytes: 0, bodies: 0, waitedForUntil: 0 };
    if (share.bodies++ === 0) shares.set(this.#holder, share);
    this.#share = share;
    if (this.#endSlow !== null) {
      this.#place = coming.push(this) - 1;
      timer ??= setInterval(checkBodies, pollIntervalMs).unref();
    }
    return share;
  }

  #leave(): void {
    const last = coming.pop();
    if (last !== undefined && last !== this) {
      coming[this.#place] = last;
      last.#place = this.#place;
    }
    this.#place = -1;
  }
}

/** A single holder gets half; several get less each, which leaves room for another. */
function hasCapacity(share: Share): boolean {
  return share.bytes <= heldBytesMax - allBytes;
}

function freeCapacity(share: Share): boolean {
  // Smaller holders block no one.
  for (const other of shares.values()) {
    if (other.bytes >= share.bytes) other.waitedForUntil = looks + looksOfWaiting;
  }
  endSlowBodies();
  return hasCapacity(share);
}

function checkBodies(): void {
  looks++;
  for (const body of coming) body.look();
  endSlowBodies();
  if (coming.length > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}

function endSlowBodies(): void {
  for (const body of [...coming]) body.yieldBytes();
}

export function overloadedError(): BodyFailure {
  return new BodyFailure('overloaded', 'Too many large bodies are being read at once; send it again later.', {
    retryAfterSeconds: 5,
  });
}

/** The error for slow bodies while others wait. */
export function slowBodyError(): BodyFailure {
  return new BodyFailure(
    'request_timeout',
    `Others are waiting while this body arrives more slowly than ${slowBodyBytesPerSecondMin} bytes a second; send it again.`,
  );
}
