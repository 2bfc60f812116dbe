/** Tests values that try to break out of their place in a guide: they must end up escaped, or not at all. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readCatalogue } from '../src/files.ts';
import type { Language } from '../src/index.ts';

const { guides } = readCatalogue(path.join(import.meta.dirname, '../../../docs/connect'));

/** Has a meaning in shells, URLs, JSON, YAML, XML, regular expressions, and the placeholders. */
const hostile = `it's "50%" & $HOME \`id\` $(id) $& \\ {{token}} <x>;type=a: b # |\n\r\tü\ud800`;
const plain = { address: 'https://tape.example.org:8443', token: 'T0ken', dataset: 'game', folder: 'shots' };

const encoded = encodeURIComponent(hostile.toWellFormed()).replaceAll(
  /[!'()*]/g,
  sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
);
const json = (text: string) => JSON.stringify(text.toWellFormed());

/** Other valid forms of the folder besides percent-encoding. */
const spellings: Partial<Record<Language, (folder: string) => string>> = {
  sh: folder => folder.toWellFormed().replaceAll("'", "'\\''"),
  javascript: folder => json(folder).slice(1, -1),
  python: folder => json(folder).slice(1, -1),
  json: folder => json(folder.replaceAll(/[\\{}|%]/g, '\\$&')).slice(1, -1), // for ShareX
};

for (const name of ['address', 'token', 'dataset', 'folder'] as const) {
  describe(`a hostile ${name}`, () => {
    for (const guide of guides)
      it(guide.title, () => {
        for (const { write, language } of [...guide.snippets, guide.test]) {
          const spelled = name === 'folder' ? spellings[language]?.(hostile) : undefined;
          const text = write({ ...plain, [name]: plain[name] + hostile });
          const bare = encoded.replaceAll('%3A', ':'); // as in addresses
          const tamed = [encoded, bare, spelled ?? encoded].reduce(
            (rest, one) => rest.replaceAll(one, ''),
            text,
          );
          assert.equal(tamed, write(plain));
        }
      });
  });
}

it('leaves valid addresses, tokens and datasets unchanged', () => {
  const connections = [
    { ...plain, address: 'http://localhost' },
    { ...plain, address: 'https://[2001:db8::1]:8443', dataset: 'my-game.v2_eu' },
  ];
  for (const connection of connections) {
    const text = guides.find(({ id }) => id === 'curl-logs')!.snippets[0]!.write(connection);
    for (const value of [connection.address, connection.token, connection.dataset])
      assert.ok(text.includes(value), value);
  }
});
