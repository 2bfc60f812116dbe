/** The metadata of one entry as bytes, in the form in which stores write columns: each text behind its length. */

/** Paths and values in the same order. A length is a varint: seven bits a byte, the lowest first. */
export type Leaves = {
  paths: Uint8Array;
  pathsStart: number;
  values: Uint8Array;
  valuesStart: number;
  valuesEnd: number;
};

/** Reads text after text. No objects are made: every entry with metadata comes this way. */
export class TextCursor {
  /** Of the text that was read last. */
  start = 0;
  end = 0;

  /** The text whose length stands here. */
  read(bytes: Uint8Array, position: number): void {
    let at = position;
    let byte = bytes[at++]!;
    let length = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++]!;
      length |= (byte & 0x7f) << shift;
    }
    this.start = at;
    this.end = at + length;
  }

  /** The text that so many others precede. */
  readNth(bytes: Uint8Array, position: number, index: number): void {
    this.end = position;
    for (let read = 0; read <= index; read++) this.read(bytes, this.end);
  }
}

/** For metadata that are at hand as texts. */
export function encodeLeaves(metadata: Readonly<Record<string, string>>): Leaves {
  const paths = encodeTexts(Object.keys(metadata));
  const values = encodeTexts(Object.values(metadata));
  return { paths, pathsStart: 0, values, valuesStart: 0, valuesEnd: values.length };
}

function encodeTexts(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.flatMap(text => {
      const bytes = Buffer.from(text);
      return [encodeLength(bytes.length), bytes];
    }),
  );
}

function encodeLength(length: number): Buffer {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
