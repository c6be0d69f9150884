/** Which provider it is, who runs it and where, and whether it can be reached now. */
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { isPrivate } from '../../../app/contract/settings/upstream-settings.ts';
import type { UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Chip } from '../../components/chip.tsx';
import { useWords } from '../../text/use-text.ts';
import { standing } from '../home/upstream-lines.tsx';
import { Stated } from './stated.tsx';
import styles from './upstream-list.module.css';

interface WhoProps {
  name: string;
  upstream: UpstreamStatus;
  known: CatalogueEntry | undefined;
  isFirst: boolean;
}

export function Who({ name, upstream, known, isFirst }: WhoProps) {
  const { text, formats } = useWords();
  const { transport, group } = upstream;
  const words = text.upstreams;
  return (
    <div className={styles.who}>
      <h3>{name}</h3>
      {known === undefined ? null : (
        <p className={styles.quiet}>
          <Stated english={known.operator} />
        </p>
      )}
      <p className={styles.state} data-shape={shapeOf(upstream)}>
        <StateGlyph of={shapeOf(upstream)} />
        {standing(upstream, text, formats)}
        {isFirst ? ` · ${words.first.is}` : ''}
      </p>
      {isPrivate(transport) && group === '' ? null : (
        <p className={styles.chips}>
          {isPrivate(transport) ? null : <Chip tone="exposed">{words.clear}</Chip>}
          {group === '' ? null : <Chip>{words.group(safe(group))}</Chip>}
        </p>
      )}
    </div>
  );
}

type Shape = 'ready' | 'waiting' | 'opening' | 'failing';

function shapeOf({ state, path, lastError, restingMs }: UpstreamStatus): Shape {
  if (state === 'ready') return 'ready';
  if (restingMs >= 1000 || (lastError !== null && path === null)) return 'failing';
  return state === 'dialing' ? 'opening' : 'waiting';
}

/** A filled circle, a ring, an arc, a cross. */
const glyphs: Record<Shape, string> = {
  ready: 'M6 2.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z',
  waiting: 'M6 2a4 4 0 1 1 0 8 4 4 0 0 1 0-8Z',
  opening: 'M6 2a4 4 0 1 1-4 4',
  failing: 'M2.5 2.5l7 7m0-7l-7 7',
};

function StateGlyph({ of }: { of: Shape }) {
  return (
    <svg className={styles.glyph} viewBox="0 0 12 12" aria-hidden="true">
      <path d={glyphs[of]} />
    </svg>
  );
}
