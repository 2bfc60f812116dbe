/**
 * Finds texts that every match of an expression contains, so that indexes can lead to them. It leaves out uncertain ones; without any, the
 * expression is searched for everywhere.
 */

const quantifiers = /[*+?{]/;
const plainEscape = /[^\p{L}\p{N}]/u;

export function findLiterals(expression: string): readonly string[] {
  const reader = new LiteralReader(expression);
  return reader.read();
}

class LiteralReader {
  readonly #characters: readonly string[];
  readonly #runs: string[] = [];
  #run: string[] = [];
  #at = 0;

  constructor(expression: string) {
    this.#characters = [...expression];
  }

  read(): string[] {
    while (this.#at < this.#characters.length) {
      const character = this.#characters[this.#at++] ?? '';
      if (character === '|') return []; // one of several, of which none is certain
      if (character === '\\') this.#readEscape();
      else if (character === '[') this.#skipClass();
      else if (character === '(') this.#skipGroup();
      else if (/[.^$)]/.test(character)) this.#endRun();
      else if (quantifiers.test(character)) this.#readQuantifier(character);
      else this.#run.push(character);
      if (this.#isLost) return [];
    }
    this.#endRun();
    return this.#runs.filter(run => run !== '');
  }

  #isLost = false;

  #endRun(): void {
    this.#runs.push(this.#run.join(''));
    this.#run = [];
  }

  #readEscape(): void {
    const character = this.#characters[this.#at++] ?? '';
    if (plainEscape.test(character)) this.#run.push(character);
    else if (/[QE]/.test(character)) this.#isLost = true;
    else {
      this.#endRun();
      // Escapes such as \x{41} and \pL take more than a letter.
      if (/[xpP0-7]/.test(character)) this.#isLost = true;
    }
  }

  #skipClass(): void {
    this.#endRun();
    if (this.#characters[this.#at] === '^') this.#at++;
    if (this.#characters[this.#at] === ']') this.#at++;
    while (this.#at < this.#characters.length && this.#characters[this.#at] !== ']') {
      if (this.#characters[this.#at] === '[') {
        this.#isLost = true; // a class within the class
        return;
      }
      this.#at += this.#characters[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
  }

  #skipGroup(): void {
    this.#endRun();
    let depth = 1;
    while (depth > 0 && this.#at < this.#characters.length && !this.#isLost) {
      const character = this.#characters[this.#at++] ?? '';
      if (character === '\\') {
        if (/[QE]/.test(this.#characters[this.#at] ?? '')) this.#isLost = true;
        this.#at++;
      } else if (character === '[') this.#skipClass();
      else if (character === '(') depth++;
      else if (character === ')') depth--;
    }
  }

  /** The character before is optional; only a plus requires it. */
  #readQuantifier(character: string): void {
    if (character !== '+') this.#run.pop();
    this.#endRun();
    if (character !== '{') return;
    while (this.#at < this.#characters.length && this.#characters[this.#at] !== '}') this.#at++;
    this.#at++;
  }
}
