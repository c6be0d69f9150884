/** Leads to the first run while nothing is decided yet, once; later the palette does. Draws nothing. */
import { useEffect, useMemo } from 'react';
import { host } from '../../bridge/host.ts';
import { useActions } from '../../state/actions.ts';
import { goTo, showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { firstRunKey, firstRunRoute, nothingDecided } from './first-run.ts';

export function OfferFirstRun() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const { page } = useRoute();
  // Whoever came for another page is not led away from it.
  const wanted = live && page === '' && host.remembered(firstRunKey) === null;
  useActions(
    useMemo(
      () => [{ id: 'first-run', label: text.firstRun.open, run: () => goTo(firstRunRoute) }],
      [text],
    ),
  );
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void session.call('settings.effective', {}).then((read) => {
      if (current && read.ok && nothingDecided(read.value.settings)) showInstead(firstRunRoute);
    });
    return () => {
      current = false;
    };
  }, [session, wanted]);
  return null;
}
