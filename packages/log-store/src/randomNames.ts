/** Names that nobody else gives: of nodes, engines and servers. They are stored, and keep their form. */
import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const characters = 20; // 119 bits

export const namePattern = new RegExp(`^[${alphabet}]{${characters}}$`);

export function newName(): string {
  return Array.from({ length: characters }, () => alphabet[randomInt(alphabet.length)]).join('');
}
