/**
 * Counts the bytes of bodies that are being read whole or wait to be decoded, for each holder: a project, or an address
 * where no project is known. A holder may hold no more than is left for the others. Bodies that arrive slowly give way
 * while others find no room. The count is for the whole process, as memory is.
 */
import { BodyFailure } from './bodyFailure.ts';

const mebibyte = 1024 * 1024;
export const heldBytesMax = 256 * mebibyte; // as many bodies of 10 MiB as a small machine bears: twenty-five; one holder alone has half
const slowBodySpanMs = 10_000; // a shorter pause is none
export const slowBodyBytesPerSecondMin = 16 * 1024; // for bodies that others wait for

/** How fast a body comes is looked at again and again; the looks are counted, for a process that stood still heard nobody. */
const lookIntervalMs = 2_000;
const looksPerSpan = slowBodySpanMs / lookIntervalMs;
const slowBytesMax = (slowBodyBytesPerSecondMin * slowBodySpanMs) / 1000;
/** For so many looks after a refusal somebody is taken to wait, for they were told to come back. */
const looksOfWaiting = 2 * looksPerSpan;

type Share = { bytes: number; bodies: number; waitedForUntil: number };

const shares = new Map<string, Share>();
/** An array, for a Set that changes with every request makes much garbage that becomes old. */
const coming: HeldBytes[] = [];
let allBytes = 0;
let looks = 0;
let timer: NodeJS.Timeout | null = null;

/** The bytes held for one body. Its creator must let it go in any case. */
export class HeldBytes {
  readonly #holder: string;
  readonly #endSlow: (() => void) | null;
  #share: Share | null = null;
  #place = -1;
  #bytes = 0;
  /** All received bytes, including those no longer held. */
  #seenBytes = 0;
  /** Bytes received at the last looks, oldest first; most bodies end before the first look. */
  #seenAtLooks: number[] | null = null;

  /** `endSlow` is for a body that is still coming: it ends its request and lets the bytes go. */
  constructor(holder: string, endSlow: (() => void) | null = null) {
    this.#holder = holder;
    this.#endSlow = endSlow;
  }

  /** Returns whether there is room for them. They count in any case, until they are let go. */
  add(bytes: number): boolean {
    const share = this.#share ?? this.#begin();
    this.#bytes += bytes;
    this.#seenBytes += bytes;
    share.bytes += bytes;
    allBytes += bytes;
    return hasRoom(share) || makeRoom(share);
  }

  /** Notes bytes that came and are not held. */
  pass(bytes: number): void {
    this.#seenBytes += bytes;
  }

  /** A second call does nothing. */
  letGo(): void {
    const share = this.#share;
    if (share === null) return;
    this.#share = null;
    allBytes -= this.#bytes;
    share.bytes -= this.#bytes;
    this.#bytes = 0;
    if (--share.bodies === 0) shares.delete(this.#holder);
    if (this.#place >= 0) this.#leave();
  }

  /** Notes what has come by now. */
  look(): void {
    this.#seenAtLooks ??= [];
    this.#seenAtLooks.push(this.#seenBytes);
    if (this.#seenAtLooks.length > looksPerSpan + 1) this.#seenAtLooks.shift();
  }

  /** Ends the body if it comes slowly and takes the room that somebody waits for. */
  giveWay(): void {
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
      timer ??= setInterval(lookAtAll, lookIntervalMs).unref();
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

/** A holder alone gets half of all; each of several less, so that there is room for the next. */
function hasRoom(share: Share): boolean {
  return share.bytes <= heldBytesMax - allBytes;
}

function makeRoom(share: Share): boolean {
  // Those who hold less are in nobody's way.
  for (const other of shares.values()) {
    if (other.bytes >= share.bytes) other.waitedForUntil = looks + looksOfWaiting;
  }
  endSlowBodies();
  return hasRoom(share);
}

function lookAtAll(): void {
  looks++;
  for (const body of coming) body.look();
  endSlowBodies();
  if (coming.length > 0 || timer === null) return;
  clearInterval(timer);
  timer = null;
}

function endSlowBodies(): void {
  for (const body of [...coming]) body.giveWay();
}

/** The error for bodies beyond the limit. */
export function crowdedError(): BodyFailure {
  return new BodyFailure('overloaded', 'Too many large bodies are being read at once; send it again later.', {
    retryAfterSeconds: 5,
  });
}

/** For bodies that come slowly while others wait. */
export function slowBodyError(): BodyFailure {
  return new BodyFailure(
    'request_timeout',
    `Others wait while this body comes slower than ${slowBodyBytesPerSecondMin} bytes a second; send it again.`,
  );
}
