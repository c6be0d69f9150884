/** Leads to the first run, once, while nothing is decided yet; later the palette has it. Draws nothing. */
import { useEffect, useMemo } from 'react';
import { useActions } from '../../state/actions.ts';
import { goTo, showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { useWords } from '../../text/use-text.ts';
import { firstRunRoute, nothingDecided } from './first-run.ts';

export function OfferFirstRun() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const { page } = useRoute();
  // A person who opened another page stays there.
  const wanted = live && page === '';
  useActions(
    useMemo(
      () => [{ id: 'first-run', label: text.firstRun.open, run: () => goTo(firstRunRoute) }],
      [text],
    ),
  );
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void isWanted(session).then((yes) => {
      if (current && yes) showInstead(firstRunRoute);
    });
    return () => {
      current = false;
    };
  }, [session, wanted]);
  return null;
}

async function isWanted(session: Session): Promise<boolean> {
  const setup = await session.call('setup.get', {});
  if (!setup.ok || setup.value.over) return false;
  const read = await session.call('settings.effective', {});
  return read.ok && nothingDecided(read.value.settings);
}
