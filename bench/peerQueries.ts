/** The queries of `logPeers.ts` for each program. Every turn uses another needle or range, so that no answer comes from a cache. */
import { token } from './benchRequests.ts';
import { firstPlayer, players, rareWords } from './peerEntries.ts';

type Asking = { port: number; turn: number; from: number; to: number };

export type PeerQuestion = {
  name: string;
  turn: number;
  /** Returns the number of matches. */
  askOurs(asking: Asking): Promise<number>;
  askVictoria(asking: Asking): Promise<number>;
};

const page = 50;
const rare = (turn: number) => rareWords[turn % rareWords.length] ?? '';
const player = (turn: number) => String(firstPlayer + ((turn * 7_919) % players));
const absentId = (turn: number) => `00000000-0000-4000-8000-00000000000${turn.toString(16)}`;

export const peerQuestions: readonly PeerQuestion[] = [
  list(
    'latest 50',
    () => '',
    () => '*',
  ),
  list(
    'common word',
    () => 'query=heartbeat',
    () => 'heartbeat',
  ),
  count(
    'count of a common word',
    () => 'query=heartbeat',
    () => 'heartbeat',
  ),
  list('rare word', turn => `query=${rare(turn)}`, rare),
  count('count of a rare word', turn => `query=${rare(turn)}`, rare),
  list(
    'absent word',
    turn => `query=nowhere${turn}xyzzy`,
    turn => `nowhere${turn}xyzzy`,
  ),
  list(
    'player id',
    turn => `metadata.player.id=${player(turn)}`,
    turn => `player.id:=${player(turn)}`,
  ),
  list(
    'absent player id',
    turn => `metadata.player.id=9${player(turn)}`,
    turn => `player.id:=9${player(turn)}`,
  ),
  list(
    'absent id in a field',
    turn => `metadata.requestId=${absentId(turn)}`,
    turn => `requestId:="${absentId(turn)}"`,
  ),
  count(
    'count of a level',
    () => 'level=error',
    () => 'level:=error',
  ),
  {
    name: 'top values of resource',
    turn: 0,
    askOurs: async asking => {
      const { data } = await askOurs<{ data: unknown[] }>(asking, '/facets', 'field=resource');
      return data.length;
    },
    askVictoria: async asking => {
      const { values } = await askVictoria<{ values: unknown[] }>(
        asking,
        'field_values',
        'query=*&field=resource&limit=100',
      );
      return values.length;
    },
  },
  {
    name: 'histogram by level',
    turn: 0,
    askOurs: async asking => {
      const { data } = await askOurs<{ data: { timestamps: unknown[] } }>(
        asking,
        '/series',
        'interval=60s&by=level',
      );
      return data.timestamps.length;
    },
    askVictoria: async asking => {
      const { hits } = await askVictoria<{ hits: { timestamps: unknown[] }[] }>(
        asking,
        'hits',
        'query=*&step=1m&field=level',
      );
      return hits.reduce((most, { timestamps }) => Math.max(most, timestamps.length), 0);
    },
  },
];

type Wording = (turn: number) => string;

function list(name: string, ours: Wording, theirs: Wording): PeerQuestion {
  return {
    name,
    turn: 0,
    askOurs: async asking => {
      const { data } = await askOurs<{ data: unknown[] }>(asking, '', `limit=${page}&${ours(asking.turn)}`);
      return data.length;
    },
    askVictoria: async asking => {
      const lines = await askLines(asking, `query=${encodeURIComponent(theirs(asking.turn))}&limit=${page}`);
      return lines.length;
    },
  };
}

function count(name: string, ours: Wording, theirs: Wording): PeerQuestion {
  return {
    name,
    turn: 0,
    askOurs: async asking => {
      const { pagination } = await askOurs<{ pagination: { total: number } }>(
        asking,
        '',
        `limit=1&includeTotal=true&${ours(asking.turn)}`,
      );
      return pagination.total;
    },
    askVictoria: async asking => {
      const query = encodeURIComponent(`${theirs(asking.turn)} | stats count() hits`);
      const [line = '{}'] = await askLines(asking, `query=${query}`);
      // Per its documentation.
      return Number((JSON.parse(line) as { hits?: string }).hits);
    },
  };
}

async function askOurs<Answer>({ port, from, to }: Asking, path: string, query: string): Promise<Answer> {
  const range = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`;
  const url = `http://127.0.0.1:${port}/api/v3/logs${path}?${range}&${query}`;
  const response = await fetch(url, { headers: { authorization: token } });
  if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`);
  // Per the contract.
  return (await response.json()) as Answer;
}

async function askVictoria<Answer>(asking: Asking, path: string, query: string): Promise<Answer> {
  // Per its documentation.
  return JSON.parse(await askText(asking, path, query)) as Answer;
}

async function askLines(asking: Asking, query: string): Promise<string[]> {
  return (await askText(asking, 'query', query)).split('\n').filter(line => line !== '');
}

async function askText({ port, from, to }: Asking, path: string, query: string): Promise<string> {
  const range = `start=${new Date(from).toISOString()}&end=${new Date(to).toISOString()}`;
  const url = `http://127.0.0.1:${port}/select/logsql/${path}?${query}&${range}`;
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${await response.text()}`);
  return response.text();
}
