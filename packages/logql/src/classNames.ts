/**
 * The Unicode classes of expressions, such as `\p{Greek}`. Since version 1.25, Go ignores case, spaces, hyphens and underscores in their names, and
 * knows long names of categories. RE2JS and the log store do not, but RE2JS knows properties that Go lacks.
 */

type Classes = {
  /** The expression, with names that RE2JS and the log store know. */
  expression: string;
  /** The first class that Go does not know. */
  unknown: string | null;
  /** The first class that cannot be written with the names that RE2JS and the log store know. */
  unwritable: string | null;
};

/** A category's code and its long names, between slashes. */
const categories = `C/Other Cc/Control/cntrl Cf/Format Co/Private_Use Cs/Surrogate L/Letter Ll/Lowercase_Letter Lm/Modifier_Letter Lo/Other_Letter
  Lt/Titlecase_Letter Lu/Uppercase_Letter M/Combining_Mark/Mark Mc/Spacing_Mark Me/Enclosing_Mark Mn/Nonspacing_Mark N/Number Nd/Decimal_Number/digit
  Nl/Letter_Number No/Other_Number P/Punctuation/punct Pc/Connector_Punctuation Pd/Dash_Punctuation Pe/Close_Punctuation Pf/Final_Punctuation
  Pi/Initial_Punctuation Po/Other_Punctuation Ps/Open_Punctuation S/Symbol Sc/Currency_Symbol Sk/Modifier_Symbol Sm/Math_Symbol So/Other_Symbol
  Z/Separator Zl/Line_Separator Zp/Paragraph_Separator Zs/Space_Separator Any`;

/** The scripts of Unicode 15, which Go knows. */
const scripts = `Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille
  Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic
  Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati
  Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi
  Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu
  Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui
  Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
  Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic
  Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada
  Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil
  Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square`;

/** Classes that only Go knows, as members of a bracket. `others`: the characters outside the class, if they can be written like this. */
type Members = { members: string | null; others: string | null };
const assigned = '\\pL\\pM\\pN\\pP\\pS\\pZ\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}';
const composed: readonly (readonly [names: string, Members])[] = [
  ['ASCII', { members: '\\x00-\\x7f', others: '\\x{80}-\\x{10ffff}' }],
  ['Assigned', { members: assigned, others: null }],
  ['Cn/Unassigned', { members: null, others: assigned }],
  ['LC/Cased_Letter', { members: '\\p{Lu}\\p{Ll}\\p{Lt}', others: null }],
];

const fold = (name: string) => name.replaceAll(/[ _-]/g, '').toLowerCase();
const listNames = (names: string) => names.split('/').map(fold);
/** The names that RE2JS and the log store know, by folded name. */
const plainNames = new Map(
  `${categories} ${scripts}`.split(/\s+/).flatMap(names => {
    const [code = ''] = names.split('/');
    return listNames(names).map(name => [name, code] as const);
  }),
);
const composedClasses = new Map(
  composed.flatMap(([names, members]) => listNames(names).map(name => [name, members] as const)),
);

const hasClass = /\\p/i;
/** A quotation, a class, an escape, the beginning of a bracket, a POSIX class or its end. */
const element = /\\Q(?:[^\\]|\\(?!E))*(?:\\E)?|\\[pP](?:\{[^}]*\}|[^{])|\\.|\[:\^?\w+:\]|\[\^?\]?|\]/gsu;

/** Rewrites the Unicode classes of an expression. */
export function rewriteClasses(source: string): Classes {
  const found: Omit<Classes, 'expression'> = { unknown: null, unwritable: null };
  if (!hasClass.test(source)) return { expression: source, ...found };
  let isInBracket = false;
  const expression = source.replaceAll(element, text => {
    if (!/^\\p/i.test(text)) {
      if (text === ']') isInBracket = false;
      else if (text.startsWith('[') && !text.startsWith('[:'))
        isInBracket = !isInBracket || !text.endsWith(']');
      return text;
    }
    const written = writeClass(text, isInBracket);
    if (typeof written === 'string') return written;
    found[written.mistake] ??= text;
    return text;
  });
  return { expression, ...found };
}

/** `text` is `\pL`, `\p{L}` or `\p{^L}`, or with a large letter for the other characters. */
function writeClass(text: string, isInBracket: boolean): string | { mistake: 'unknown' | 'unwritable' } {
  const [, hat, name = ''] = /^\{?(\^?)([^}]*)\}?$/s.exec(text.slice(2)) ?? [];
  const isNegated = text.startsWith('\\P') !== (hat === '^');
  const plain = plainNames.get(fold(name));
  if (plain !== undefined) return `\\${isNegated ? 'P' : 'p'}{${plain}}`;
  const { members, others } = composedClasses.get(fold(name)) ?? {};
  if (members === undefined || others === undefined) return { mistake: 'unknown' };
  const [wanted, opposite] = isNegated ? [others, members] : [members, others];
  if (wanted !== null) return isInBracket ? wanted : `[${wanted}]`;
  return isInBracket ? { mistake: 'unwritable' } : `[^${opposite ?? ''}]`;
}
