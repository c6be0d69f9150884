/** What else applies on a network: exceptions, groups, refusals, a login page, and whether anything was proved there. */
import { safe } from '../../../app/contract/text/visible-text.ts';
import { linkTo } from '../../state/route.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import type { Applies } from './applies-at.ts';
import styles from './networks.module.css';

interface AppliesHereProps {
  applies: Applies;
  /** the names that the network itself claims, and that go to it */
  learned?: readonly string[];
  hasPortal?: boolean;
  authenticated: boolean;
}

export function AppliesHere(props: AppliesHereProps) {
  const { applies, learned = [], hasPortal = false, authenticated } = props;
  const { text, formats } = useWords();
  const words = text.networks.applies;
  const { exceptions, groups, neverUnencrypted } = applies;
  const excepted = [...exceptions.map(safe), ...learned];
  return (
    <ul className={styles.applies} aria-label={words.title}>
      <Line mark={authenticated ? 'tick' : 'ring'}>
        {authenticated ? words.authenticated : words.unauthenticated}
      </Line>
      {excepted.length === 0 ? null : (
        <Line mark="arrow">
          <Rich
            of={words.exceptions}
            names={<a href={linkTo('exceptions')}>{formats.list([...new Set(excepted)])}</a>}
          />
        </Line>
      )}
      {groups.length === 0 ? null : (
        <Line mark="arrow">{words.groups(formats.list(groups.map(safe)))}</Line>
      )}
      {neverUnencrypted === 0 ? null : <Line mark="tick">{words.neverUnencrypted}</Line>}
      {hasPortal ? <Line mark="door">{words.portal}</Line> : null}
    </ul>
  );
}

function Line({ mark, children }: { mark: keyof typeof marks; children: React.ReactNode }) {
  return (
    <li>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={marks[mark]} />
      </svg>
      <span>{children}</span>
    </li>
  );
}

const marks = {
  tick: 'm3 8.5 3.2 3.2L13 4.8',
  ring: 'M8 3.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6',
  arrow: 'M3 8h9.5M9 4.5 12.5 8 9 11.5',
  door: 'M4.5 13.5v-11h7v11M2.5 13.5h11M9.2 8v.6',
};
