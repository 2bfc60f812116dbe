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

for (const [name, [text, expected]] of Object.entries(shapes)) {
  test(name, () => assert.equal(fold(text), expected));
}

for (const text of [
  'One line',
  `Error\n${repeat(4, n => `    at step${n} (main.js:${n}:5)`)}`,
  'Lines\nof a text\n> that quotes (somebody)\nat some length\nand goes on\n  File it',
]) {
  test(`nothing is folded in ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(fold(text), text));
}
