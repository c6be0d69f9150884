/** The three answers to a consent request. */
import { useEffect, useState } from 'react';
import type { ConsentRequest } from '../../../app/contract/protection/consent-request.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';

const choices = [10, 30, 60] as const;
const minute = 60_000;

export function ConsentActions({ request: { id } }: { request: ConsentRequest }) {
  const { text, formats } = useWords();
  const { session } = useService();
  const live = useLive();
  const words = text.home.consent;

  async function allow(minutes: number): Promise<void> {
    const done = await session.call('consent.allow', { id, minutes });
    if (!done.ok) tellFailure(done.failure);
  }
  async function deny(): Promise<void> {
    const done = await session.call('consent.deny', { id });
    if (done.ok) toast('done', words.denied);
    else tellFailure(done.failure);
  }

  return (
    <>
      <Button variant="main" disabled={!live} onClick={deny}>
        {words.deny}
      </Button>
      <Retry id={id} />
      <Menu label={words.allow(formats.duration(choices[0] * minute))} disabled={!live}>
        {choices.map((minutes) => (
          <MenuItem key={minutes} onSelect={() => allow(minutes)}>
            {words.allow(formats.duration(minutes * minute))}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

export function Retry({ id, variant = 'plain' }: { id: string; variant?: 'main' | 'plain' }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [trying, setTrying] = useState(false);
  const words = text.home.consent;

  async function retry(): Promise<void> {
    setTrying(true);
    const tried = await session.call('consent.retry', { id });
    setTrying(false);
    if (!tried.ok) return tellFailure(tried.failure);
    const { reached } = tried.value;
    toast('done', reached === null ? words.inVain : words.reached(safe(reached)));
  }

  return (
    <Button variant={variant} disabled={!live || trying} onClick={retry}>
      {trying ? words.retrying : words.retry}
    </Button>
  );
}

/** The newest request, where a person or the deadline has answered it with "stay private". */
export function useClosedRequest(wanted: boolean): ConsentRequest | null {
  const { session } = useService();
  const live = useLive();
  const [closed, setClosed] = useState<ConsentRequest | null>(null);
  useEffect(() => {
    if (!wanted || !live) return;
    let current = true;
    void session.call('consent.list', {}).then((listed) => {
      if (current) setClosed(listed.ok ? newestIfClosed(listed.value.consentRequests) : null);
    });
    return () => {
      current = false;
    };
  }, [session, live, wanted]);
  return wanted ? closed : null;
}

function newestIfClosed([newest]: readonly ConsentRequest[]): ConsentRequest | null {
  const isClosed = newest?.state === 'denied' || newest?.state === 'unanswered';
  return isClosed ? newest : null;
}
