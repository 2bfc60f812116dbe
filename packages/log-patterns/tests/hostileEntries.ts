/** Made-up server lines with hard names of players and programs: with signs, several words, or twice in a line. */

type Line = { readonly body: string; readonly metadata: Readonly<Record<string, string>> };
export type World = {
  below(limit: number): number;
  word(): string;
  name(): string;
  chat(): string;
  address(): string;
};
export type Kind = (world: World) => readonly [body: string, metadata?: Readonly<Record<string, string>>];

const syllables = 'ka li no ra mi to ve su dan mar bel tor vin shi lux ner zo qua pix gro'.split(' ');
const chatWords =
  'hello anyone selling car 5k where is the police gg can someone help me !!! ??? :) at pier'.split(' ');

/** The sets of lines by name. */
export const hostileSets: Readonly<Record<string, readonly Kind[]>> = {
  'game server': [
    w => withPlayer(w, name => `^2${name}^7 joined the server (${w.below(900)})`),
    w => withPlayer(w, name => `[${name}]: ${w.chat()}`),
    w => withPlayer(w, name => `${name} (${w.below(900)}) says: ${w.chat()}`),
    w => withPlayer(w, name => `${name} transferred $${w.below(9e5)} to ${w.name()} (balance ${w.below(9e5)})`),
    w => withPlayer(w, name => `job of ${name} set to ${pick(w, jobs)} grade ${w.below(5)} by ${w.name()}`),
    w => withPlayer(w, name => `heist started by ${name}, crew: ${w.name()}, ${w.name()}, ${w.name()}`),
    w => withPlayer(w, name => `Connecting: ${name} [${w.address()}:${w.below(65535)}] position ${w.below(40)}`),
    w => [`script ${w.word()}: attempt to call a nil value in ${w.word()}.lua:${w.below(900)}`],
    w => [`Started resource ${w.word()} in ${w.below(900)}ms`],
  ],
  'block game': [
    w => withPlayer(w, name => `[Server thread/INFO]: <${name}> ${w.chat()}`),
    w => withPlayer(w, name => `[Server thread/INFO]: ${name} was shot by ${capital(w.word())} using [${capital(w.word())}'s Bow]`),
    w => withPlayer(w, name => `[Server thread/INFO]: [${capital(w.word())}: Gave ${w.below(64)} [Diamond] to ${name}]`),
    w => withPlayer(w, name => `[Server thread/INFO]: ${name} issued server command: /msg ${w.word()} ${w.chat()}`),
    w => withPlayer(w, name => `[Server thread/INFO]: ${name} joined the game`),
    w => withPlayer(w, name => `[Server thread/INFO]: ${name} left the game`),
  ],
  'cluster': [
    w => [`Successfully assigned ${pick(w, spaces)}/${w.word()}-${hex(w, 10)}-${w.word()} to node-${w.below(40)}`],
    w => [`level=warn caller=${w.word()}.go:${w.below(900)} component=${w.word()} msg="slow flush" took=${w.below(9)}s`],
    w => [`config reloaded from /etc/${w.word()}/${w.word()}.yaml (${w.below(99)} keys)`],
    w => [`Error syncing pod, skipping: failed to start "${w.word()}": back-off restarting pod=${w.word()}-${hex(w, 10)}-${w.word()}_prod`],
    w => [`dial tcp: lookup ${w.word()}.svc.cluster.local on ${w.address()}:53: no such host`],
  ],
  'sign-ins': [
    w => [`sshd[${w.below(9e4)}]: Failed password for invalid user ${w.word()} from ${w.address()} port ${w.below(6e4)} ssh2`],
    w => [`sshd[${w.below(9e4)}]: Accepted publickey for ${w.word()} from ${w.address()} port ${w.below(6e4)} ssh2`],
    w => [`sudo: ${w.word()} : TTY=pts/${w.below(9)} ; PWD=/home/${w.word()} ; COMMAND=/usr/bin/${w.word()}`],
    w => [`${w.word()}.service: Failed with result 'exit-code'.`],
  ],
}; // biome-ignore format: a table

const jobs = 'police ambulance mechanic taxi lawyer judge cook pilot'.split(' ');
const spaces = ['default', 'kube-system', 'prod', 'staging'];

function withPlayer(world: World, write: (name: string) => string): ReturnType<Kind> {
  const name = world.name();
  return [write(name), { 'player.name': name }];
}

/** The same seed makes the same lines. */
export function makeHostileEntries(kinds: readonly Kind[], count: number, seed = 1): Line[] {
  const world = makeWorld(seed);
  return Array.from({ length: count }, () => {
    const [body, metadata = {}] = pick(world, kinds)(world);
    return { body, metadata };
  });
}

export function makeWorld(seed: number): World {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * limit) % limit;
  };
  const word = () => Array.from({ length: 2 + below(3) }, () => syllables[below(syllables.length)]).join('');
  const name = () => decorate[below(decorate.length)]!(capital(word()), capital(word()), below(99));
  const chat = () => Array.from({ length: 1 + below(8) }, () => chatWords[below(chatWords.length)]).join(' ');
  const group = () => below(65_536).toString(16);
  const address = () =>
    below(10) > 0
      ? `${1 + below(222)}.${below(256)}.${below(256)}.${below(256)}`
      : `2a02:${group()}:${group()}::${group()}`;
  return { below, word, name, chat, address };
}

const decorate: readonly ((one: string, other: string, number: number) => string)[] = [
  one => one,
  (one, other) => `${one} ${other}`,
  (one, _other, number) => `${one}_${number}`,
  one => `🔥${one}🔥`,
  (one, other) => `[${other.slice(0, 3).toUpperCase()}] ${one}`,
  one => `'${one}'`,
  (one, other) => `The ${one} of ${other}`,
];

export function pick<One>(world: Pick<World, 'below'>, all: readonly One[]): One {
  return all[world.below(all.length)]!; // not empty
}

export function hex({ below }: World, digits: number): string {
  return Array.from({ length: digits }, () => '0123456789abcdef'[below(16)]).join('');
}

export function capital(word: string): string {
  return `${word[0]?.toUpperCase()}${word.slice(1)}`;
}
