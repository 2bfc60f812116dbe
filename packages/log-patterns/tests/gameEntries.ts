/** Made-up entries of a busy game server, with several hundred names of several words, chat, kicks, queries and errors. */

type GameEntry = { body: string; metadata: Record<string, string> };

const given =
  'Olga Anna Ben Carla Dmitri Elif Farid Greta Hugo Inés Jan Kemal Łukasz Mira Nils Oskar Priya Quentin Rosa Sven Tomás Uma Viktor Wanda Xenia Yusuf Zoë';
const family =
  'Jones Kowalski Müller García Novák Øster Petrov Quinn Rossi Schmidt Taylor Usman Vega Weber Young Zhang de_la_Cruz van_der_Berg';
const tags = '[PD] [EMS] xX Dr. ツ El Mad Lil';
const lists = {
  vehicles:
    'Adder|Zentorno|Karin Sultan RS|Bravado Banshee 900R|police3|Vapid Sand King XL|T20|Dinka Blista Kanjo|Faggio',
  weapons:
    'knife|Combat Pistol|AK-47|Carbine Rifle Mk II|Heavy Sniper|pump shotgun|M4A1-S|Molotov cocktail|baseball bat|Stun Gun',
  reasons: 'aimbot|speed hack|spam|toxic behaviour|combat logging|advertising',
  places: 'Legion Square|Sandy Shores|the pier|Vinewood Hills|Mission Row PD|Paleto Bay Bank',
  items: 'water bottle|lockpick|medkit|phone|Burger Shot meal|repair kit|gold bar|ID card',
  tables: 'players|owned_vehicles|inventories|bans|bank_accounts',
  chat: 'hello there|anyone selling a car?|lol|brb 5 min|who shot me at the pier|gg|need a medic at Sandy|can someone repair my car please|how do I join the police|xD nice one|wtf was that|restart when?',
  resources: 'esx_society|qb-core|ox_inventory|es_extended|txAdmin|vMenu',
};
type List = keyof typeof lists;

/** The same seed makes the same entries. */
export function* makeGameEntries(count: number, seed = 1): Generator<GameEntry> {
  const random = createRandom(seed);
  const names = makeNames(random);
  const world = { names, below: (limit: number) => Math.floor(random() * limit) };
  for (let made = 0; made < count; made++) yield pick(makers, world)(world);
}

type World = { names: readonly string[]; below(limit: number): number };
type Make = (world: World) => GameEntry;

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Makes names of one to four words, some with tags, digits and signs. */
function makeNames(random: () => number): string[] {
  const one = (words: string) => {
    const all = words.split(' ');
    return all[Math.floor(random() * all.length)]!.replaceAll('_', ' ');
  };
  const shapes = [
    () => `${one(given)} ${one(family)}`,
    () => `${one(given)} ${one(given)} ${one(family)}`,
    () => `${one(tags)} ${one(given)} ${one(family)}`,
    () => `${one(given)}_${Math.floor(random() * 99)}`,
    () => `${one(given)} "${one(given)}" ${one(family)}`,
    () => `${one(given)} O'${one(family)}-${one(family)}`,
  ];
  const names = new Set<string>();
  while (names.size < 600) names.add(shapes[Math.floor(random() * shapes.length)]!());
  return [...names];
}

function pick<Value>(values: readonly Value[], { below }: World): Value {
  return values[below(values.length)]!;
}

function choose(list: List, world: World): string {
  return pick(lists[list].split('|'), world);
}

function player(
  world: World,
  role = 'player',
): { name: string; id: string; metadata: Record<string, string> } {
  const [name, id] = [pick(world.names, world), String(1 + world.below(900))];
  const license = `license:${(world.below(2 ** 30) + 2 ** 30).toString(16)}${world.below(2 ** 30).toString(16)}`;
  return { name, id, metadata: { [`${role}.name`]: name, [`${role}.id`]: id, [`${role}.license`]: license } };
}

type Told = { name: string; id: string; chosen: string; n: number };

/** Makes a sentence about a player and a random item of the list. `path`: the item's metadata path; null: none. */
function about(list: List, path: string | null, say: (told: Told) => string): Make {
  return world => {
    const { name, id, metadata } = player(world);
    const chosen = choose(list, world);
    const body = say({ name, id, chosen, n: world.below(5000) });
    return { body, metadata: path === null ? metadata : { ...metadata, [path]: chosen } };
  };
}

const makers: readonly Make[] = [
  about('reasons', null, ({ name, id, chosen }) => `kicked ${name} (${id}): ${chosen}`),
  about('reasons', 'reason', ({ name, id, chosen, n }) => `banned ${name} (${id}) for ${n} hours: ${chosen}`),
  about('reasons', 'reason', ({ name, chosen }) => `Warning for ${name}: ${chosen}`),
  about('places', 'place', ({ name, chosen }) => `${name} joined at ${chosen}`),
  about('places', 'place', ({ name, id }) => `${name} [${id}] left the server (Exiting)`),
  about(
    'places',
    'place',
    ({ name, id, n }) => `^2${name}^7 (${id}) connected from 10.0.${n % 256}.${n % 199}`,
  ),
  about(
    'vehicles',
    'vehicle.model',
    ({ name, chosen, n }) => `${name} spawned ${chosen} with plate ABC ${n}`,
  ),
  about('vehicles', null, ({ name, chosen, n }) => `Vehicle ${chosen} of ${name} was sold for $${n}`),
  about('items', 'item', ({ name, id, chosen, n }) => `${name} (${id}) received ${n % 9}x ${chosen}`),
  about('items', 'item', ({ name, chosen }) => `Inventory: ${name} dropped ${chosen}`),
  about('chat', 'message', ({ name, id, chosen }) => `[chat] ${name} (${id}): ${chosen}`),
  about('chat', null, ({ name, chosen }) => `[OOC] ${name}: ${chosen}`),
  about('tables', 'table', ({ name, chosen, n }) => `Slow query on ${chosen} for ${name}: ${n} ms`),
  about(
    'tables',
    'table',
    told => `SQL error: Duplicate entry '${told.name}' for key '${told.chosen}.PRIMARY'`,
  ),
  about(
    'tables',
    'table',
    ({ name, chosen, n }) => `UPDATE \`${chosen}\` SET name = '${name}' WHERE id = ${n}`,
  ),
  world => {
    const [killer, victim, weapon] = [
      player(world, 'killer'),
      player(world, 'victim'),
      choose('weapons', world),
    ];
    return {
      body: `${killer.name} killed ${victim.name} with ${weapon} from ${world.below(3000) / 10} m`,
      metadata: { ...killer.metadata, ...victim.metadata, weapon },
    };
  },
  world => ({ body: `tick took ${world.below(90)} ms`, metadata: { ms: String(world.below(90)) } }),
  world => ({ body: `Starting resource ${choose('resources', world)}`, metadata: {} }),
  world => {
    const [resource, line] = [choose('resources', world), world.below(400)];
    const error = `attempt to index a nil value (local '${choose('items', world).split(' ')[0]}')`;
    return {
      body: `SCRIPT ERROR: @${resource}/server/main.lua:${line}: ${error}\n> fn (@${resource}/server/main.lua:${line})`,
      metadata: { resource, error },
    };
  },
  world => ({
    body: `TypeError: Cannot read properties of undefined (reading '${choose('tables', world)}')\n    at load (/srv/app/index.js:${world.below(90)}:7)`,
    metadata: { 'error.name': 'TypeError', requestId: world.below(2 ** 30).toString(16) },
  }),
];
