/** Removes locations from XMP: values of properties whose names begin with GPS become spaces. Takes linear time on any text. */

const attribute = /(:GPS[\w.-]{0,64}\s{0,16}=\s{0,16})("[^"<]*"|'[^'<]*')/gi;
const element = /(:GPS[\w.-]{0,64}(?:\s[^<>]{0,1024})?>)([^<]*)/gi;

/** Returns null if nothing has to change. */
export function blankXmp(packet: Buffer): Buffer | null {
  const text = packet.toString('latin1'); // one character per byte
  if (!/:GPS/i.test(text)) return null;
  const blanked = text
    .replaceAll(attribute, (_, name: string, value: string) => {
      return `${name}${value[0]}${' '.repeat(value.length - 2)}${value.at(-1)}`;
    })
    .replaceAll(element, (_, name: string, value: string) => name + ' '.repeat(value.length));
  return blanked === text ? null : Buffer.from(blanked, 'latin1');
}
