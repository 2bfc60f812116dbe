/** Clients that keep uploading small files whatever happens to the node, and the files that must be readable afterwards. */
import { setTimeout as wait } from 'node:timers/promises';
import { describeRefusal } from '../support/logWriters.ts';
import { formOf, makeSound, type Uploaded, uploadRoute } from '../support/uploading.ts';

export type Uploaders = Disposable & {
  /** Bytes of the files answered with 200, by path. */
  kept: Map<string, Buffer>;
  /** Counts every other response; `none` counts requests without one. */
  refusals: Map<string, number>;
  stop(): Promise<void>;
};

const pauseMs = 100;

/** `findUrl` returns the node's current address. */
export function startUploaders(findUrl: () => string, { token }: { token: string }): Uploaders {
  const kept = new Map<string, Buffer>();
  const refusals = new Map<string, number>();
  let isStopped = false;
  const upload = async () => {
    for (let number = 0; !isStopped; number++) {
      const bytes = makeSound({ tone: number % 256 });
      const answer = await send(`${findUrl()}${uploadRoute}`, token, formOf(bytes, {}, `${number}.wav`));
      if (answer.path === null) refusals.set(answer.words, (refusals.get(answer.words) ?? 0) + 1);
      else kept.set(answer.path, bytes);
      await wait(pauseMs);
    }
  };
  const running = upload();
  return {
    kept,
    refusals,
    stop: async () => {
      isStopped = true;
      await running;
    },
    [Symbol.dispose]: () => {
      isStopped = true;
    },
  };
}

type Answer = { path: string | null; words: string };

async function send(url: string, token: string, body: FormData): Promise<Answer> {
  try {
    const response = await fetch(url, { method: 'POST', headers: { authorization: token }, body });
    const answer: unknown = await response.json();
    if (response.status !== 200) {
      const { code } = answer as { code: string }; // every error has a code
      return { path: null, words: describeRefusal(response, code) };
    }
    const { data } = answer as { data: Uploaded }; // the contract's shape
    return { path: new URL(data.url).pathname, words: '' };
  } catch {
    return { path: null, words: 'none' };
  }
}
