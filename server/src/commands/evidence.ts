/** `tapedeck evidence …`: verifies an evidence archive, and prints the key with which this installation signs. */
import { open } from 'node:fs/promises';
import { openEvidenceKey, readPublicKey } from '@tapedeck/domain/subjects/evidence/signing';
import { verifyEvidence } from '@tapedeck/domain/subjects/evidence/verification';
import { invalidFieldError } from '@tapedeck/domain/vocabulary';
import { hasCode } from '@tapedeck/durable-files';
import type { Config } from '../config.ts';
import { readKeptSecret } from '../stores/dataDirectory/secretFile.ts';
import type { Command } from './command.ts';

export const evidenceVerify: Command = {
  name: 'evidence verify',
  usage: 'FILE [--key KEY]',
  about: 'Check that no byte of an evidence archive was changed. Exits with 1 if something is wrong.',
  options: { key: { type: 'string', about: 'trust this key instead of the one of this installation' } },
  positionals: { min: 1, max: 1 },
  run: async (config, given) => {
    const [path = ''] = given.positionals;
    const key = given.text('key') ?? (await readOwnKey(config));
    if (readPublicKey(key) === null)
      throw invalidFieldError(
        '--key',
        '--key must be the 43 characters that `tapedeck evidence key` prints.',
      );
    await using source = await openSource(path);
    const { problems, head, entries } = await verifyEvidence(source, key);
    const text =
      head === null || problems.length > 0
        ? problems.join('\n')
        : `${path} is unchanged since ${head.createdBy} made it at ${head.createdAt}: ${entries} entries, each with its hash.`;
    return {
      text,
      json: { file: path, valid: problems.length === 0, problems, head },
      failed: problems.length > 0,
    };
  },
};

export const evidenceKey: Command = {
  name: 'evidence key',
  usage: '',
  about: 'Print the key with which others can verify evidence of this installation.',
  options: {},
  run: async config => {
    const key = await readOwnKey(config);
    return { text: key, json: { key } };
  },
};

/** Derives the key from the secret of the installation. */
async function readOwnKey({ secret, dataDir }: Config): Promise<string> {
  const own = secret ?? (await readKeptSecret(dataDir));
  if (own !== null) return openEvidenceKey(own).publicKey;
  const sentence = `There is no installation in ${dataDir}; set TAPEDECK_DATA_DIR or TAPEDECK_SECRET, or give the key as --key.`;
  throw invalidFieldError('--key', sentence);
}

/** Reads the archive part by part. */
type ZipSource = Parameters<typeof verifyEvidence>[0];

async function openSource(path: string): Promise<ZipSource & AsyncDisposable> {
  const file = await open(path).catch(error => {
    if (hasCode(error, ['ENOENT', 'EACCES', 'ENOTDIR']))
      throw invalidFieldError('FILE', `The file ${path} cannot be read; check its name and its rights.`);
    throw error;
  });
  const about = await file.stat();
  if (!about.isFile()) {
    await file.close();
    throw invalidFieldError('FILE', `${path} is not a file; name the ZIP archive.`);
  }
  return {
    sizeBytes: about.size,
    read: async (position, lengthBytes) => {
      const bytes = Buffer.alloc(lengthBytes);
      const { bytesRead } = await file.read(bytes, 0, lengthBytes, position);
      return bytes.subarray(0, bytesRead);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}
