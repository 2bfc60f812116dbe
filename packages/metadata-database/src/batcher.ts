/** Calls that share transactions: while one is under way, those that come wait together for the next. */
import { DatabaseFailure } from './failures.ts';
import { databaseLimits } from './limits.ts';

type Gathering<Item, Answer> = {
  /** How many calls one transaction takes. */
  itemsMax: number;
  /** The items of a group are in the order of their names, so that groups of several nodes lock rows in the same order. */
  nameOf(item: Item): string;
  /** Answers in the order of the items. A rejection is everybody's. */
  answerAll(items: readonly Item[]): Promise<readonly Answer[]>;
};

type Waiter<Item, Answer> = {
  item: Item;
  name: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/** However many call, they take one connection. */
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

/** The same for each key by itself: calls of one key wait for none of another. */
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
