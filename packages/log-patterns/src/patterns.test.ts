/** Tests finding the variable parts of real log lines, rule by rule. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPattern } from './patterns.ts';

/** Body and template. */
const tables: Readonly<Record<string, readonly [string, string][]>> = {
  'the examples of the contract': [
    ['chat', 'chat'],
    ['tick took 52 ms', 'tick took <n> ms'],
    ['10.1.2.3 banned', '<ip> banned'],
  ],
  numbers: [
    ['0 1 2', '<n> <n> <n>'],
    ['x=-12.5 y=+3', 'x=<n> y=<n>'],
    ['1,234,567.89 of 1e3, 1.5e-7', '<n> of <n>, <n>'],
    ['tick took 52ms, 1.5GB, 30fps, 22nd', 'tick took <n>ms, <n>GB, <n>fps, <n>nd'],
    ['took 5 µs, 5µs and 5°', 'took <n> µs, <n>µs and <n>°'],
    ['100% of #42', '<n>% of #<n>'],
    ['steam:76561198012345678', 'steam:<n>'],
    ['player-43 (5)-3', 'player-<n> (<n>)<n>'],
    ['v. 1.2.3', 'v. <n>'],
  ],
  'hexadecimal runs and UUIDs': [
    ['commit 9fceb02d0ae598e9 by a', 'commit <hex> by a'],
    ['at 0x7ff6 and 0X1', 'at <hex> and <hex>'],
    ['license:deadbeef', 'license:<hex>'],
    ['facade', 'facade'],
    ['user 123e4567-e89b-12d3-a456-426614174000 left', 'user <uuid> left'],
    ['user 12345678-1234-1234-1234-123456789012 left', 'user <uuid> left'],
    ['ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB', '<uuid>'],
  ],
  addresses: [
    ['10.0.0.1:30120 and [::1]:80', '<ip>:<n> and [<ip>]:<n>'],
    ['fe80::1%eth0 2001:db8::ff00:42:8329', '<ip>%<id> <ip>'],
    ['::ffff:10.0.0.1 1:2:3:4:5:6:7:8', '<ip> <ip>'],
    ['10.0.0.0/8', '<ip>/<n>'],
    ['1.2.3.4.5 and 300.1.1.1', '<n> and <n>'],
    ['00:1b:44:11:3a:b7', '<mac>'],
    ['std::vector, a::b, Foo::1', 'std::vector, a::b, Foo::<n>'],
  ],
  'times and dates': [
    ['2026-11-22T10:11:12.123Z x', '<time> x'],
    ['2026-11-22T10:11:12+01:00', '<time>'],
    ['2026-11-22 10:11:12,123 x', '<time> x'],
    ['2026/11/22 x 22.11.2026', '<time> x <time>'],
    ['22/Nov/2026:10:11:12 +0000', '<time>'],
    ['at 9:05 or 10:11:12.5', 'at <time> or <time>'],
    ['Nov 22 10:11:12 host', 'Nov <n> <time> host'],
    ['main.lua:12:30: bad', 'main.lua:<n>:<n>: bad'],
    ['3:2', '<n>:<n>'],
  ],
  'words with digits': [
    ['adder2 by char1:Anna', '<id> by <id>:Anna'],
    ['esx_society7 9lives abc123xyz', '<id> <id> <id>'],
    ['größe2', '<id>'],
  ],
  'colour codes vanish': [
    ['^1SCRIPT ERROR^7: bad ^*x^r', 'SCRIPT ERROR: bad x'],
    ['§aHello §l§4World§r', 'Hello World'],
    ['\u001b[31;1merror\u001b[0m: bad', 'error: bad'],
    ['2^10 x^y', '<n><n> x^y'],
    ['§ 5', '§ <n>'],
  ],
  'the first line decides, and blanks are one': [
    ['a\nb', 'a'],
    ['a\r\nb', 'a'],
    ['\n  a', 'a'],
    ['  a\t  b  ', 'a b'],
    ['^1 \nfirst', 'first'],
    ['', ''],
    [' \n', ''],
  ],
  'a long line is cut': [
    [`${'a '.repeat(256)}b`, `${'a '.repeat(256)}…`],
    ['x'.repeat(513), '…'],
    ['x'.repeat(512), 'x'.repeat(512)],
    [`x${'a1'.repeat(9000)}`, '<id>'],
  ],
  Minecraft: [
    [
      '[10:11:12] [Server thread/INFO]: Steve joined the game',
      '[<time>] [Server thread/INFO]: Steve joined the game',
    ],
    [
      '[10:11:12] [Server thread/INFO]: Steve[/127.0.0.1:52134] logged in with entity id 123 at ([world]-12.5, 64.0, 7.3)',
      '[<time>] [Server thread/INFO]: Steve[/<ip>:<n>] logged in with entity id <n> at ([world]<n>, <n>, <n>)',
    ],
    [
      "Can't keep up! Is the server overloaded? Running 2034ms or 40 ticks behind",
      "Can't keep up! Is the server overloaded? Running <n>ms or <n> ticks behind",
    ],
    ['UUID of player Steve is 069a79f4-44e9-4726-a5be-fca90e38aaf5', 'UUID of player Steve is <uuid>'],
  ],
  'FiveM and txAdmin': [
    [
      "^1SCRIPT ERROR: @es_extended/server/main.lua:43: attempt to index a nil value (local 'xPlayer')^7",
      "SCRIPT ERROR: @es_extended/server/main.lua:<n>: attempt to index a nil value (local 'xPlayer')",
    ],
    [
      '[script:oxmysql] Database server connection established!',
      '[script:oxmysql] Database server connection established!',
    ],
    [
      '[    c-scripting-core] Creating script environments for chat',
      '[ c-scripting-core] Creating script environments for chat',
    ],
    [
      'server thread hitch warning: timer interval of 153 milliseconds',
      'server thread hitch warning: timer interval of <n> milliseconds',
    ],
    [
      'sync thread hitch warning: timer interval of 200 milliseconds',
      'sync thread hitch warning: timer interval of <n> milliseconds',
    ],
    [
      '[txAdmin] Player Anna (#12) joined: license:1a2b3c4d5e6f7a8b',
      '[txAdmin] Player Anna (#<n>) joined: license:<hex>',
    ],
  ],
  'Source engine': [
    [
      'L 11/22/2026 - 10:11:12: "Anna<2><STEAM_1:0:12345><CT>" killed "Ben<3><BOT><TERRORIST>" with "ak47"',
      'L <time> - <time>: "Anna<<n>><STEAM_1:0:12345><CT>" killed "Ben<<n>><BOT><TERRORIST>" with "<id>"'.replace(
        'STEAM_1:0:12345',
        '<id>:<n>:<n>',
      ),
    ],
    ['rcon from "10.0.0.9:55012": command "status"', 'rcon from "<ip>:<n>": command "status"'],
  ],
  nginx: [
    [
      '203.0.113.7 - - [22/Nov/2026:10:11:12 +0000] "GET /api/v3/logs?limit=50 HTTP/1.1" 200 612 "-" "curl/8.5.0"',
      '<ip> - - [<time>] "GET /api/<id>/logs?limit=<n> HTTP/<n>" <n> <n> "-" "curl/<n>"',
    ],
    [
      '2026/11/22 10:11:12 [error] 1234#1234: *57 connect() failed (111: Connection refused) while connecting to upstream, client: 2001:db8::1',
      '<time> [error] <n>#<n>: *<n> connect() failed (<n>: Connection refused) while connecting to upstream, client: <ip>',
    ],
  ],
  'Postgres and SQL': [
    [
      '2026-11-22 10:11:12.123 UTC [4711] ERROR:  duplicate key value violates unique constraint "users_pkey"',
      '<time> UTC [<n>] ERROR: duplicate key value violates unique constraint "users_pkey"',
    ],
    ['LOG:  duration: 1234.567 ms  statement: SELECT 1', 'LOG: duration: <n> ms statement: SELECT <n>'],
    [
      'SELECT * FROM users WHERE id = 5 AND money > 1000.50 LIMIT 10',
      'SELECT * FROM users WHERE id = <n> AND money > <n> LIMIT <n>',
    ],
    [
      'UPDATE `users` SET `x` = ? WHERE `id` IN (1, 2)\n-- [5, 6]',
      'UPDATE `users` SET `x` = ? WHERE `id` IN (<n>, <n>)',
    ],
  ],
  'stack traces and JSON': [
    [
      "TypeError: Cannot read properties of undefined (reading 'id')\n    at load (/srv/app/index.js:12:30)",
      "TypeError: Cannot read properties of undefined (reading 'id')",
    ],
    ['    at load (/srv/app/index.js:12:30)', 'at load (/srv/app/index.js:<n>:<n>)'],
    ['java.lang.NullPointerException: null\r\n\tat a.B.c(B.java:5)', 'java.lang.NullPointerException: null'],
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', 'Error: connect ECONNREFUSED <ip>:<n>'],
    [
      '{"event":"buy","price":-12.5,"at":"2026-11-22T10:11:12Z"}',
      '{"event":"buy","price":<n>,"at":"<time>"}',
    ],
    ['{"list":[1,2,3],"id":"a1b2c3d4e5"}', '{"list":[<n>],"id":"<hex>"}'],
  ],
};

describe('templates of bodies', () => {
  for (const [title, rows] of Object.entries(tables)) {
    test(title, () => {
      for (const [body, template] of rows) assert.equal(findPattern(body).template, template);
    });
  }
});

/** Stored entries hold these patterns, so no version may compute others. */
const patterns: readonly [string, string][] = [
  ['', '408a1eac018163a8'],
  ['chat', '36681ecc634c347f'],
  ['tick took 52 ms', '74bf4623946bc2d1'],
  ['10.1.2.3 banned', '125820672ec16ba2'],
  ['Größe § 中文 🔥', 'f47ab635ed6c910d'],
  ['x'.repeat(600), 'a7cf5e710cc49e72'],
];

test('a template keeps its 16 digits', () => {
  for (const [body, pattern] of patterns) assert.equal(findPattern(body).pattern, pattern, body);
});
