/** The page of an invitation link. Shows what the invitation grants, and lets people join or accept. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { placeErrors } from '../../format/fieldErrors.ts';
import { formatExact } from '../../format/times.ts';
import { type Offer, offerQuery, useAcceptance, useJoining } from '../../queries/invitations.ts';
import { meQuery, stateQuery } from '../../queries/session.ts';
import { nameRole, roleMeanings } from '../../roles.ts';
import { Button, styleButton } from '../../ui/Button.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { RateLimitNotice, useRateLimit } from '../../ui/RateLimitNotice.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { keepSecret, readSecret } from './invitationSecret.ts';
import { NewPersonFields } from './NewPersonFields.tsx';
import { ProviderButton } from './ProviderButton.tsx';

const title = 'You are invited';

export function InvitationPage() {
  const [secret, setSecret] = useState(readSecret);
  // A whole link pasted over an incomplete one loads no new page.
  useEffect(() => {
    const follow = () => setSecret(readSecret());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  const { data: offer, error } = useQuery({ ...offerQuery(secret ?? ''), enabled: secret !== null });
  if (secret === null) {
    return <DeadLink sentence="This link is incomplete: the part after # is missing. Copy the whole link." />;
  }
  if (error) return <DeadLink sentence={error.message} />;
  if (offer === undefined)
    return <AuthLayout title={title} about="Checking the invitation." label="B side" turning />;
  return <OpenOffer secret={secret} offer={offer} />;
}

function DeadLink({ sentence }: { sentence: string }) {
  return (
    <AuthLayout title="Invitation" about="This link can’t be used." label="End of tape" turning={false}>
      <Notice look="error">{sentence}</Notice>
      <Link to="/sign-in" className={styleButton()}>
        Go to sign-in
      </Link>
    </AuthLayout>
  );
}

type OpenOfferProps = { secret: string; offer: Offer };

function OpenOffer({ secret, offer }: OpenOfferProps) {
  const { data: state } = useSuspenseQuery(stateQuery);
  const [turning, setTurning] = useState(false);
  const router = useRouter();
  const enter = () => router.history.push(offer.project === null ? '/' : `/projects/${offer.project}`);
  const props = { secret, offer, onBusy: setTurning, onEntered: enter };
  return (
    <AuthLayout title={title} about={<OfferText offer={offer} />} label="For you" turning={turning}>
      {state.isSignedIn ? <AcceptForm {...props} /> : <JoinForm {...props} />}
    </AuthLayout>
  );
}

function OfferText({ offer: { createdBy, projectName, role, expiresAt } }: { offer: Offer }) {
  return (
    <>
      <span className="wrap-anywhere">{createdBy.replace(/^user /, '')}</span> invites you to{' '}
      {projectName === null || role === null ? (
        'this Tapedeck'
      ) : (
        <>
          <bdi className="font-medium text-ink">{projectName}</bdi> as {nameRole(role)}:{' '}
          {roleMeanings[role].toLowerCase()}
        </>
      )}
      . Valid until {formatExact(expiresAt)}.
    </>
  );
}

type FormProps = OpenOfferProps & { onBusy: (busy: boolean) => void; onEntered: () => void };

function AcceptForm({ secret, onEntered }: FormProps) {
  const { data: me } = useSuspenseQuery(meQuery);
  const acceptance = useAcceptance(onEntered);
  const { slowed, waitSeconds } = useRateLimit(acceptance.error);
  return (
    <Form onSubmit={() => acceptance.mutate(secret)}>
      <p className="text-sm text-muted">
        You are signed in as <bdi className="font-medium text-ink">{me.user?.email}</bdi>.
      </p>
      {acceptance.error && !slowed && <Notice look="error">{acceptance.error.message}</Notice>}
      {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
      <div className="flex flex-wrap gap-2.5">
        <Button type="submit" look="primary" busy={acceptance.isPending} disabled={waitSeconds > 0}>
          Accept
        </Button>
        <Link to="/" className={styleButton()}>
          Not now
        </Link>
      </div>
    </Form>
  );
}

const fields = ['name', 'email', 'password'] as const;

function JoinForm({ secret, offer, onBusy, onEntered }: FormProps) {
  const [input, setInput] = useState({ name: '', email: offer.email ?? '', password: '' });
  const joining = useJoining(onEntered);
  const { slowed, waitSeconds } = useRateLimit(joining.error);
  const failure = placeErrors(slowed ? null : joining.error, fields);
  const join = () => {
    onBusy(true);
    joining.mutate({ secret, ...input }, { onSettled: () => onBusy(false) });
  };
  return (
    <>
      <Form onSubmit={join}>
        <NewPersonFields
          person={input}
          failure={failure}
          emailReadOnly={offer.email !== null}
          autoFocus
          onChange={setInput}
        />
        {failure.rest && <Notice look="error">{failure.rest}</Notice>}
        {waitSeconds > 0 && <RateLimitNotice seconds={waitSeconds} />}
        <Button type="submit" look="primary" busy={joining.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Wait ${waitSeconds} s` : 'Join'}
        </Button>
        <ProviderButton
          verb="Join with"
          back={offer.project === null ? '/' : `/projects/${offer.project}`}
          invitation={secret}
        />
      </Form>
      <p className="text-sm text-muted">
        Already have an account?{' '}
        <Link
          to="/sign-in"
          search={{ back: '/invitation' }}
          onClick={() => keepSecret(secret)}
          className="font-medium text-ink underline decoration-edge underline-offset-3 hover:decoration-ink"
        >
          Sign in and accept
        </Link>
      </p>
    </>
  );
}
