/** How to send the first file and the first log: commands to paste, with a token in them if one is made here. */
import type { TokenKind } from '@tapedeck/client';
import { useState } from 'react';
import { apiUrl } from '../../api.ts';
import { Button } from '../../parts/Button.tsx';
import { CodeBlock } from '../../parts/CodeBlock.tsx';
import { Icon } from '../../parts/Icon.tsx';
import { Notice } from '../../parts/Notice.tsx';
import { Panel } from '../../parts/Panel.tsx';
import type { Project } from '../../queries/projects.ts';
import { useTokenCreation } from '../../queries/tokens.ts';
import { isRoleAtLeast } from '../../roles.ts';

type Step = {
  kind: TokenKind;
  title: string;
  about: string;
  label: string;
  command: (token: string) => string;
};

const steps: readonly Step[] = [
  {
    kind: 'media',
    title: 'Send a first file',
    about: 'An image, a video or a sound. The answer holds the public URL.',
    label: 'command that uploads a file',
    command: token => `curl ${apiUrl}/v3/file \\\n  -H "Authorization: ${token}" \\\n  -F "file=@photo.jpg"`,
  },
  {
    kind: 'logs',
    title: 'Write a first log',
    about: 'One entry, or up to 10,000 at once. It can be found as soon as the answer is there.',
    label: 'command that writes a log entry',
    command: token =>
      `curl ${apiUrl}/v3/logs \\\n  -H "Authorization: ${token}" \\\n  -H "Content-Type: application/json" \\\n  -d '[{"level":"info","message":"Hello, tape"}]'`,
  },
];

export function FirstSteps({ project }: { project: Project }) {
  return (
    <section className="grid gap-4">
      <h2 className="text-lg font-semibold tracking-tight">First steps</h2>
      <div className="grid gap-5 lg:grid-cols-2">
        {steps.map(step => (
          <StepPanel key={step.kind} step={step} project={project} />
        ))}
      </div>
    </section>
  );
}

function StepPanel({ step, project }: { step: Step; project: Project }) {
  const [token, setToken] = useState<string | null>(null);
  const creation = useTokenCreation(project.project);
  const create = () =>
    creation.mutate(
      { kind: step.kind, name: 'First steps' },
      { onSuccess: answer => setToken(answer.token) },
    );
  return (
    <Panel title={step.title} about={step.about}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
        <CodeBlock code={step.command(token ?? `<${step.kind} token>`)} label={step.label} />
        {creation.error && <Notice look="error">{creation.error.message}</Notice>}
        {token === null ? (
          isRoleAtLeast(project.role, 'member') && (
            <Button className="justify-self-start" size="small" busy={creation.isPending} onClick={create}>
              <Icon name="key" />
              Put a new {step.kind} token in
            </Button>
          )
        ) : (
          <p className="animate-arrive text-sm text-muted">
            The command holds a new token now. It is shown only here and only until you leave this page.
          </p>
        )}
      </div>
    </Panel>
  );
}
