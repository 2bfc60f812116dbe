/** Runs programs that send through third-party clients, with the settings from the catalogue. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Connection } from '@tapedeck/guides';
import { newId } from '@tapedeck/values/random-ids';
import {
  installJavaClients,
  installNodeClients,
  installPythonClients,
} from '../../../scripts/clients/installedClients.ts';
import { findGuide } from '../support/connectGuides.ts';
import type { EntryLine } from './senders/entryLines.ts';

/** A program in the folder `senders`. */
type Sender = { language: 'node' | 'python' | 'java'; program: string; arguments?: string[] };

export type Client = {
  title: string;
  sender: Sender;
  /** The settings file's name and content. */
  settings: { name: string; write(connection: Connection): string };
};

/** Returns settings from the catalogue; `change` adapts them to the test. */
export function settingsOf(guide: string, name: string): Client['settings'] {
  const snippet = findGuide(guide)?.snippets.find(each => each.name === name);
  assert.ok(snippet, `The catalogue has no ${name} of ${guide}.`);
  return snippet;
}

type RunningSender = {
  send(entries: readonly EntryLine[]): void;
  /** Resolves to the program's output once it has sent everything and ended. */
  end(): Promise<string>;
};

export async function startSender(client: Client, connection: Connection): Promise<RunningSender> {
  const { command, place, environment } = await prepare(client.sender);
  const folder = path.join(place, `settings-${newId()}`);
  const file = path.join(folder, client.settings.name);
  await mkdir(folder);
  await writeFile(file, client.settings.write(connection));
  const [program = '', ...flags] = command;
  const child = spawn(program, [...flags, file, ...(client.sender.arguments ?? [])], {
    env: { ...process.env, ...environment },
    cwd: folder,
  });
  const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  child.stdin.on('error', () => {}); // the exit code tells why
  return {
    send: entries => {
      for (const entry of entries) child.stdin.write(`${JSON.stringify(entry)}\n`);
    },
    end: async () => {
      child.stdin.end();
      const [printed, complained, [status, signal]] = await said;
      await rm(folder, { recursive: true });
      assert.equal(status ?? signal, 0, printed + complained);
      return printed + complained;
    },
  };
}

type Prepared = { command: string[]; place: string; environment?: NodeJS.ProcessEnv };

async function prepare({ language, program }: Sender): Promise<Prepared> {
  const source = path.join(import.meta.dirname, program);
  switch (language) {
    case 'node':
      return { command: [process.execPath, source], place: await installNodeClients() };
    case 'python': {
      const { python, elasticsearch8 } = await installPythonClients();
      const environment = { ELASTICSEARCH_8: elasticsearch8, PYTHONUNBUFFERED: '1' };
      return { command: [python, source], place: path.dirname(elasticsearch8), environment };
    }
    case 'java': {
      const classPath = await installJavaClients();
      return { command: ['java', '-cp', classPath, source], place: path.dirname(path.dirname(classPath)) };
    }
  }
}
