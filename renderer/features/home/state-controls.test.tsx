/** The switch is on while queries go where they should, and off while they do not: paused is not on. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { ProtectionState } from '../../../app/contract/protection/protection-state.ts';
import { followService, ServiceContext } from '../../state/service.ts';
import { openSession } from '../../state/session.ts';
import { WordsContext, wordsIn } from '../../text/use-text.ts';
import { StateControls } from './state-controls.tsx';

const service = followService(openSession({ connect: () => new Promise(() => {}) }));

test.each<[ProtectionState, boolean]>([
  [{ state: 'private', upstream: 'quad9', tls: 'TLS 1.3' }, true],
  [{ state: 'refusing', why: 'nobody answers' }, true],
  [{ state: 'paused', until: null }, false],
  [{ state: 'paused', until: Date.now() + 60_000 }, false],
  [{ state: 'off', since: Date.now() }, false],
])('in the state %j: %s', (protection, on) => {
  const drawn = renderToStaticMarkup(
    <ServiceContext value={service}>
      <WordsContext value={wordsIn('en', [])}>
        <StateControls protection={protection} />
      </WordsContext>
    </ServiceContext>,
  );
  expect(/role="switch"[^>]*aria-checked="(\w+)"/.exec(drawn)?.[1]).toBe(`${on}`);
});
