/** Addresses, transport, policy and the system's DNS: what an administrator looks for, and nobody else has to read. */
import { useState } from 'react';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './details.module.css';
import { Figures } from './figures.tsx';
import { NetworkLine } from './network-line.tsx';
import { SystemDns } from './system-dns.tsx';
import { UpstreamLines } from './upstream-lines.tsx';

interface DetailsProps {
  status: ServiceStatus;
  /** the band offers to take the system's DNS */
  isOffered: boolean;
}

export function Details({ status, isOffered }: DetailsProps) {
  const { text } = useWords();
  const [open, setOpen] = useState(false);
  return (
    <details
      className={styles.details}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{text.home.details}</summary>
      {open ? (
        <div className={styles.inside}>
          <Figures status={status} />
          <UpstreamLines upstreams={status.upstreams} />
          <NetworkLine status={status} />
          <SystemDns of={status.systemDns} isOffered={isOffered} />
        </div>
      ) : null}
    </details>
  );
}
