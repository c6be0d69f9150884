/** Each upstream in one line: name, transport, speed, state. */
import type { UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Row, Rows } from '../../components/rows.tsx';
import { Sparkline } from '../../components/sparkline.tsx';
import { Cause } from '../../components/told.tsx';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './upstream-lines.module.css';

export function UpstreamLines({ upstreams }: { upstreams: readonly UpstreamStatus[] }) {
  const { text } = useWords();
  const words = text.home.upstreams;
  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      {upstreams.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <Rows label={words.title}>
          {upstreams.map((upstream) => (
            <Line key={upstream.id} upstream={upstream} />
          ))}
        </Rows>
      )}
    </section>
  );
}

function Line({ upstream }: { upstream: UpstreamStatus }) {
  const { text, formats } = useWords();
  const trail = useStore(useService().trail).upstreams.get(upstream.id) ?? [];
  const words = text.home.upstreams;
  const { id, state, rttMs, lastError } = upstream;
  return (
    <Row>
      <strong className={styles.name}>{safe(id)}</strong>
      <span className={styles.how}>{strength(upstream, text)}</span>
      <span className={styles.latency}>
        {rttMs === null ? words.noLatency : formats.latency(rttMs)}
      </span>
      <span className={styles.trail}>
        <Sparkline values={trail} label={words.trail(safe(id))} />
      </span>
      <span className={styles.state} data-state={state}>
        {standing(upstream, text, formats)}
      </span>
      {lastError === null ? null : (
        <span className={styles.error}>
          <Cause of={lastError} />
        </span>
      )}
    </Row>
  );
}

/** An upstream whose last connection succeeded is reachable, even if another address or transport of it was not. */
export function standing(
  {
    state,
    path,
    restingMs,
    lastError,
  }: Pick<UpstreamStatus, 'state' | 'path' | 'restingMs' | 'lastError'>,
  text: Text,
  formats: Formats,
) {
  const words = text.home.upstreams;
  if (restingMs >= 1000) return words.resting(formats.duration(restingMs));
  const reached = state === 'ready' || path !== null;
  return lastError !== null && !reached ? words.unreachable : words.states[state];
}

/** Its transport, and what proves its identity. */
export function strength({ transport, path, tls }: UpstreamStatus, text: Text): string {
  const words = text.home.upstreams;
  const proof =
    tls === null ? [] : tls.pinned ? [words.pinned] : tls.name === null ? [] : [words.nameChecked];
  return [
    text.queryLog.transports[path ?? transport],
    ...(tls === null ? [] : [words.tls(safe(tls.version))]),
    ...proof,
  ].join(' · ');
}
