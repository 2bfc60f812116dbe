/**
 * Folds letter case for searches: Unicode's simple folding, one character to one character, without normalisation. It stays at Unicode 17, because
 * the log store indexes entries by the same folding.
 */

/**
 * Runs of characters beyond ASCII, in hexadecimal except for the counts: first character, `*` count (default 1), `/` step (default 1), and the
 * distance to the folded character.
 */
const runs = `
  b5+307 c0*23+20 d8*7+20 100*24/2+1 132*3/2+1 139*8/2+1 14a*23/2+1 178-79 179*3/2+1 17f-10c 181+d2
  182*2/2+1 186+ce 187+1 189*2+cd 18b+1 18e+4f 18f+ca 190+cb 191+1 193+cd 194+cf 196+d3 197+d1 198+1
  19c+d3 19d+d5 19f+d6 1a0*3/2+1 1a6+da 1a7+1 1a9+da 1ac+1 1ae+da 1af+1 1b1*2+d9 1b3*2/2+1 1b7+db 1b8+1
  1bc+1 1c4+2 1c5+1 1c7+2 1c8+1 1ca+2 1cb*9/2+1 1de*9/2+1 1f1+2 1f2*2/2+1 1f6-61 1f7-38 1f8*20/2+1 220-82
  222*9/2+1 23a+2a2b 23b+1 23d-a3 23e+2a28 241+1 243-c3 244+45 245+47 246*5/2+1 345+74 370*2/2+1 376+1
  37f+74 386+26 388*3+25 38c+40 38e*2+3f 391*17+20 3a3*9+20 3c2+1 3cf+8 3d0-1e 3d1-19 3d5-f 3d6-16
  3d8*12/2+1 3f0-36 3f1-30 3f4-3c 3f5-40 3f7+1 3f9-7 3fa+1 3fd*3-82 400*16+50 410*32+20 460*17/2+1
  48a*27/2+1 4c0+f 4c1*7/2+1 4d0*48/2+1 531*38+30 10a0*38+1c60 10c7+1c60 10cd+1c60 13a0*80+97d0 13f0*6+8
  1c80-184e 1c81-184d 1c82-1844 1c83*2-1842 1c85-1843 1c86-183c 1c87-1824 1c88+89c3 1c89+1 1c90*43-bc0
  1cbd*3-bc0 1e00*75/2+1 1e9b-3a 1e9e-1dbf 1ea0*48/2+1 1f08*8-8 1f18*6-8 1f28*8-8 1f38*8-8 1f48*6-8
  1f59*4/2-8 1f68*8-8 1f88*8-8 1f98*8-8 1fa8*8-8 1fb8*2-8 1fba*2-4a 1fbc-9 1fbe-1c05 1fc8*4-56 1fcc-9
  1fd3-1c43 1fd8*2-8 1fda*2-64 1fe3-1c33 1fe8*2-8 1fea*2-70 1fec-7 1ff8*2-80 1ffa*2-7e 1ffc-9 2126-1d5d
  212a-20bf 212b-2046 2132+1c 2160*16+10 2183+1 24b6*26+1a 2c00*48+30 2c60+1 2c62-29f7 2c63-ee6 2c64-29e7
  2c67*3/2+1 2c6d-2a1c 2c6e-29fd 2c6f-2a1f 2c70-2a1e 2c72+1 2c75+1 2c7e*2-2a3f 2c80*50/2+1 2ceb*2/2+1
  2cf2+1 a640*23/2+1 a680*14/2+1 a722*7/2+1 a732*31/2+1 a779*2/2+1 a77d-8a04 a77e*5/2+1 a78b+1 a78d-a528
  a790*2/2+1 a796*10/2+1 a7aa-a544 a7ab-a54f a7ac-a54b a7ad-a541 a7ae-a544 a7b0-a512 a7b1-a52a a7b2-a515
  a7b3+3a0 a7b4*8/2+1 a7c4-30 a7c5-a543 a7c6-8a38 a7c7*2/2+1 a7cb-a567 a7cc*8/2+1 a7dc-a641 a7f5+1 fb05+1
  ff21*26+20 10400*40+28 104b0*36+28 10570*11+27 1057c*15+27 1058c*7+27 10594*2+27 10c80*51+40 10d50*22+20
  118a0*32+20 16e40*32+20 16ea0*25+1b 1e900*34+22
`;

const runPattern = /^([0-9a-f]+)(?:\*(\d+))?(?:\/(\d))?([+-][0-9a-f]+)$/;

const folded: ReadonlyMap<string, string> = readRuns(runs);

const asciiPattern = /^[\0-\x7f]*$/;

export function foldCase(text: string): string {
  if (asciiPattern.test(text)) return text.toLowerCase();
  let result = '';
  for (const character of text) {
    result += character < '\x80' ? character.toLowerCase() : (folded.get(character) ?? character);
  }
  return result;
}

function readRuns(text: string): Map<string, string> {
  const characters = new Map<string, string>();
  for (const run of text.trim().split(/\s+/)) {
    const [, first = '', count = '1', step = '1', distance = ''] = runPattern.exec(run) ?? [];
    for (let index = 0; index < Number(count); index++) {
      const code = Number.parseInt(first, 16) + index * Number(step);
      const to = code + Number.parseInt(distance, 16);
      characters.set(String.fromCodePoint(code), String.fromCodePoint(to));
    }
  }
  return characters;
}
