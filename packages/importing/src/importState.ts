/** The folder in which an import stores its progress. After a kill or a power cut, the next run continues from it. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, lockDirectory, makeDirectory, syncDirectory } from '@tapedeck/durable-files';

const ownerOnly = 0o600; // it holds a token
const nameCharacters = 16; // a hash of 64 bits

export type KeptToken = { id: string; text: string; project: string };

export class ImportState implements Disposable {
  readonly path: string;
  readonly #lock: Disposable;

  private constructor(folder: string, lock: Disposable) {
    this.path = folder;
    this.#lock = lock;
  }

  /** `names`: identifies the import. `given`: the user's folder; otherwise it is in the data directory. */
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

  /** Returns null if the file does not exist. */
  async read<T>(name: string): Promise<T | null> {
    try {
      // Only this class writes the file, with the caller's type.
      return JSON.parse(await readFile(this.file(name), 'utf8')) as T;
    } catch (error) {
      if (hasCode(error, ['ENOENT']) || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** Writes all or nothing. Resolves once it survives a power cut, because the next run must not repeat what was sent. */
  async write(name: string, value: unknown): Promise<void> {
    const draft = this.file(`${name}.new`);
    await writeFile(draft, JSON.stringify(value), { mode: ownerOnly, flush: true });
    await rename(draft, this.file(name));
    await syncDirectory(this.path);
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { force: true });
  }

  /** Returns the lines of a list, without a last one that was cut off. */
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
