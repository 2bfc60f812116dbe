/** Queries over a library of files, with the expected number and order of files, computed from the files' numbers alone. */
import {
  idOf,
  isExempt,
  libraryFiles,
  nameOf,
  pathOf,
  playerOf,
  secondsOf,
  sizeOf,
  typeOf,
} from './libraryFiles.ts';

type Sort = 'createdAt' | 'name' | 'size' | 'duration';

type LibraryQuestion = {
  parameters: Readonly<Record<string, string>>;
  means: (n: number) => boolean;
};

const isCrash = (n: number) => nameOf(n).startsWith('crash');
const all = () => true;

/** Each query asks for 50 files unless it says otherwise. */
export const libraryQuestions: readonly LibraryQuestion[] = [
  { parameters: {}, means: all },
  { parameters: { query: 'name:*crash*' }, means: isCrash },
  { parameters: { query: 'player.id:43' }, means: n => playerOf(n) === 43 },
  { parameters: { query: 'size:>5000000' }, means: n => sizeOf(n) > 5_000_000 },
  { parameters: { query: '-path:*' }, means: n => pathOf(n) === '' },
  { parameters: { query: 'path:server1/*' }, means: n => pathOf(n).startsWith('server1/') },
  { parameters: { query: 'type:video' }, means: n => typeOf(n) === 'video' },
  { parameters: { query: 'duration:>1800' }, means: n => (secondsOf(n) ?? 0) > 1800 },
  { parameters: { query: 'exempt:true' }, means: isExempt },
  { parameters: { query: 'round:>90' }, means: n => n % 97 > 90 },
  { parameters: { query: 'player.name:"Player 77"' }, means: n => playerOf(n) === 77 },
  { parameters: { query: 'arrest' }, means: n => nameOf(n).startsWith('Arrest') },
  { parameters: { query: idOf(777_777) }, means: n => n === 777_777 },
  { parameters: { query: `key:*${idOf(5).slice(0, -2)}*` }, means: n => n < 100 },
  { parameters: { q: 'crash 77' }, means: n => isCrash(n) && nameOf(n).includes('77') },
  {
    parameters: { query: '-path:* size:>5000000 name:*crash*' },
    means: n => pathOf(n) === '' && sizeOf(n) > 5_000_000 && isCrash(n),
  },
  {
    parameters: { query: '(player.id:43 OR name:*crash*) -type:image', sort: 'size' },
    means: n => (playerOf(n) === 43 || isCrash(n)) && typeOf(n) !== 'image',
  },
  {
    parameters: { query: 'size:>5000000', path: 'server2', type: 'audio', sort: 'duration' },
    means: inServer2,
  },
  { parameters: { sort: 'createdAt', order: 'asc' }, means: all },
  { parameters: { sort: 'name', order: 'asc' }, means: all },
  { parameters: { sort: 'name' }, means: all },
  { parameters: { sort: 'size' }, means: all },
  { parameters: { sort: 'duration' }, means: all },
  { parameters: { query: 'name:*crash*', sort: 'name', order: 'asc' }, means: isCrash },
  { parameters: { page: '9000', limit: '100' }, means: all },
  { parameters: { sort: 'name', order: 'asc', page: '9000', limit: '100' }, means: all },
  { parameters: { sort: 'size', page: '5000', limit: '100' }, means: all },
  { parameters: { query: 'size:>5000000', page: '4000', limit: '100' }, means: n => sizeOf(n) > 5_000_000 },
  {
    parameters: { query: '-path:*', sort: 'duration', page: '1500', limit: '100' },
    means: n => pathOf(n) === '',
  },
];

function inServer2(n: number): boolean {
  return sizeOf(n) > 5_000_000 && pathOf(n).startsWith('server2/') && typeOf(n) === 'audio';
}

export type ExpectedPage = { total: number; ids: string[] };

export function workOut({ parameters, means }: LibraryQuestion): ExpectedPage {
  const { sort, order, limit, page } = parameters;
  // One of the four sorts in the table above.
  const { placed, others } = orderAll((sort ?? 'createdAt') as Sort);
  const meant = [placed, others].flatMap(numbers => {
    const some = numbers.filter(means);
    return order === 'asc' ? some : some.toReversed();
  });
  const size = Number(limit ?? 50);
  const first = (Number(page ?? 1) - 1) * size;
  return { total: meant.length, ids: meant.slice(first, first + size).map(idOf) };
}

/** An order of files. Files without a value come last in both directions. */
type Order = { placed: readonly number[]; others: readonly number[] };
const orders = new Map<Sort, Order>();

/** Ascending; equal values by number. */
function orderAll(by: Sort): Order {
  const known = orders.get(by);
  if (known !== undefined) return known;
  const numbers = Array.from({ length: libraryFiles }, (_, index) => index + 1);
  const sortValueOf = {
    createdAt: () => 0,
    size: sizeOf,
    duration: secondsOf,
    name: (n: number) => nameOf(n).toLowerCase(),
  }[by];
  const values = numbers.map(n => ({ n, value: sortValueOf(n) }));
  const placed = values.flatMap(({ n, value }) => (value === null ? [] : [{ n, value }]));
  const sorted = placed.sort((a, b) => (a.value === b.value ? a.n - b.n : a.value < b.value ? -1 : 1));
  const others = values.filter(({ value }) => value === null);
  const order = { placed: sorted.map(({ n }) => n), others: others.map(({ n }) => n) };
  orders.set(by, order);
  return order;
}

/** Returns the folders directly below one, by name, with their files and bytes. */
export function workOutFolders(below: string): { path: string; files: number; bytes: number }[] {
  const found = new Map<string, { path: string; files: number; bytes: number }>();
  const depth = below === '' ? 1 : below.split('/').length + 1;
  for (let n = 1; n <= libraryFiles; n++) {
    const path = pathOf(n);
    if (path === '' || !`${path}/`.startsWith(below === '' ? '' : `${below}/`)) continue;
    const folder = path.split('/').slice(0, depth).join('/');
    if (folder === below) continue;
    const sum = found.get(folder) ?? { path: folder, files: 0, bytes: 0 };
    found.set(folder, { path: folder, files: sum.files + 1, bytes: sum.bytes + sizeOf(n) });
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
