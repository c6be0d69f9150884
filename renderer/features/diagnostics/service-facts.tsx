/** Facts about the service. */
import { type ReactNode, useEffect, useMemo } from 'react';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { followSettings } from '../settings/settings-store.ts';
import styles from './diagnostics-page.module.css';

export function ServiceFacts({ status }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  const now = useNow(10_000);
  const words = text.diagnostics.facts;
  const { version, pid, startedAt, guarded, listening, cache, events, log } = status;
  const { count, octets } = formats;
  const facts: [string, ReactNode][] = [
    [words.version, safe(version)],
    [words.pid, String(pid)],
    [words.running, formats.duration(now - startedAt)],
    [words.guarded, guarded ? words.guardedYes : words.guardedNo],
    [words.listening, listening.length === 0 ? words.nowhere : formats.list(listening.map(safe))],
    [
      words.cache,
      together(
        words.cacheHolds(
          count(cache.entries),
          cache.entries === 1,
          octets(cache.octets),
          octets(cache.capacity),
        ),
        words.cacheServes(count(cache.hits), count(cache.misses)),
      ),
    ],
    [words.events, words.eventsCount(count(events.delivered), count(events.dropped))],
    [
      words.log,
      <>
        {together(
          words.logStates[log.state],
          words.logHolds(count(log.rows), log.rows === 1, octets(log.octets)),
          ...(log.lost === 0 ? [] : [words.logLost(count(log.lost))]),
        )}
        {log.reason === null ? null : <span lang="en"> ({safe(log.reason)})</span>}
      </>,
    ],
    [words.retention, <Retention key="retention" />],
  ];
  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** The retention in the settings, with a link to change it. */
function Retention() {
  const { text, formats } = useWords();
  const { session } = useService();
  const store = useMemo(() => followSettings(session), [session]);
  useEffect(() => () => store.close(), [store]);
  const { settings } = useStore(store);
  const words = text.diagnostics.facts;
  const value = (key: string) => Number(settings?.find((setting) => setting.key === key)?.value);
  const [days, megabytes] = [value('queryLog.keepDays'), value('queryLog.maxMegabytes')];
  if (Number.isNaN(days) || Number.isNaN(megabytes)) return null;
  return (
    <>
      {words.kept(formats.count(days), days === 1, formats.octets(megabytes * 1_000_000))}{' '}
      <a href={linkTo('settings', { search: 'queryLog' })}>{words.change}</a>
    </>
  );
}

function together(...parts: string[]): string {
  return parts.join('; ');
}
