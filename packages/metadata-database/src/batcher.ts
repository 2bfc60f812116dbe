/** Groups calls into shared transactions: calls that arrive during one transaction wait and share the next. */
import { DatabaseFailure } from './failures.ts';
import { databaseLimits } from './limits.ts';

type Gathering<Item, Answer> = {
  /** The most calls that one transaction takes. */
  itemsMax: number;
  /** The sort key of items in a group, so that all nodes lock rows in the same order. */
  nameOf(item: Item): string;
  /** Returns answers in the order of the items. A rejection fails every call. */
  answerAll(items: readonly Item[]): Promise<readonly Answer[]>;
};

type Waiter<Item, Answer> = {
  item: Item;
  name: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/** All calls together use one connection. */
export function gatherCalls<Item, Answer>(
  gathering: Gathering<Item, Answer>,
): (item: Item) => Promise<Answer> {
  const waiting: Waiter<Item, Answer>[] = [];
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    while (waiting.length > 0) await answerGroup(gathering, waiting.splice(0, gathering.itemsMax));
    isRunning = false;
  };
  return item => {
    if (waiting.length >= databaseLimits.waitingTransactionsMax) return Promise.reject(overloadedError());
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ item, name: gathering.nameOf(item), resolve, reject });
    if (!isRunning) void run();
    return promise;
  };
}

/** Separate groups per key. Calls with one key don't wait for others. */
export function gatherCallsByKey<Item, Answer>(
  keyOf: (item: Item) => string,
  gathering: Gathering<Item, Answer>,
): (item: Item) => Promise<Answer> {
  type Gathered = { call: (item: Item) => Promise<Answer>; calls: number };
  const gathered = new Map<string, Gathered>();
  return async item => {
    const key = keyOf(item);
    const ofKey = gathered.get(key) ?? { call: gatherCalls(gathering), calls: 0 };
    gathered.set(key, ofKey);
    ofKey.calls += 1;
    try {
      return await ofKey.call(item);
    } finally {
      ofKey.calls -= 1;
      if (ofKey.calls === 0) gathered.delete(key);
    }
  };
}

async function answerGroup<Item, Answer>(
  { answerAll }: Gathering<Item, Answer>,
  group: Waiter<Item, Answer>[],
): Promise<void> {
  group.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  try {
    const answers = await answerAll(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(answers[index]!);
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

function overloadedError(): DatabaseFailure {
  return new DatabaseFailure('overloaded', 'Too many changes at once. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
