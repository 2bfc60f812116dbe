/** Derives a slug from a name while the user types it. The service decides. */

const charactersMax = 32; // the API's limit

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
