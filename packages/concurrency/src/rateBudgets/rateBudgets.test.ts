/** Tests a node's admissions alone, with other nodes, and while the database is unavailable or silent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateBudgets } from './rateBudgets.ts';
import type { RateClaim, RateWindows } from './rateWindows.ts';

const requestsMax = 100;
const windowMs = 60_000;

/** An in-memory window of one token, which can be set to fail. */
function makeWindows() {
  let startedAt = 0;
  let requests = 0;
  const state = { isAway: false, claims: 0 };
  const windows: RateWindows = {
    claim: async ({ wanted, requestsMax, windowMs }, now): Promise<RateClaim> => {
      state.claims++;
      if (state.isAway) throw new Error('The database is away.');
      if (now - startedAt >= windowMs) [startedAt, requests] = [now, 0];
      const granted = Math.min(wanted, requestsMax - requests);
      requests += granted;
      return { startedAt, requests, granted };
    },
    giveBack: async given => {
      requests -= given.requests;
    },
    removeEnded: async () => {},
  };
  return { windows, state };
}

function openBudgets(windows: RateWindows | null) {
  let now = 1_000_000;
  const reported: unknown[] = [];
  const report = (error: unknown) => reported.push(error);
  const clock = { now: () => now };
  const budgets = new RateBudgets({ requestsMax, windowMs, clock, windows, report });
  const countLetIn = async (count: number) => {
    let letIn = 0;
    for (let sent = 0; sent < count; sent++) if ((await budgets.take('token')).isAllowed) letIn++;
    return letIn;
  };
  const endMinute = () => {
    now += windowMs;
  };
  return { budgets, reported, countLetIn, endMinute };
}

test('a single node makes no calls and reports exactly what remains', async () => {
  const { budgets, countLetIn, endMinute } = openBudgets(null);
  const verdict = budgets.take('token');
  assert.ok(!(verdict instanceof Promise));
  assert.equal(verdict.remaining, 99);
  assert.equal(await countLetIn(200), 99);
  endMinute();
  assert.equal(await countLetIn(200), 100);
});

test('nodes that share a limit admit no more together, with few calls', async () => {
  const { windows, state } = makeWindows();
  const [one, other] = [openBudgets(windows), openBudgets(windows)];
  let letIn = 0;
  for (let round = 0; round < 200; round++) letIn += (await one.countLetIn(1)) + (await other.countLetIn(1));
  assert.ok(letIn > 90 && letIn <= 100, `${letIn}`);
  assert.ok(state.claims < 80, `${state.claims} claims`);
});

test('nodes count alone while the database is down, and together again afterwards', async () => {
  const { windows, state } = makeWindows();
  const { countLetIn, endMinute, reported } = openBudgets(windows);
  assert.equal(await countLetIn(10), 10);
  state.isAway = true;
  assert.equal(await countLetIn(200), 90);
  assert.ok(reported.length > 0);
  state.isAway = false;
  endMinute();
  const other = openBudgets(windows);
  other.endMinute();
  assert.equal(await other.countLetIn(50), 50);
  const here = await countLetIn(200);
  assert.ok(here > 40 && here <= 50, `${here}`);
});

test('waits only a limited time for a database that does not respond', async () => {
  const { windows } = makeWindows();
  const silent: RateWindows = { ...windows, claim: () => new Promise(() => {}) };
  const { countLetIn, reported } = openBudgets(silent);
  assert.equal(await countLetIn(200), 100);
  assert.equal(reported.length, 1);
});

test('returns unused requests once', async () => {
  const { windows } = makeWindows();
  const [one, other] = [openBudgets(windows), openBudgets(windows)];
  await one.countLetIn(1);
  await one.budgets.returnUnused(); // the token was used since the last call
  await one.budgets.returnUnused();
  await one.budgets.returnUnused();
  assert.equal(await other.countLetIn(200), 99);
});
