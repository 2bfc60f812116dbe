/** The logs' query box. Searches on Enter; in a form, text counts at once. */
import { BoxView } from '../../../queryBox/BoxView.tsx';
import { type LanguageExample, LanguageHelp } from '../../../queryBox/LanguageHelp.tsx';
import { type LogBoxProps, useLogBox } from './logBox.ts';

type QueryBoxProps = LogBoxProps & {
  label?: string;
  /** Called when a mistake appears or disappears. */
  onMistake?: (hasMistake: boolean) => void;
  /** Shown below while nothing is wrong. */
  hint?: string;
};

const examples: readonly LanguageExample[] = [
  ['connection lost', 'both words, anywhere in an entry; also parts of words'],
  ['"connection lost"', 'exactly this phrase'],
  ['conn*lost', 'one after the other'],
  ['level:error', 'a field with this value; level:(warn,error) is one of two'],
  ['player.id:43', 'any path of the metadata'],
  ['player.name:An*', 'a value starting with this, in any letter case'],
  ['resource:oxmysql -timeout', 'excludes what follows the minus'],
  ['ms:>100', 'larger numbers; also >=, < and <='],
  ['player.id:* -resource:chat', 'the field exists, with any value'],
  ['(lost OR timeout) level:warn', 'one side or the other'],
];

export function QueryBox(props: QueryBoxProps) {
  const box = useLogBox(props);
  return (
    <BoxView
      box={box}
      label={props.label ?? 'Search the logs'}
      placeholder="Words, or level:error player.id:43"
      onMistake={props.onMistake}
      hint={props.hint}
      help={
        <LanguageHelp
          about="Searches messages, resources and values. Click an example to try it."
          examples={examples}
          note="Put values with spaces or symbols in quotes. Paste a traceId to open its entry."
          onTry={box.replace}
        />
      }
    />
  );
}
