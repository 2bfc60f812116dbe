/** Compiles the stages of a query into a pipeline for lines and their labels. */
import { LabelSet, type Line, preserveLabel } from '../labels/labelSet.ts';
import type { ChosenLabel, LabelFilter, LabelFormat, Stage } from '../language/tree.ts';
import { compileTemplate, type Template } from '../templates/template.ts';
import { compileParser, type Required } from './extraction.ts';
import { compileLabelFilter, compileLineFilter, compileMatcher } from './filters.ts';

export type Processed = { readonly text: string; readonly labels: LabelSet };

/** Processes a line; null if a filter drops it. */
export type Pipeline = (line: Line) => Processed | null;

/** The line and labels that a stage works on. `written`: the characters that templates have written so far. */
type Draft = { readonly line: Line; readonly labels: LabelSet; text: string; written: number };

/** Returns false to drop the line. */
type Step = (draft: Draft) => boolean;

type PipelineOptions = {
  /** Names that mean another label if the line has no label with that name. */
  aliases: ReadonlyMap<string, string>;
  /** The labels that the caller needs; null: all. */
  required: Required;
};

// Terminal escape sequences, which move the cursor and set colours. No two repetitions in a row take the same character: a long run would take forever.
const colourSequence =
  /[\u001B\u009B][[\]()#;?]*(?:(?:[a-zA-Z\d][a-zA-Z\d;]*)?\u0007|(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PRZcf-ntqry=><~])/g;

export function compilePipeline(stages: readonly Stage[], { aliases, required }: PipelineOptions): Pipeline {
  const steps = stages.map(stage => compileStage(stage, required));
  return line => {
    const draft = { line, labels: new LabelSet(line, aliases), text: line.text, written: 0 };
    for (const step of steps) if (!step(draft)) return null;
    return draft;
  };
}

function compileStage(stage: Stage, required: Required): Step {
  switch (stage.kind) {
    case 'lineFilter': {
      const holds = compileLineFilter(stage);
      return ({ text }) => holds(text);
    }
    case 'labelFilter': {
      const holds = compileLabelFilter(stage.filter);
      return ({ labels }) => holds(labels);
    }
    case 'decolorize':
      return passing(draft => {
        draft.text = draft.text.replaceAll(colourSequence, '');
      });
    case 'lineFormat': {
      const template = compileTemplate(stage.template, 'line');
      return passing(draft => {
        draft.text = format(template, draft) ?? draft.text;
      });
    }
    case 'labelFormat':
      return compileLabelFormats(stage.formats);
    case 'drop':
    case 'keep':
      return stage.kind === 'drop' ? compileDrop(stage.labels) : compileKeep(stage.labels);
    default: {
      const parse = compileParser(stage, required);
      return passing(draft => {
        draft.text = parse(draft.text, draft.labels);
      });
    }
  }
}

function passing(work: (draft: Draft) => void): Step {
  return draft => {
    work(draft);
    return true;
  };
}

/** By all templates for a line. Each may write 1,000,000, so a query with forty that double a label took 0.3 s per line. */
const writtenMax = 2_000_000;

/** If the template fails, returns null and sets an error label. */
function format(
  template: Template,
  draft: Draft,
  values: Readonly<Record<string, string>> = draft.labels.listFor(template.fields, template.readsAll),
): string | null {
  const { line, labels, text } = draft;
  const result =
    draft.written > writtenMax
      ? { error: `the templates of a line write more than ${writtenMax} characters together` }
      : template({ micros: line.micros, line: text, labels: values });
  if (typeof result === 'string') {
    draft.written += result.length;
    return result;
  }
  for (const name of Object.keys(values)) draft.written += values[name]?.length ?? 0; // at least this much was written, if it was too much
  labels.fail('TemplateFormatErr', result.error);
  return null;
}

function compileLabelFormats(formats: readonly LabelFormat[]): Step {
  const compiled = formats.map(({ name, from }) => ({
    name,
    from: from.text,
    template: from.kind === 'template' ? compileTemplate(from.text, 'label', name) : null,
  }));
  const fields = new Set(compiled.flatMap(({ template }) => [...(template?.fields ?? [])]));
  const readsAll = compiled.some(({ template }) => template?.readsAll);
  return passing(draft => {
    const { labels } = draft;
    let hadNone = false;
    let values: Record<string, string> | null = null; // the labels as they are before the stage's first template
    for (const { name, from, template } of compiled) {
      if (template !== null) {
        if (values === null || hadNone) {
          hadNone = compiled.length > 1 && labels.isEmpty; // as in Loki, the next template then sees what this one sets
          values = labels.listFor(fields, readsAll);
        }
        const text = format(template, draft, values);
        if (text !== null) labels.set(name, text);
        continue;
      }
      const value = labels.getOwn(from);
      if (value === undefined) continue;
      labels.set(name, value);
      labels.delete(from); // as in Loki, even if the new name is the same
    }
  });
}

type Choice = { name: string; holds: ((value: string) => boolean) | null };

function compileChoices(labels: readonly ChosenLabel[]): Choice[] {
  return labels.map(({ name, matcher }) => ({ name, holds: matcher && compileMatcher(matcher) }));
}

function compileDrop(chosen: readonly ChosenLabel[]): Step {
  const choices = compileChoices(chosen);
  return passing(({ labels }) => {
    for (const { name, holds } of choices) {
      const value = labels.get(name);
      if (holds === null ? false : !holds(value ?? '')) continue;
      if (name === '__error__') labels.error = '';
      else if (name === '__error_details__') labels.details = '';
      else labels.delete(name);
    }
  });
}

function compileKeep(chosen: readonly ChosenLabel[]): Step {
  const choices = compileChoices(chosen);
  const isKept = (name: string, value: string) =>
    choices.some(choice => choice.name === name && (choice.holds === null || choice.holds(value)));
  return passing(({ labels }) => {
    for (const [name, value] of labels.list())
      if (!name.startsWith('__error') && name !== preserveLabel && !isKept(name, value)) labels.delete(name);
  });
}

/** Lists the labels that stages read. Parsers add theirs separately. */
export function listReadLabels(stages: readonly Stage[]): string[] {
  return stages.flatMap(stage => {
    switch (stage.kind) {
      case 'labelFilter':
        return listFilterLabels(stage.filter);
      case 'lineFormat':
        return [...compileTemplate(stage.template, 'line').fields];
      case 'labelFormat':
        return stage.formats.flatMap(({ name, from }) =>
          from.kind === 'label' ? [from.text] : [...compileTemplate(from.text, 'label', name).fields],
        );
      default:
        return [];
    }
  });
}

export function listFilterLabels(filter: LabelFilter): string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return [...listFilterLabels(filter.left), ...listFilterLabels(filter.right)];
    case 'match':
      return [filter.matcher.name];
    default:
      return [filter.name];
  }
}
