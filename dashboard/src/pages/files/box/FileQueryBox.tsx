/** The query box of the files: the log query language over the fields of files. */
import { BoxView } from '../../../queryBox/BoxView.tsx';
import { type LanguageExample, LanguageHelp } from '../../../queryBox/LanguageHelp.tsx';
import { type FileBoxProps, useFileBox } from './fileBox.ts';

const examples: readonly LanguageExample[] = [
  ['crash', 'in the name, the folder or a value of the metadata'],
  ['name:*crash*', 'in the name'],
  ['player.id:43', 'any path of the metadata'],
  ['player.name:An*', 'a value starting with this, in any letter case'],
  ['type:video duration:>60', 'videos longer than a minute'],
  ['size:>5242880', 'larger than 5 MiB, which you can type as 5MiB; also >=, < and <='],
  ['path:evidence/*', 'in folders below this one'],
  ['-path:*', 'in no folder'],
  ['type:(image,video) -name:*old*', 'images or videos, but not those with “old” in the name'],
  ['exempt:true', 'kept forever'],
];

export function FileQueryBox(props: FileBoxProps) {
  const box = useFileBox(props);
  return (
    <BoxView
      box={box}
      label="Search the files"
      placeholder="Words, or name:*crash* player.id:43"
      help={
        <LanguageHelp
          about="Searches names, folders and metadata. Click an example to try it."
          examples={examples}
          note="Put values with spaces or symbols in quotes. Paste an ID or a key to find its file."
          onTry={box.replace}
        />
      }
    />
  );
}
