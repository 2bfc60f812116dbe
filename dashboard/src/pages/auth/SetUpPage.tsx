/** The first visit: the user with the code that the service printed becomes the owner. */
import { Link, useRouter } from '@tanstack/react-router';
import { ApiError } from '@tapedeck/client';
import { useState } from 'react';
import { type FieldErrors, placeErrors } from '../../format/fieldErrors.ts';
import { useSetUp } from '../../queries/session.ts';
import { Button } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RateLimitNotice, useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { NewPersonFields } from './NewPersonFields.tsx';

const fields = ['code', 'name', 'email', 'password'] as const;
const nothing = { code: '', name: '', email: '', password: '' };
type Input = typeof nothing;

export function SetUpPage() {
  const [input, setInput] = useState(nothing);
  const router = useRouter();
  const setUp = useSetUp(() => router.history.push('/'));
  const { slowed, waitSeconds } = useRateLimit(setUp.error);
  const failure = placeErrors(slowed ? null : setUp.error, fields);
  return (
    <AuthLayout
      title="Set up Tapedeck"
      about="This is a new installation. Create the owner account to start."
      label="Press record"
      turning={setUp.isPending}
    >
      <Form onSubmit={() => setUp.mutate(input)}>
        <OwnerFields input={input} failure={failure} onChange={setInput} />
        {failure.rest && <Refusal error={setUp.error} />}
        {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
        <Button type="submit" look="primary" busy={setUp.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Create the owner account'}
        </Button>
      </Form>
    </AuthLayout>
  );
}

type OwnerFieldsProps = {
  input: Input;
  failure: FieldErrors<keyof Input>;
  onChange: (input: Input) => void;
};

function OwnerFields({ input, failure, onChange }: OwnerFieldsProps) {
  const type = (field: keyof Input) => (value: string) => onChange({ ...input, [field]: value });
  return (
    <>
      <TextField
        label="Setup code"
        hint="The service prints it when it starts."
        required
        autoFocus
        mono
        autoComplete="one-time-code"
        spellCheck={false}
        placeholder="XXXX-XXXX-XXXX"
        maxLength={100}
        error={failure.at('code')}
        value={input.code}
        onChange={type('code')}
      />
      <NewPersonFields
        person={input}
        failure={failure}
        onChange={person => onChange({ ...input, ...person })}
      />
    </>
  );
}

function Refusal({ error }: { error: Error | null }) {
  const isTaken = error instanceof ApiError && error.code === 'already_set_up';
  return (
    <Notice look="error">
      {error?.message}{' '}
      {isTaken && (
        <Link to="/sign-in" className="underline">
          Go to sign-in
        </Link>
      )}
    </Notice>
  );
}
