/** Sets folders whose retention differs from that of their files' types. */
import { Button } from '../../ui/Button.tsx';
import { DaysField } from '../../ui/forms/DaysField.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { makeRule, type TypedRule } from './retention.ts';

const rulesMax = 100; // the API's limit

type FolderRulesProps = {
  rules: readonly TypedRule[];
  error: string | null;
  onChange: (rules: readonly TypedRule[]) => void;
};

export function FolderRules({ rules, error, onChange }: FolderRulesProps) {
  const replace = (changed: TypedRule) =>
    onChange(rules.map(rule => (rule.key === changed.key ? changed : rule)));
  return (
    <div className="grid gap-3 border-t border-line pt-5">
      <div className="grid gap-0.5">
        <h3 className="text-sm font-medium">Folders</h3>
        <p className="text-sm text-muted">Also applies to subfolders. The most specific folder wins.</p>
      </div>
      {rules.map(rule => (
        <Rule
          key={rule.key}
          rule={rule}
          onChange={replace}
          onRemove={() => onChange(rules.filter(each => each !== rule))}
        />
      ))}
      {error && <Notice look="error">{error}</Notice>}
      {rules.length < rulesMax && (
        <Button size="small" className="justify-self-start" onClick={() => onChange([...rules, makeRule()])}>
          <Icon name="plus" />
          Add a folder
        </Button>
      )}
    </div>
  );
}

type RuleProps = { rule: TypedRule; onChange: (rule: TypedRule) => void; onRemove: () => void };

function Rule({ rule, onChange, onRemove }: RuleProps) {
  return (
    <div className="grid grid-cols-[1fr_auto] items-start gap-3 sm:grid-cols-[1fr_11rem_auto]">
      <div className="phone:col-span-2">
        <TextField
          label={<span className="sr-only">Folder</span>}
          mono
          required
          placeholder="clips/2026"
          spellCheck={false}
          maxLength={512}
          value={rule.path}
          onChange={path => onChange({ ...rule, path })}
        />
      </div>
      <DaysField
        label={<span className="sr-only">Days to keep the files of {rule.path || 'the folder'}</span>}
        days={rule.days}
        onChange={days => onChange({ ...rule, days })}
      />
      <Button
        look="quiet"
        size="icon"
        className="mt-2.5"
        aria-label={`Remove the rule for ${rule.path || 'the folder'}`}
        onClick={onRemove}
      >
        <Icon name="cross" />
      </Button>
    </div>
  );
}
