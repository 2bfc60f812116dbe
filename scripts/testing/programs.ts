/** Programs that tests need and npm does not provide: finds them, installs them on Debian, or names a remedy. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Suite } from './selection.ts';

/** Any of `places` will do; a name without a slash is looked up in PATH. */
type Program = { name: string; places: readonly string[]; debianPackage: string };

/** Prefers the headless program: with windows, Chromium also loads pages for its buttons, and starting costs five times as much. */
const chromium: Program = {
  name: 'Chromium',
  places: [
    '/usr/lib/chromium/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  debianPackage: 'chromium-headless-shell',
};
const ffmpeg: Program = { name: 'FFmpeg', places: ['ffmpeg'], debianPackage: 'ffmpeg' };
const curl: Program = { name: 'curl', places: ['curl'], debianPackage: 'curl' };
const postgres: Program = {
  name: 'PostgreSQL',
  places: ['/usr/lib/postgresql'],
  debianPackage: 'postgresql',
};
const swift: Program = {
  name: 'OpenStack Swift',
  places: ['swift-proxy-server'],
  debianPackage: 'swift-proxy swift-account swift-container swift-object',
};
const memcached: Program = { name: 'memcached', places: ['memcached'], debianPackage: 'memcached' };
const nginx: Program = { name: 'nginx', places: ['nginx'], debianPackage: 'nginx-light' };
const python: Program = { name: 'Python', places: ['python3'], debianPackage: 'python3-venv' };
const java: Program = { name: 'Java', places: ['javac'], debianPackage: 'default-jdk-headless' };
const maven: Program = { name: 'Maven', places: ['mvn'], debianPackage: 'maven' };
const mono: Program = {
  name: 'Mono',
  places: ['mcs'],
  debianPackage: 'mono-mcs libnewtonsoft-json5.0-cil',
};
const strace: Program = { name: 'strace', places: ['strace'], debianPackage: 'strace' };

const needs: Readonly<Record<Suite, { set: string; programs: readonly Program[] }>> = {
  embedded: { set: 'tests', programs: [chromium, ffmpeg, curl] },
  engines: {
    set: 'engines',
    programs: [postgres, swift, memcached, nginx, python, java, maven, mono, strace],
  },
};

/** Finds a browser for tests; undefined if there is none. */
export function findChromium(): string | undefined {
  return findPlace(chromium);
}

/** Installs missing programs if possible: on Debian, as root. Returns a sentence about those still missing. */
export function installTestPrograms(suite: Suite): string | undefined {
  const { set, programs } = needs[suite];
  const isMissing = (program: Program) => findPlace(program) === undefined;
  const missing = programs.filter(isMissing);
  if (missing.length === 0) return undefined;
  const isRootOnDebian = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  if (isRootOnDebian) {
    spawnSync('sh', [join(import.meta.dirname, '../debian.sh'), set], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  }
  return describeMissing(missing.filter(isMissing));
}

function describeMissing(programs: readonly Program[]): string | undefined {
  if (programs.length === 0) return undefined;
  const names = programs.map(({ name }) => name).join(' and ');
  const packages = programs.map(({ debianPackage }) => debianPackage).join(' ');
  return `Tests need ${names}, which this machine does not have: install it (on Debian: sudo apt-get install ${packages}), or those tests will fail.`;
}

function findPlace({ places }: Program): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return places
    .flatMap(place => (place.includes('/') ? [place] : directories.map(directory => join(directory, place))))
    .find(place => existsSync(place));
}
