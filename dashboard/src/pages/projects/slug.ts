/** The slug that would be made from a name, shown while the name is typed. The service has the last word. */

const charactersMax = 32; // as the API takes it

export function suggestSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, charactersMax)
    .replace(/-+$/, '');
}
