/** Lists all guides in order, and searches them. */
import { type Guide, groups } from './guide.ts';
import { parseGuide } from './parsing.ts';

export type Catalogue = {
  guides: readonly Guide[];
  findGuide(id: string): Guide | undefined;
  /** Returns guides that match every word, ignoring case. Titles that begin with the text come first. */
  searchGuides(text: string): readonly Guide[];
};

/** Takes the text of each guide by its id. */
export function openCatalogue(texts: Readonly<Record<string, string>>): Catalogue {
  const guides = Object.entries(texts)
    .map(([id, text]) => parseGuide(id, text))
    .sort((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group) || one.order - other.order);
  return {
    guides,
    findGuide: id => guides.find(guide => guide.id === id),
    searchGuides: text => searchGuides(guides, text),
  };
}

function searchGuides(guides: readonly Guide[], text: string): readonly Guide[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return guides;
  return guides
    .map(guide => ({ guide, rank: rankOf(guide, words) }))
    .filter(({ rank }) => rank < unfit)
    .sort((one, other) => one.rank - other.rank)
    .map(({ guide }) => guide);
}

const unfit = 4;

/** Returns the rank of the worst-matching word. */
function rankOf({ id, title, words, about, group, sends }: Guide, asked: readonly string[]): number {
  const name = title.toLowerCase();
  const known = [id, ...words].join(' ').toLowerCase();
  const rest = [about, group, sends].join(' ').toLowerCase();
  const ranks = asked.map(word => {
    if (name.startsWith(word)) return 0;
    if (name.includes(word)) return 1;
    if (known.includes(word)) return 2;
    return rest.includes(word) ? 3 : unfit;
  });
  return Math.max(...ranks);
}
