/** Tests folding stacks of many languages: the first frames stay, the rest is counted and folded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldStackFrames } from './stackFrames.ts';

/** Replaces each fold with its number of frames. */
function fold(text: string): string {
  let at = 0;
  const parts = foldStackFrames(text).map(({ start, end, frames }) => {
    const before = text.slice(at, start);
    at = end;
    return `${before}<${frames} frames>`;
  });
  return `${parts.join('')}${text.slice(at)}`;
}

function repeat(count: number, frame: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => frame(index + 1)).join('\n');
}

const shapes: Readonly<Record<string, readonly [string, string]>> = {
  'JavaScript in Node.js': [
    `TypeError: x is no function\n${repeat(8, n => `    at step${n} (file:///app/main.js:${n}:5)`)}`,
    `TypeError: x is no function\n${repeat(3, n => `    at step${n} (file:///app/main.js:${n}:5)`)}\n<5 frames>`,
  ],
  'JavaScript in Firefox': [
    `Error\n${repeat(5, n => `step${n}@https://a.example/x.js:${n}:9`)}`,
    `Error\n${repeat(3, n => `step${n}@https://a.example/x.js:${n}:9`)}\n<2 frames>`,
  ],
  'Java, with its cause': [
    `java.lang.Error: bad\r\n${repeat(5, n => `\tat com.shop.Till.step${n}(Till.java:${n})\r`)}\nCaused by: x\n${repeat(6, n => `\tat a.B.c${n}(B.java:${n})`)}\n\t... 23 more`,
    `java.lang.Error: bad\r\n${repeat(3, n => `\tat com.shop.Till.step${n}(Till.java:${n})\r`)}\n<2 frames>\nCaused by: x\n${repeat(3, n => `\tat a.B.c${n}(B.java:${n})`)}\n<4 frames>`,
  ],
  'C#': [
    `System.Exception: bad\n${repeat(6, n => `   at Shop.Till.Step${n}(Int32 x) in Till.cs:line ${n}`)}\n--- End of stack trace ---`,
    `System.Exception: bad\n${repeat(3, n => `   at Shop.Till.Step${n}(Int32 x) in Till.cs:line ${n}`)}\n<3 frames>\n--- End of stack trace ---`,
  ],
  Lua: [
    `main.lua:1: bad\nstack traceback:\n\t[C]: in function 'error'\n${repeat(5, n => `\tmain.lua:${n}: in upvalue 'step${n}'`)}\n\t(...tail calls...)`,
    `main.lua:1: bad\nstack traceback:\n\t[C]: in function 'error'\n${repeat(2, n => `\tmain.lua:${n}: in upvalue 'step${n}'`)}\n<4 frames>`,
  ],
  FiveM: [
    `SCRIPT ERROR: @shop/server.lua:3: bad\n> error (<builtin>)\n${repeat(5, n => `> step${n} (@shop/server.lua:${n})`)}`,
    `SCRIPT ERROR: @shop/server.lua:3: bad\n> error (<builtin>)\n${repeat(2, n => `> step${n} (@shop/server.lua:${n})`)}\n<3 frames>`,
  ],
  'Python, whose last frame failed': [
    `Traceback (most recent call last):\n${repeat(6, n => `  File "shop.py", line ${n}, in step${n}\n    step${n}()\n    ~~~~~^^`)}\nValueError: bad`,
    `Traceback (most recent call last):\n<3 frames>\n${[4, 5, 6].map(n => `  File "shop.py", line ${n}, in step${n}\n    step${n}()\n    ~~~~~^^`).join('\n')}\nValueError: bad`,
  ],
  Go: [
    `panic: bad\n\ngoroutine 1 [running]:\n${repeat(5, n => `main.step${n}(0x1, 0x2)\n\t/app/main.go:${n} +0x1d`)}\ncreated by main.main in goroutine 1\n\t/app/main.go:9 +0x25`,
    `panic: bad\n\ngoroutine 1 [running]:\n${repeat(3, n => `main.step${n}(0x1, 0x2)\n\t/app/main.go:${n} +0x1d`)}\n<3 frames>`,
  ],
  PHP: [
    `Fatal error: bad\n${repeat(5, n => `#${n} /app/index.php(${n}): step${n}()`)}\n#6 {main}`,
    `Fatal error: bad\n${repeat(3, n => `#${n} /app/index.php(${n}): step${n}()`)}\n<2 frames>\n#6 {main}`,
  ],
};

const more: Readonly<Record<string, readonly [string, string]>> = {
  'Java, with what was suppressed': [
    `Error: bad\n${repeat(3, n => `\tat a.B.c${n}(B.java:${n})`)}\n\tSuppressed: x\n${repeat(5, n => `\t\tat a.B.c${n}(B.java:${n})`)}\n\t\t... 2 more`,
    `Error: bad\n${repeat(3, n => `\tat a.B.c${n}(B.java:${n})`)}\n\tSuppressed: x\n${repeat(3, n => `\t\tat a.B.c${n}(B.java:${n})`)}\n<3 frames>`,
  ],
  'Python, with a cause and repeated frames': [
    `Traceback:\n${repeat(5, n => `  File "a.py", line ${n}, in f\n    f()`)}\n  [Previous line repeated 993 more times]\nKeyError: 1\n\nDuring handling:\n\nTraceback:\n${repeat(5, n => `  File "b.py", line ${n}, in g`)}\nValueError`,
    `Traceback:\n<2 frames>\n${[3, 4, 5].map(n => `  File "a.py", line ${n}, in f\n    f()`).join('\n')}\n  [Previous line repeated 993 more times]\nKeyError: 1\n\nDuring handling:\n\nTraceback:\n<2 frames>\n${[3, 4, 5].map(n => `  File "b.py", line ${n}, in g`).join('\n')}\nValueError`,
  ],
  'Python, in a group of exceptions': [
    `  + Exception Group Traceback:\n${repeat(5, n => `  |   File "a.py", line ${n}, in f\n  |     f()`)}\n  | ExceptionGroup: bad`,
    `  + Exception Group Traceback:\n<2 frames>\n${[3, 4, 5].map(n => `  |   File "a.py", line ${n}, in f\n  |     f()`).join('\n')}\n  | ExceptionGroup: bad`,
  ],
  'PHP, in functions of its own': [
    `Stack trace:\n${repeat(5, n => `#${n} [internal function]: step${n}()`)}\n#6 {main}\n  thrown in /a.php`,
    `Stack trace:\n${repeat(3, n => `#${n} [internal function]: step${n}()`)}\n<2 frames>\n#6 {main}\n  thrown in /a.php`,
  ],
  Ruby: [
    `a.rb:1:in 'f': bad (RuntimeError)\n${repeat(5, n => `\tfrom a.rb:${n}:in 'Shop#f${n}'`)}\nb.rb:2:in \`g': x (KeyError)`,
    `a.rb:1:in 'f': bad (RuntimeError)\n${repeat(3, n => `\tfrom a.rb:${n}:in 'Shop#f${n}'`)}\n<2 frames>\nb.rb:2:in \`g': x (KeyError)`,
  ],
  'Ruby on Rails': [
    `RuntimeError (bad):\n\n${repeat(5, n => `app/models/shop.rb:${n}:in \`f${n}'`)}`,
    `RuntimeError (bad):\n\n${repeat(3, n => `app/models/shop.rb:${n}:in \`f${n}'`)}\n<2 frames>`,
  ],
  Mono: [
    `NullReferenceException: bad\n${repeat(5, n => `  at Player.Step${n} (System.Int32 x) [0x00001] in <ab12>:0 `)}`,
    `NullReferenceException: bad\n${repeat(3, n => `  at Player.Step${n} (System.Int32 x) [0x00001] in <ab12>:0 `)}\n<2 frames>`,
  ],
  Unity: [
    `NullReferenceException: bad\n${repeat(5, n => `Player.Step${n} (System.Int32 x) (at Assets/Player.cs:${n})`)}`,
    `NullReferenceException: bad\n${repeat(3, n => `Player.Step${n} (System.Int32 x) (at Assets/Player.cs:${n})`)}\n<2 frames>`,
  ],
};

for (const [name, [text, expected]] of Object.entries({ ...shapes, ...more })) {
  test(name, () => assert.equal(fold(text), expected));
  test(`${name}, with the line ends of Windows`, () => {
    const ends = (lines: string) => lines.replaceAll(/\r?\n/g, '\r\n');
    // A fold ends before its line feed.
    assert.equal(fold(ends(text)).replaceAll('\r', ''), expected.replaceAll('\r', ''));
  });
}

test('reads long lines that are no frames at once', () => {
  const startedAt = process.cpuUsage().user;
  for (const piece of ['> (@', '(at a:1', '#1 a:', '@a:1:', '  File "', '\ta:1 ', ' ', "x:1:in '"])
    for (const head of ['', '> ', '#1 ', ' ', '\t', '@'])
      assert.deepEqual(foldStackFrames(`\n${head}${piece.repeat(1_000_000 / piece.length)}\n`), []);
  const short = `> ${'(@'.repeat(900)}\n`;
  foldStackFrames(short.repeat(500));
  const tookMs = (process.cpuUsage().user - startedAt) / 1000;
  assert(tookMs < 3_000, `took ${tookMs} ms of processor time`);
});

for (const text of [
  'One line',
  `Error\n${repeat(4, n => `    at step${n} (main.js:${n}:5)`)}`,
  'Lines\nof a text\n> that quotes (somebody)\nat some length\nand goes on\n  File it',
]) {
  test(`nothing is folded in ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(fold(text), text));
}

for (const piece of [':1:in `', '(@', '> ', 'File "', '11:', '@x:', '[a]']) {
  test(`a line of "${piece}" does not hold the page`, () => {
    const line = `x${piece.repeat(100_000)}`;
    const startedAt = performance.now();
    foldStackFrames(`Error\n${line}\n  ${line}\n> ${line}`);
    assert.ok(performance.now() - startedAt < 1_000); // time with the square of the length takes minutes
  });
}
