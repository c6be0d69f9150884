/** Which network this machine is on, which policy holds there, and where programs find Sotto. */

import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { noNetwork } from '../../../app/contract/system/no-network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { LockLine } from '../../components/lock-line.tsx';
import { useWords } from '../../text/use-text.ts';
import { useSettings } from '../upstreams/use-settings.ts';
import styles from './section.module.css';

export function NetworkLine({ status }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  const { network, groups, listening, log } = status;
  const locks = useSettings();
  const words = text.home.network;
  const policy = groups.find(({ id }) => id === '')?.policy;
  const doubt = network.authenticated || network.id === noNetwork ? '' : ` – ${words.unproved}`;
  const kept = words.rows(formats.count(log.rows), log.rows === 1);
  const queryLog = { off: words.logOff, stopped: words.logStopped, writing: kept }[log.state];
  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <dl className={styles.facts}>
        <dt>{words.on}</dt>
        <dd>
          {network.id === noNetwork ? words.none : safe(network.label)}
          {doubt}
        </dd>
        {policy === undefined ? null : (
          <>
            <dt>{words.policy}</dt>
            <dd>
              {words.policies[policy]} <LockLine of={locks?.setting('downgrade')} />
            </dd>
          </>
        )}
        <dt>{words.listening}</dt>
        <dd>{listening.length === 0 ? words.nowhere : formats.list(listening.map(safe))}</dd>
        <dt>{words.queryLog}</dt>
        <dd>{queryLog}</dd>
      </dl>
    </section>
  );
}
