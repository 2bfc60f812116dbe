/**
 * Limits how many requests each token may send per window, across all nodes. A node claims a part of the budget, admits requests from it without
 * asking the database, and returns the unused rest. While the database is unavailable, each node counts alone.
 */
import type { RateClaim, RateWindows } from './rateWindows.ts';

/** The share of the remaining budget that a node claims: large enough for few claims, small enough to leave little at idle nodes. */
const claimShare = 1 / 20;
const emptyForMs = 1_000; // other nodes may give back unused requests meanwhile
const claimMsMax = 2_000; // a database that is silent for longer counts as unavailable

type RateDeps = {
  windowMs: number;
  /** The limit of a token in one window. */
  requestsMax: number;
  /** Unix milliseconds. */
  clock: { now(): number };
  /** null: there are no other nodes. */
  windows: RateWindows | null;
  report(error: unknown): void;
};

export type RateVerdict = { isAllowed: boolean; remaining: number; endsAt: number };

type Budget = {
  startedAt: number;
  /** Requests claimed by all nodes, as of the last claim. */
  claimed: number;
  /** Requests that this node may still admit. */
  remaining: number;
  used: number;
  usedAtLook: number;
  waiting: number;
  emptyUntil: number;
  claiming: Promise<void> | null;
};

export class RateBudgets {
  readonly #deps: RateDeps;
  /** Budgets by start time, apart from small clock differences between nodes. */
  readonly #budgets = new Map<string, Budget>();

  constructor(deps: RateDeps) {
    this.#deps = deps;
  }

  /** Counts a request. Returns a promise only if it must ask the database. */
  take(tokenId: string): RateVerdict | Promise<RateVerdict> {
    const budget = this.#find(tokenId);
    if (budget.remaining > 0 || this.#isEmpty(budget)) return this.#judge(budget);
    return this.#takeClaimed(tokenId, budget);
  }

  /** Gives back the budgets of tokens that were idle since the last call, so that other nodes can use them. */
  async returnUnused(): Promise<void> {
    const { windows } = this.#deps;
    for (const [tokenId, budget] of this.#budgets) {
      const { used, usedAtLook, startedAt, remaining: left } = budget;
      budget.usedAtLook = used;
      if (windows === null || used !== usedAtLook || left === 0 || this.#hasEnded(budget)) continue;
      budget.remaining = 0;
      budget.claimed -= left;
      await windows.giveBack({ tokenId, startedAt, requests: left });
    }
  }

  #find(tokenId: string): Budget {
    const known = this.#budgets.get(tokenId);
    if (known !== undefined && !this.#hasEnded(known)) return known;
    this.#forgetEnded();
    const budget: Budget = {
      startedAt: this.#deps.clock.now(),
      claimed: 0,
      remaining: 0,
      used: 0,
      usedAtLook: 0,
      waiting: 0,
      emptyUntil: 0,
      claiming: null,
    };
    if (this.#deps.windows === null) this.#openAlone(budget);
    this.#budgets.delete(tokenId); // moves it to the end
    this.#budgets.set(tokenId, budget);
    return budget;
  }

  #isEmpty({ remaining: left, emptyUntil }: Budget): boolean {
    return left === 0 && performance.now() < emptyUntil;
  }

  #judge(budget: Budget): RateVerdict {
    const isAllowed = budget.remaining > 0;
    if (isAllowed) {
      budget.remaining--;
      budget.used++;
    }
    const remaining = this.#deps.requestsMax - budget.claimed + budget.remaining;
    return { isAllowed, remaining: Math.max(0, remaining), endsAt: budget.startedAt + this.#deps.windowMs };
  }

  async #takeClaimed(tokenId: string, budget: Budget): Promise<RateVerdict> {
    budget.waiting++;
    try {
      while (budget.remaining === 0 && !this.#isEmpty(budget)) {
        budget.claiming ??= this.#claim(tokenId, budget).finally(() => {
          budget.claiming = null;
        });
        await budget.claiming;
      }
    } finally {
      budget.waiting--;
    }
    return this.#judge(budget);
  }

  /** Never rejects. */
  async #claim(tokenId: string, budget: Budget): Promise<void> {
    const { windows, windowMs, clock, requestsMax, report } = this.#deps;
    const share = Math.ceil((requestsMax - budget.claimed) * claimShare);
    const request = {
      tokenId,
      requestsMax,
      wanted: Math.max(1, share, budget.waiting),
      windowMs,
    };
    try {
      if (windows === null) return;
      this.#apply(budget, await claimInTime(windows.claim(request, clock.now())));
    } catch (error) {
      report(error);
      this.#openAlone(budget);
    }
  }

  #apply(budget: Budget, { startedAt, requests, granted }: RateClaim): void {
    if (startedAt !== budget.startedAt) budget.startedAt = startedAt;
    budget.claimed = requests;
    budget.remaining += granted;
    if (granted === 0) budget.emptyUntil = performance.now() + emptyForMs;
  }

  /** Allows the rest of the token's limit on this node alone, until the window ends. */
  #openAlone(budget: Budget): void {
    const { requestsMax } = this.#deps;
    budget.claimed = requestsMax;
    budget.remaining = Math.max(0, requestsMax - budget.used);
    budget.emptyUntil = Number.POSITIVE_INFINITY;
  }

  #forgetEnded(): void {
    for (const [tokenId, budget] of this.#budgets) {
      if (!this.#hasEnded(budget)) return;
      this.#budgets.delete(tokenId);
    }
  }

  /** Also returns true if the clock was set back; clocks of nodes may differ a little. */
  #hasEnded({ startedAt, claiming }: Budget): boolean {
    const { clock, windowMs } = this.#deps;
    const passedMs = clock.now() - startedAt;
    return claiming === null && (passedMs >= windowMs || passedMs < -windowMs);
  }
}

async function claimInTime(claim: Promise<RateClaim>): Promise<RateClaim> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('The database did not respond.')), claimMsMax);
  try {
    return await Promise.race([claim, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
