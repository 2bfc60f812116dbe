/** The folder in which an import keeps how far it is. After a kill or a power cut, the next run reads it and goes on. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, lockDirectory, makeDirectory, syncDirectory } from '@tapedeck/durable-files';

const ownerOnly = 0o600; // a token is in it
const nameCharacters = 16; // a hash of 64 bits

export type KeptToken = { id: string; text: string; project: string };

export class ImportState implements Disposable {
  readonly path: string;
  readonly #lock: Disposable;

  private constructor(folder: string, lock: Disposable) {
    this.path = folder;
    this.#lock = lock;
  }

  /** `names`: what makes this import another one than the rest. `given`: where the user wants it; else it is in the data directory. */
  static async open(
    dataDir: string,
    names: readonly string[],
    given: string | undefined,
  ): Promise<ImportState> {
    const digest = createHash('sha256').update(JSON.stringify(names)).digest('hex');
    const name = digest.slice(0, nameCharacters);
    const folder = path.join(given === undefined ? path.join(dataDir, 'imports') : path.resolve(given), name);
    await makeDirectory(folder);
    const refusal = 'The same import runs already; wait for it, or stop it.';
    return new ImportState(folder, lockDirectory(folder, refusal));
  }

  /** null where there is no such file. */
  async read<T>(name: string): Promise<T | null> {
    try {
      // Written by this class alone, of the type that the caller wrote.
      return JSON.parse(await readFile(this.file(name), 'utf8')) as T;
    } catch (error) {
      if (hasCode(error, ['ENOENT']) || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** Writes all or nothing. Resolves once it survives a power cut, because what was sent must not be sent again. */
  async write(name: string, value: unknown): Promise<void> {
    const draft = this.file(`${name}.new`);
    await writeFile(draft, JSON.stringify(value), { mode: ownerOnly, flush: true });
    await rename(draft, this.file(name));
    await syncDirectory(this.path);
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { force: true });
  }

  /** The lines of a list; a last one that was cut off is not among them. */
  async readLines<T>(name: string): Promise<T[]> {
    try {
      const text = await readFile(this.file(name), 'utf8');
      const end = text.lastIndexOf('\n') + 1;
      if (end < text.length) await writeFile(this.file(name), text.slice(0, end));
      // As in `read`.
      return text
        .slice(0, end)
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as T);
    } catch (error) {
      if (hasCode(error, ['ENOENT'])) return [];
      throw error;
    }
  }

  /** Resolves once the line survives a power cut. */
  async addLine(name: string, value: unknown): Promise<void> {
    const isNew = !existsSync(this.file(name));
    await appendFile(this.file(name), `${JSON.stringify(value)}\n`, { flush: true });
    if (isNew) await syncDirectory(this.path);
  }

  readToken(): Promise<KeptToken | null> {
    return this.read('token.json');
  }

  keepToken(token: KeptToken): Promise<void> {
    return this.write('token.json', token);
  }

  forgetToken(): Promise<void> {
    return this.remove('token.json');
  }

  file(name: string): string {
    return path.join(this.path, name);
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
  }
}
